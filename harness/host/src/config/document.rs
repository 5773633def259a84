//! JSON with positions: a value knows its line, its column and its pointer, so that a problem can be shown.

use std::path::Path;

use jsonc_parser::ast::{Object, ObjectProp, Value};
use jsonc_parser::common::Ranged as _;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use super::problem::Problem;

/// A file and its text.
#[derive(Debug, Clone, Copy)]
pub struct Document<'a> {
    pub file: &'a Path,
    pub text: &'a str,
}

/// A value in a document.
#[derive(Debug, Clone)]
pub struct Node<'a> {
    pub document: Document<'a>,
    pub value: &'a Value<'a>,
    pub pointer: String,
}

impl<'a> Document<'a> {
    /// Parses the text: plain JSON, or with comments and trailing commas too.
    pub fn parse(self, comments: bool) -> Result<Value<'a>, Problem> {
        let options = ParseOptions {
            allow_comments: comments,
            allow_trailing_commas: comments,
            allow_loose_object_property_names: false,
            allow_missing_commas: false,
            allow_single_quoted_strings: false,
            allow_hexadecimal_numbers: false,
            allow_unary_plus_numbers: false,
            allow_bare_decimal_point_numbers: false,
            allow_non_finite_numbers: false,
            allow_extended_string_escapes: false,
        };
        let parsed = parse_to_ast(self.text, &CollectOptions::default(), &options);
        let parsed =
            parsed.map_err(|error| self.problem(error.range().start, "", error.kind().to_string(), None))?;
        parsed.value.ok_or_else(|| self.problem(0, "", "the file is empty".to_owned(), None))
    }

    pub fn problem(self, offset: usize, pointer: &str, message: String, hint: Option<String>) -> Problem {
        let before = self.text.get(..offset).unwrap_or(self.text);
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        Problem {
            file: self.file.to_owned(),
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            pointer: pointer.to_owned(),
            message,
            hint,
        }
    }
}

impl<'a> Node<'a> {
    /// The value at the top of a document.
    pub fn top(document: Document<'a>, value: &'a Value<'a>) -> Self {
        Self { document, value, pointer: String::new() }
    }

    pub fn problem(&self, message: impl Into<String>) -> Problem {
        self.document.problem(self.value.range().start, &self.pointer, message.into(), None)
    }

    pub fn problem_with(&self, message: impl Into<String>, hint: impl Into<String>) -> Problem {
        self.document.problem(self.value.range().start, &self.pointer, message.into(), Some(hint.into()))
    }

    /// What kind of value it is, for a message.
    pub fn kind(&self) -> &'static str {
        match self.value {
            Value::StringLit(_) => "a string",
            Value::NumberLit(_) => "a number",
            Value::BooleanLit(_) => "a boolean",
            Value::Object(_) => "an object",
            Value::Array(_) => "an array",
            Value::NullKeyword(_) => "null",
        }
    }

    pub fn object(&self) -> Result<&'a Object<'a>, Problem> {
        self.value.as_object().ok_or_else(|| self.wrong("an object"))
    }

    pub fn string(&self) -> Result<&'a str, Problem> {
        self.value.as_string_lit().map(|text| text.value.as_ref()).ok_or_else(|| self.wrong("a string"))
    }

    pub fn boolean(&self) -> Result<bool, Problem> {
        self.value.as_boolean_lit().map(|it| it.value).ok_or_else(|| self.wrong("`true` or `false`"))
    }

    /// A whole number of milliseconds, more than none.
    pub fn milliseconds(&self) -> Result<std::time::Duration, Problem> {
        let number = self.value.as_number_lit().and_then(|number| number.value.parse::<u64>().ok());
        match number {
            Some(milliseconds @ 1..) => Ok(std::time::Duration::from_millis(milliseconds)),
            _ => Err(self.wrong("a whole number of milliseconds, more than 0")),
        }
    }

    pub fn items(&self) -> Result<Vec<Node<'a>>, Problem> {
        let array = self.value.as_array().ok_or_else(|| self.wrong("an array"))?;
        let node = |(index, value): (usize, &'a Value<'a>)| self.below(&index.to_string(), value);
        Ok(array.elements.iter().enumerate().map(node).collect())
    }

    /// The properties of an object, in order. A name that is there twice is wrong: readers disagree on which counts.
    pub fn properties(&self) -> Result<Vec<(&'a str, Node<'a>)>, Problem> {
        let all = self.all_properties()?;
        for (at, (name, node)) in all.iter().enumerate() {
            if all[..at].iter().any(|(other, _)| other == name) {
                return Err(node.problem(format!("`{name}` is there twice")));
            }
        }
        Ok(all)
    }

    /// The same, with names that are there twice.
    pub fn all_properties(&self) -> Result<Vec<(&'a str, Node<'a>)>, Problem> {
        let node = |property: &'a ObjectProp<'a>| {
            let name = property.name.as_str();
            (name, self.below(name, &property.value))
        };
        Ok(self.object()?.properties.iter().map(node).collect())
    }

    pub fn get(&self, name: &str) -> Option<Node<'a>> {
        let object = self.value.as_object()?;
        let property = object.properties.iter().find(|property| property.name.as_str() == name)?;
        Some(self.below(name, &property.value))
    }

    pub fn wrong(&self, wanted: &str) -> Problem {
        self.problem(format!("this is {}, and has to be {wanted}", self.kind()))
    }

    fn below(&self, name: &str, value: &'a Value<'a>) -> Node<'a> {
        let name = name.replace('~', "~0").replace('/', "~1");
        Node { document: self.document, value, pointer: format!("{}/{name}", self.pointer) }
    }
}
