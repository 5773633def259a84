//! YAML with the line of everything in it. What the keys mean is decided in [`super::index`].

use saphyr::{LoadableYamlNode as _, MarkedYaml, Scalar, YamlData};
use serde_json::{Map, Number, Value};

/// A value and the line that it begins on.
#[derive(Debug)]
pub struct Node {
    pub line: usize,
    pub data: Data,
}

#[derive(Debug)]
pub enum Data {
    Scalar(Value),
    List(Vec<Node>),
    /// In the order of the file; no key is there twice.
    Map(Vec<(Key, Node)>),
}

#[derive(Debug)]
pub struct Key {
    pub line: usize,
    pub name: String,
}

/// What is wrong, and on which line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub line: usize,
    pub message: String,
}

impl Problem {
    pub fn new(line: usize, message: impl Into<String>) -> Self {
        Self { line, message: message.into() }
    }
}

/// Bytes of a file: thousands of tools. More is neither kept nor parsed.
pub const MOST_BYTES: usize = 1024 * 1024;

/// How far a line may be indented, dashes counted: the parser calls itself for each level, and each takes a column.
const DEEPEST: usize = 200;

/// Reads a file that holds one document.
pub fn parse(text: &str) -> Result<Node, Problem> {
    if text.len() > MOST_BYTES {
        return Err(Problem::new(1, format!("the file has more than {MOST_BYTES} bytes")));
    }
    let too_deep = |line: &str| line.bytes().take_while(|byte| b" -?:\t".contains(byte)).count() > DEEPEST;
    if let Some(at) = text.lines().position(too_deep) {
        return Err(Problem::new(at + 1, format!("this is nested or indented deeper than {DEEPEST}")));
    }
    let mut documents = MarkedYaml::load_from_str(text).map_err(|error| {
        Problem::new(error.marker().line(), format!("this is not YAML: {}", error.info()))
    })?;
    if let Some(second) = documents.get(1) {
        return Err(Problem::new(second.span.start.line(), "an index is one document, not several"));
    }
    let Some(document) = documents.pop() else {
        return Err(Problem::new(1, "the file is empty"));
    };
    convert(&document)
}

fn convert(yaml: &MarkedYaml<'_>) -> Result<Node, Problem> {
    let line = yaml.span.start.line();
    let data = match &yaml.data {
        YamlData::Value(scalar) => Data::Scalar(value(scalar, line)?),
        YamlData::Sequence(items) => Data::List(items.iter().map(convert).collect::<Result<_, _>>()?),
        YamlData::Mapping(entries) => {
            let entry = |(key, node): (&MarkedYaml<'_>, &MarkedYaml<'_>)| {
                let line = key.span.start.line();
                let YamlData::Value(Scalar::String(name)) = &key.data else {
                    return Err(Problem::new(line, "a key must be a text; put it in quotes"));
                };
                Ok((Key { line, name: name.to_string() }, convert(node)?))
            };
            Data::Map(entries.iter().map(entry).collect::<Result<_, _>>()?)
        }
        YamlData::Tagged(tag, _) => {
            return Err(Problem::new(line, format!("the tag `{tag}` means nothing here")));
        }
        YamlData::Representation(..) | YamlData::Alias(_) | YamlData::BadValue => {
            return Err(Problem::new(line, "this value cannot be read"));
        }
    };
    Ok(Node { line, data })
}

fn value(scalar: &Scalar<'_>, line: usize) -> Result<Value, Problem> {
    Ok(match scalar {
        Scalar::Null => Value::Null,
        Scalar::Boolean(value) => Value::Bool(*value),
        Scalar::Integer(value) => Value::from(*value),
        Scalar::FloatingPoint(value) => {
            let number = Number::from_f64(value.into_inner());
            Value::Number(number.ok_or_else(|| Problem::new(line, "JSON has no such number"))?)
        }
        Scalar::String(value) => Value::from(value.as_ref()),
    })
}

impl Node {
    /// The value as JSON, with its keys in the order of the file.
    pub fn to_json(&self) -> Value {
        match &self.data {
            Data::Scalar(value) => value.clone(),
            Data::List(items) => items.iter().map(Node::to_json).collect(),
            Data::Map(entries) => {
                let object: Map<String, Value> =
                    entries.iter().map(|(key, node)| (key.name.clone(), node.to_json())).collect();
                Value::Object(object)
            }
        }
    }

    pub fn as_map(&self) -> Option<&[(Key, Node)]> {
        match &self.data {
            Data::Map(entries) => Some(entries),
            _ => None,
        }
    }

    pub fn as_text(&self) -> Option<&str> {
        match &self.data {
            Data::Scalar(Value::String(text)) => Some(text),
            _ => None,
        }
    }

    pub fn as_bool(&self) -> Option<bool> {
        match &self.data {
            Data::Scalar(Value::Bool(value)) => Some(*value),
            _ => None,
        }
    }

    pub fn as_whole(&self) -> Option<u64> {
        match &self.data {
            Data::Scalar(Value::Number(number)) => number.as_u64(),
            _ => None,
        }
    }

    /// The line of the deepest place that a JSON pointer such as `/properties/0/type` leads to.
    pub fn line_at<'a>(&self, mut path: impl Iterator<Item = &'a str>) -> usize {
        let next = path.next().and_then(|step| match &self.data {
            Data::Map(entries) => entries.iter().find(|(key, _)| key.name == step).map(|(_, node)| node),
            Data::List(items) => items.get(step.parse::<usize>().ok()?),
            Data::Scalar(_) => None,
        });
        next.map_or(self.line, |node| node.line_at(path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;
    use serde_json::json;

    #[test]
    fn values_keep_their_kind_their_order_and_their_line() {
        let node = parse("b: 1\na: [x, 1.5, true, null, \"1.0\"]\nc: { d: {} }\n").expect("YAML");
        assert_eq!(node.to_json(), json!({ "b": 1, "a": ["x", 1.5, true, null, "1.0"], "c": { "d": {} } }));
        assert_eq!(node.to_json().to_string().find("\"b\""), Some(1), "in the order of the file");
        assert_eq!(node.line_at(["a", "3"].into_iter()), 2);
        assert_eq!(node.line_at(["c", "d", "missing"].into_iter()), 3);
    }

    #[rstest]
    #[case::empty("", 1, "the file is empty")]
    #[case::two_documents("a: 1\n---\nb: 2\n", 3, "one document")]
    #[case::broken("a: 1\nb: [1, 2\nc: 3\n", 3, "this is not YAML")]
    #[case::key_twice("a: 1\nb: 2\na: 3\n", 3, "this is not YAML")]
    #[case::odd_key("a: 1\n2: b\n", 2, "a key must be a text")]
    #[case::tag("a: !odd 1\n", 1, "the tag")]
    #[case::infinite("a: .inf\n", 1, "JSON has no such number")]
    fn what_is_wrong_has_its_line(#[case] text: &str, #[case] line: usize, #[case] says: &str) {
        let problem = parse(text).expect_err("wrong");
        assert!(problem.message.contains(says), "{problem:?}");
        assert_eq!(problem.line, line, "{problem:?}");
    }

    #[test]
    fn what_is_large_or_deep_is_refused_before_it_is_parsed() {
        let stairs: Vec<String> = (0..1400).map(|at| format!("{}- \n", " ".repeat(at))).collect();
        for text in
            [stairs.concat(), format!("{}x", "- ".repeat(500_000)), format!("{}x", "? ".repeat(500_000))]
        {
            assert!(parse(&text).expect_err("too deep").message.contains("deeper than 200"));
        }
        assert!(parse(&"[".repeat(500_000)).is_err());
        assert!(parse(&"x".repeat(MOST_BYTES + 1)).expect_err("too large").message.contains("1048576 bytes"));
    }
}
