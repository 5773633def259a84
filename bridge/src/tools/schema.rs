//! JSON Schemas, draft 2020-12: compiled once, and asked what is wrong in words that say what to change.

use jsonschema::error::ValidationErrorKind;
use jsonschema::{Draft, ValidationError, Validator};
use serde_json::Value;

use super::index::Schema;
use super::yaml::Problem;
use crate::text::shown;

/// Problems that one message names; the rest is counted.
const NAMED: usize = 5;

/// A schema that can be asked.
#[derive(Debug)]
pub struct Checker(Validator);

impl Checker {
    /// Compiles a schema; `json` is what is written in it, perhaps with more.
    pub fn new(written: &Schema, json: &Value) -> Result<Self, Problem> {
        if let Err(error) = jsonschema::draft202012::meta::validate(json) {
            let line = written.line_at(error.instance_path().as_str());
            return Err(Problem::new(
                line,
                format!("this is not a JSON Schema: {}", shown(&error.to_string())),
            ));
        }
        if json["type"] != "object" {
            return Err(Problem::new(written.line_at("/type"), "a tool's schema must have `type: object`"));
        }
        let compiled = jsonschema::options().with_draft(Draft::Draft202012).build(json);
        compiled.map(Self).map_err(|error| {
            let line = written.line_at(error.schema_path().as_str());
            Problem::new(line, format!("this is not a JSON Schema: {}", shown(&error.to_string())))
        })
    }

    /// What is wrong with a value; nothing where it fits. `noun` is what its parts are called.
    pub fn problem(&self, value: &Value, noun: &str) -> Option<String> {
        let mut errors = self.0.iter_errors(value);
        let mut problems: Vec<String> = errors.by_ref().take(NAMED).map(|error| say(&error, noun)).collect();
        if problems.is_empty() {
            return None;
        }
        let rest = errors.count();
        if rest > 0 {
            problems.push(format!("and {rest} more"));
        }
        Some(problems.join("; "))
    }
}

fn say(error: &ValidationError<'_>, noun: &str) -> String {
    let path = error.instance_path().as_str();
    let place = path.trim_start_matches('/');
    let inside = |name: &str| if place.is_empty() { name.to_owned() } else { format!("{place}/{name}") };
    match error.kind() {
        ValidationErrorKind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            format!("{noun} `{}` is missing", shown(&inside(name)))
        }
        ValidationErrorKind::AdditionalProperties { unexpected }
        | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
            let names: Vec<String> =
                unexpected.iter().map(|name| format!("`{}`", shown(&inside(name)))).collect();
            let verb = if names.len() == 1 { "is" } else { "are" };
            format!("{noun} {} {verb} not known", names.join(", "))
        }
        _ if place.is_empty() => shown(&error.to_string()).to_string(),
        _ => format!("{noun} `{}`: {}", shown(place), shown(&error.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;
    use serde_json::json;

    fn checker(json: &Value) -> Result<Checker, Problem> {
        Checker::new(&Schema { json: json.clone(), node: None, line: 7 }, json)
    }

    #[rstest]
    #[case(json!({ "count": 2 }), None)]
    #[case(json!({}), Some("argument `count` is missing"))]
    #[case(json!({ "count": "x" }), Some("argument `count`: \"x\" is not of type \"integer\""))]
    #[case(json!({ "count": 9 }), Some("argument `count`: 9 is greater than the maximum of 5"))]
    #[case(json!({ "count": 1, "colour": 1 }), Some("argument `colour` is not known"))]
    #[case(
        json!({ "at": { "x": 1 }, "colour": 1 }),
        Some("argument `colour` is not known; argument `at/y` is missing; argument `count` is missing")
    )]
    #[case(json!({ "count": 1, "at": { "x": 1, "y": "2" } }), Some("argument `at/y`: \"2\" is not of type \"number\""))]
    fn what_does_not_fit_is_named(#[case] value: Value, #[case] says: Option<&str>) {
        let schema = json!({
            "type": "object",
            "properties": {
                "count": { "type": "integer", "maximum": 5 },
                "at": { "type": "object", "properties": { "y": { "type": "number" } }, "required": ["x", "y"] },
            },
            "required": ["count"],
            "additionalProperties": false,
        });
        let problem = checker(&schema).expect("a schema").problem(&value, "argument");
        let sorted = |text: &str| {
            let mut parts: Vec<String> = text.split("; ").map(Into::into).collect();
            parts.sort();
            parts
        };
        assert_eq!(problem.as_deref().map(sorted), says.map(sorted));
    }

    #[rstest]
    #[case(json!({ "type": "objekt" }), "this is not a JSON Schema")]
    #[case(json!({ "type": "object", "properties": 3 }), "this is not a JSON Schema")]
    #[case(json!({ "type": "object", "properties": { "a": { "$ref": "#/$defs/none" } } }), "this is not a JSON Schema")]
    #[case(json!({ "type": "object", "properties": { "a": { "pattern": "(" } } }), "this is not a JSON Schema")]
    #[case(json!({ "$ref": "https://example.com/schema.json", "type": "object" }), "this is not a JSON Schema")]
    #[case(json!({ "type": "string" }), "must have `type: object`")]
    #[case(json!([1]), "this is not a JSON Schema")]
    fn a_schema_that_is_none_is_refused(#[case] schema: Value, #[case] says: &str) {
        let problem = checker(&schema).expect_err("no schema");
        assert!(problem.message.contains(says), "{problem:?}");
        assert_eq!(problem.line, 7);
    }

    #[test]
    fn many_problems_are_counted() {
        let properties: serde_json::Map<String, Value> =
            (0..9).map(|n| (format!("p{n}"), json!({ "type": "string" }))).collect();
        let checker = checker(&json!({ "type": "object", "properties": properties })).expect("a schema");
        let value: Value =
            (0..9).map(|n| (format!("p{n}"), json!(1))).collect::<serde_json::Map<_, _>>().into();
        let problem = checker.problem(&value, "argument").expect("nine problems");
        assert!(problem.ends_with("; and 4 more"), "{problem}");
    }
}
