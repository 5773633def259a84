//! One `_index.yaml`: which tools it declares, as it is written. Nothing of what it points to is read here.

use std::time::Duration;

use rmcp::model::ToolAnnotations;
use serde_json::{Value, json};

use super::yaml::{Data, Key, Node, Problem, parse};
use crate::limits::MAX_TIMEOUT_MS;

/// The only version of the format that there is.
const VERSION: &str = "1.0";

/// The only kind of entry that there is: a function in a Lua file.
const KIND: &str = "function.lua";

/// The most characters that MCP allows in a tool's name.
const NAME_CHARS: usize = 128;

const TOP_KEYS: [&str; 3] = ["version", "namespace", "entries"];
const ENTRY_KEYS: [&str; 5] = ["name", "kind", "source", "method", "meta"];
const META_PREFIX: &str = "mcp.";
const META_KEYS: [&str; 10] = [
    "mcp.tool",
    "mcp.name",
    "mcp.title",
    "mcp.description",
    "mcp.inputSchema",
    "mcp.outputSchema",
    "mcp.annotations",
    "mcp.computer",
    "mcp.timeoutMs",
    "mcp.task",
];
const ANNOTATION_KEYS: [&str; 5] =
    ["title", "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];

/// Which computer runs a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// The one that the argument `computerId` names, which the tool gains.
    Argument,
    /// Any that is linked and can.
    Any,
    Id(u64),
    Label(String),
}

/// When a call becomes a task, for clients that know tasks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Tasks {
    #[default]
    Never,
    /// Where it takes longer than a moment.
    WhenLong,
    Always,
    /// Always, and clients that know no tasks cannot call it.
    Required,
}

/// A value with its line.
#[derive(Debug, Clone)]
pub struct At<T> {
    pub line: usize,
    pub value: T,
}

/// A tool as its entry declares it.
#[derive(Debug)]
pub struct Declared {
    pub name: At<String>,
    pub title: Option<String>,
    pub description: String,
    pub input: Schema,
    pub output: Option<Schema>,
    pub annotations: Option<ToolAnnotations>,
    pub target: Target,
    pub timeout: Option<Duration>,
    pub tasks: Tasks,
    /// What follows `file://`.
    pub source: At<String>,
    pub method: At<String>,
}

/// A schema as it is written, and the lines of its parts.
#[derive(Debug)]
pub struct Schema {
    pub json: Value,
    pub node: Option<Node>,
    /// The line to name where there is no node.
    pub line: usize,
}

impl Schema {
    /// The line of a place in the schema, as a JSON pointer names it.
    pub fn line_at(&self, pointer: &str) -> usize {
        self.node.as_ref().map_or(self.line, |node| node.line_at(pointer.split('/').skip(1)))
    }
}

/// Reads an index. What is wrong in one entry does not cost the others.
pub fn read(text: &str) -> (Vec<Declared>, Vec<Problem>) {
    let mut problems = Vec::new();
    let root = match parse(text) {
        Ok(root) => root,
        Err(problem) => return (Vec::new(), vec![problem]),
    };
    let Some(mut top) = Fields::of(root, "an index", &TOP_KEYS, &mut problems) else {
        return (Vec::new(), problems);
    };
    match top.take("version") {
        Some((_, node)) if node.as_text() == Some(VERSION) => {}
        Some((_, node)) => {
            problems.push(Problem::new(node.line, format!("`version` must be the text \"{VERSION}\"")));
        }
        None => problems.push(Problem::new(top.line, format!("`version: \"{VERSION}\"` is missing"))),
    }
    if top.text("namespace", &mut problems).is_none() && problems.is_empty() {
        problems.push(Problem::new(top.line, "`namespace` is missing"));
    }
    let entries = match top.take("entries") {
        Some((_, Node { data: Data::List(entries), .. })) => entries,
        Some((key, _)) => {
            problems.push(Problem::new(key.line, "`entries` must be a list"));
            Vec::new()
        }
        None => {
            problems.push(Problem::new(top.line, "`entries` is missing"));
            Vec::new()
        }
    };
    let declared = entries.into_iter().filter_map(|node| {
        let mut own = Vec::new();
        let declared = entry(node, &mut own);
        let sound = own.is_empty();
        problems.append(&mut own);
        declared.filter(|_| sound)
    });
    (declared.collect(), problems)
}

/// Reads one entry; nothing where it is no tool.
fn entry(node: Node, problems: &mut Vec<Problem>) -> Option<Declared> {
    let mut fields = Fields::of(node, "an entry", &ENTRY_KEYS, problems)?;
    let name = fields.required("name", problems);
    if let Some(kind) = fields.required("kind", problems)
        && kind.value != KIND
    {
        problems.push(Problem::new(kind.line, format!("`kind` must be `{KIND}`, not `{}`", kind.value)));
    }
    let source = fields.required("source", problems).and_then(|source| source_path(&source, problems));
    let method = fields.text("method", problems);
    let method = method.unwrap_or_else(|| At { line: fields.line, value: "call".to_owned() });
    let (_, meta) = fields.take("meta")?;
    let mut meta = Fields::of_meta(meta, problems)?;
    if !meta.flag("mcp.tool", problems)? {
        return None;
    }
    let tool_name = meta.text("mcp.name", problems).or(name)?;
    if !is_tool_name(&tool_name.value) {
        let message = format!(
            "`{}` is not a name for a tool: 1 to {NAME_CHARS} of A-Z, a-z, 0-9, `_`, `.` and `-`",
            tool_name.value
        );
        problems.push(Problem::new(tool_name.line, message));
    }
    let title = meta.text("mcp.title", problems).map(|title| title.value);
    let description = meta.required("mcp.description", problems).map(|text| text.value);
    let input = meta.take("mcp.inputSchema").map(schema);
    let output = meta.take("mcp.outputSchema").map(schema);
    let annotations = meta.take("mcp.annotations").and_then(|(_, node)| annotations(node, problems));
    let target =
        meta.take("mcp.computer").map_or(Some(Target::Argument), |(_, node)| target(&node, problems));
    let timeout = match meta.take("mcp.timeoutMs") {
        None => None,
        Some((_, node)) => {
            let millis = node.as_whole().filter(|millis| (1..=MAX_TIMEOUT_MS).contains(millis));
            if millis.is_none() {
                let message = format!("`mcp.timeoutMs` must be a whole number from 1 to {MAX_TIMEOUT_MS}");
                problems.push(Problem::new(node.line, message));
            }
            millis.map(Duration::from_millis)
        }
    };
    let tasks = meta.take("mcp.task").map_or(Some(Tasks::Never), |(_, node)| tasks(&node, problems));
    Some(Declared {
        input: input.unwrap_or_else(|| Schema {
            json: json!({ "type": "object", "properties": {}, "additionalProperties": false }),
            node: None,
            line: tool_name.line,
        }),
        name: tool_name,
        title,
        description: description?,
        output,
        annotations,
        target: target?,
        timeout,
        tasks: tasks?,
        source: source?,
        method,
    })
}

fn schema((key, node): (Key, Node)) -> Schema {
    Schema { json: node.to_json(), node: Some(node), line: key.line }
}

fn source_path(source: &At<String>, problems: &mut Vec<Problem>) -> Option<At<String>> {
    let Some(path) = source.value.strip_prefix("file://").filter(|path| !path.is_empty()) else {
        let message = format!("`source` must be like `file://tools/greet.lua`, not `{}`", source.value);
        problems.push(Problem::new(source.line, message));
        return None;
    };
    Some(At { line: source.line, value: path.to_owned() })
}

fn target(node: &Node, problems: &mut Vec<Problem>) -> Option<Target> {
    if let Some(id) = node.as_whole() {
        return Some(Target::Id(id));
    }
    match node.as_text() {
        Some("argument") => Some(Target::Argument),
        Some("any") => Some(Target::Any),
        Some(label) if !label.is_empty() => Some(Target::Label(label.to_owned())),
        _ => {
            let message = "`mcp.computer` must be `argument`, `any`, an id from 0, or a label";
            problems.push(Problem::new(node.line, message));
            None
        }
    }
}

fn tasks(node: &Node, problems: &mut Vec<Problem>) -> Option<Tasks> {
    match (node.as_bool(), node.as_text()) {
        (Some(false), _) => Some(Tasks::Never),
        (Some(true), _) => Some(Tasks::WhenLong),
        (_, Some("always")) => Some(Tasks::Always),
        (_, Some("required")) => Some(Tasks::Required),
        _ => {
            let message = "`mcp.task` must be true, false, `always` or `required`";
            problems.push(Problem::new(node.line, message));
            None
        }
    }
}

fn annotations(node: Node, problems: &mut Vec<Problem>) -> Option<ToolAnnotations> {
    let mut fields = Fields::of(node, "`mcp.annotations`", &ANNOTATION_KEYS, problems)?;
    let mut annotations = ToolAnnotations::default();
    annotations.title = fields.text("title", problems).map(|title| title.value);
    annotations.read_only_hint = fields.flag("readOnlyHint", problems);
    annotations.destructive_hint = fields.flag("destructiveHint", problems);
    annotations.idempotent_hint = fields.flag("idempotentHint", problems);
    annotations.open_world_hint = fields.flag("openWorldHint", problems);
    Some(annotations)
}

fn is_tool_name(name: &str) -> bool {
    (1..=NAME_CHARS).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte))
}

/// The keys of one table, taken out one by one.
struct Fields {
    line: usize,
    entries: Vec<(Key, Node)>,
}

impl Fields {
    /// Takes a table apart. A key that is not known is a problem.
    fn of(node: Node, what: &str, known: &[&str], problems: &mut Vec<Problem>) -> Option<Self> {
        let fields = Self::any(node, what, problems)?;
        fields.report_unknown(|name| known.contains(&name), known, problems);
        Some(fields)
    }

    /// Takes `meta` apart. What does not begin with `mcp.` is for others, and left alone.
    fn of_meta(node: Node, problems: &mut Vec<Problem>) -> Option<Self> {
        let fields = Self::any(node, "`meta`", problems)?;
        let is_known = |name: &str| !name.starts_with(META_PREFIX) || META_KEYS.contains(&name);
        fields.report_unknown(is_known, &META_KEYS, problems);
        Some(fields)
    }

    fn any(node: Node, what: &str, problems: &mut Vec<Problem>) -> Option<Self> {
        let line = node.line;
        let Data::Map(entries) = node.data else {
            problems.push(Problem::new(line, format!("{what} must be a table of keys and values")));
            return None;
        };
        Some(Self { line, entries })
    }

    fn report_unknown(&self, is_known: impl Fn(&str) -> bool, known: &[&str], problems: &mut Vec<Problem>) {
        for (key, _) in self.entries.iter().filter(|(key, _)| !is_known(&key.name)) {
            let message = format!("unknown key `{}`; there are `{}`", key.name, known.join("`, `"));
            problems.push(Problem::new(key.line, message));
        }
    }

    fn take(&mut self, name: &str) -> Option<(Key, Node)> {
        let at = self.entries.iter().position(|(key, _)| key.name == name)?;
        Some(self.entries.swap_remove(at))
    }

    /// A text that may be missing.
    fn text(&mut self, name: &str, problems: &mut Vec<Problem>) -> Option<At<String>> {
        let (_, node) = self.take(name)?;
        let text = node.as_text().filter(|text| !text.is_empty());
        if text.is_none() {
            problems.push(Problem::new(node.line, format!("`{name}` must be a text")));
        }
        text.map(|text| At { line: node.line, value: text.to_owned() })
    }

    /// A text that must be there.
    fn required(&mut self, name: &str, problems: &mut Vec<Problem>) -> Option<At<String>> {
        if !self.entries.iter().any(|(key, _)| key.name == name) {
            problems.push(Problem::new(self.line, format!("`{name}` is missing")));
            return None;
        }
        self.text(name, problems)
    }

    /// True or false; may be missing.
    fn flag(&mut self, name: &str, problems: &mut Vec<Problem>) -> Option<bool> {
        let (_, node) = self.take(name)?;
        let flag = node.as_bool();
        if flag.is_none() {
            problems.push(Problem::new(node.line, format!("`{name}` must be true or false")));
        }
        flag
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    const GREET: &str = r#"version: "1.0"
namespace: mytools
entries:
  - name: greet
    kind: function.lua
    source: file://tools/greet.lua
    method: call
    meta:
      mcp.tool: true
      mcp.name: "greet"
      mcp.description: "Greet someone by name"
      mcp.inputSchema: { type: object, properties: { name: { type: string } }, required: [name] }
      mcp.annotations: { readOnlyHint: true }
"#;

    #[test]
    fn a_tool_is_read_as_it_is_declared() {
        let (declared, problems) = read(GREET);
        assert_eq!(problems, []);
        let [tool] = &declared[..] else { panic!("one tool: {declared:?}") };
        assert_eq!((tool.name.value.as_str(), tool.name.line), ("greet", 10));
        assert_eq!((tool.source.value.as_str(), tool.source.line), ("tools/greet.lua", 6));
        assert_eq!(tool.method.value, "call");
        assert_eq!(tool.target, Target::Argument);
        assert_eq!(tool.input.json["properties"]["name"]["type"], "string");
        assert_eq!(tool.annotations.as_ref().and_then(|hints| hints.read_only_hint), Some(true));
    }

    #[test]
    fn an_entry_that_is_no_tool_is_passed_over() {
        for meta in ["mcp.tool: false", "comment: x"] {
            let (declared, problems) = read(&GREET.replace("mcp.tool: true", meta));
            assert!(declared.is_empty() && problems.is_empty(), "{problems:?}");
        }
    }

    #[test]
    fn what_belongs_to_other_programs_in_meta_is_left_alone() {
        let (declared, problems) = read(&GREET.replace("mcp.tool: true", "mcp.tool: true\n      tags: [a]"));
        assert_eq!((declared.len(), problems), (1, vec![]));
    }

    #[rstest]
    #[case("mcp.computer: any", Target::Any)]
    #[case("mcp.computer: argument", Target::Argument)]
    #[case("mcp.computer: 12", Target::Id(12))]
    #[case("mcp.computer: base-turtle", Target::Label("base-turtle".into()))]
    #[case("mcp.computer: \"12\"", Target::Label("12".into()))]
    fn each_kind_of_target_is_read(#[case] line: &str, #[case] expected: Target) {
        let (declared, problems) = read(&format!("{GREET}      {line}\n"));
        assert_eq!(problems, []);
        assert_eq!(declared[0].target, expected);
    }

    #[rstest]
    #[case::version("version: \"1.0\"", "version: 2", 1, "`version` must be the text \"1.0\"")]
    #[case::no_version("version: \"1.0\"\n", "", 1, "`version: \"1.0\"` is missing")]
    #[case::namespace("namespace: mytools\n", "", 1, "`namespace` is missing")]
    #[case::top_key("namespace: mytools", "namespace: m\nentires: []", 3, "unknown key `entires`")]
    #[case::entry_key("method: call", "mehtod: call", 7, "unknown key `mehtod`")]
    #[case::meta_key("mcp.name", "mcp.nmae", 10, "unknown key `mcp.nmae`")]
    #[case::kind("function.lua", "function.js", 5, "`kind` must be `function.lua`, not `function.js`")]
    #[case::source("file://tools/greet.lua", "tools/greet.lua", 6, "`source` must be like `file://")]
    #[case::no_source("    source: file://tools/greet.lua\n", "", 4, "`source` is missing")]
    #[case::tool("mcp.tool: true", "mcp.tool: yes please", 9, "`mcp.tool` must be true or false")]
    #[case::name("mcp.name: \"greet\"", "mcp.name: \"greet me\"", 10, "`greet me` is not a name for a tool")]
    #[case::no_description(
        "      mcp.description: \"Greet someone by name\"\n",
        "",
        9,
        "`mcp.description` is missing"
    )]
    #[case::empty("\"Greet someone by name\"", "\"\"", 11, "`mcp.description` must be a text")]
    #[case::hint("readOnlyHint: true", "readonly: true", 13, "unknown key `readonly`")]
    #[case::hint_value("readOnlyHint: true", "readOnlyHint: 1", 13, "`readOnlyHint` must be true or false")]
    fn what_is_wrong_is_said_with_its_line(
        #[case] from: &str,
        #[case] to: &str,
        #[case] line: usize,
        #[case] says: &str,
    ) {
        let (declared, problems) = read(&GREET.replace(from, to));
        let [problem] = &problems[..] else { panic!("one problem: {problems:?}") };
        assert!(problem.message.contains(says), "{problem:?}");
        assert_eq!(problem.line, line, "{problem:?}");
        let top = ["version", "namespace", "entires"].iter().any(|key| says.contains(key));
        assert_eq!(declared.len(), usize::from(top), "an entry with a problem is not served");
    }

    #[rstest]
    #[case("mcp.timeoutMs: 0", "`mcp.timeoutMs` must be a whole number")]
    #[case("mcp.timeoutMs: soon", "`mcp.timeoutMs` must be a whole number")]
    #[case("mcp.computer: -1", "`mcp.computer` must be `argument`, `any`")]
    #[case("mcp.computer: [1]", "`mcp.computer` must be `argument`, `any`")]
    #[case("mcp.task: often", "`mcp.task` must be true, false, `always` or `required`")]
    fn wrong_values_of_optional_keys_are_said(#[case] line: &str, #[case] says: &str) {
        let (declared, problems) = read(&format!("{GREET}      {line}\n"));
        assert!(declared.is_empty() && problems.len() == 1, "{problems:?}");
        assert!(problems[0].message.contains(says) && problems[0].line == 14, "{problems:?}");
    }

    #[test]
    fn one_broken_entry_does_not_cost_the_others() {
        let second = GREET.split_once("entries:\n").expect("there").1.replace("greet", "other");
        let (declared, problems) = read(&format!("{}{second}", GREET.replace("method:", "mehtod:")));
        assert_eq!(declared.iter().map(|tool| tool.name.value.as_str()).collect::<Vec<_>>(), ["other"]);
        assert_eq!(problems.len(), 1);
    }
}
