//! All tools that some folders declare, checked; and everything that is wrong with the others.

use std::collections::HashMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{JsonObject, Tool};
use serde_json::{Map, Value, json};

use super::finding::Finding;
use super::handler::{Handler, Place};
use super::index::{self, Declared, Target, Tasks};
use super::schema::Checker;
use super::yaml::{MOST_BYTES, Problem};
use crate::mcp::built_in;

/// The file that declares tools.
const INDEX: &str = "_index.yaml";

/// The argument that a tool gains whose caller chooses the computer.
pub const COMPUTER_ID: &str = "computerId";

/// A declared tool that can be called.
#[derive(Debug)]
pub struct LuaTool {
    /// As clients see it.
    pub listed: Tool,
    pub target: Target,
    pub timeout: Option<Duration>,
    /// When a call becomes a task.
    pub tasks: Tasks,
    pub handler: Arc<Handler>,
    /// The field of what the handler returns that is called.
    pub method: String,
    arguments: Checker,
    output: Option<Checker>,
    /// Where it is declared, for messages.
    place: String,
}

impl LuaTool {
    /// What is wrong with the arguments of a call.
    pub fn wrong_arguments(&self, arguments: &Value) -> Option<String> {
        self.arguments.problem(arguments, "argument")
    }

    /// What is wrong with the structured content of a result, where the tool has promised a shape.
    pub fn wrong_output(&self, content: Option<&Value>) -> Option<String> {
        let output = self.output.as_ref()?;
        match content {
            Some(content) => output.problem(content, "field"),
            None => Some("there is no `structuredContent`".to_owned()),
        }
    }

    /// All that a client or a computer can tell two versions of the tool apart by.
    fn is_like(&self, other: &Self) -> bool {
        self.listed == other.listed
            && self.target == other.target
            && self.timeout == other.timeout
            && self.tasks == other.tasks
            && self.handler.hash == other.handler.hash
            && self.method == other.method
    }
}

/// The tools of some folders.
#[derive(Debug, Default)]
pub struct Catalog {
    /// In the order of the folders, and in each of the paths of their indexes.
    tools: Vec<Arc<LuaTool>>,
    by_name: HashMap<String, usize>,
    /// Why tools are not served, by their names.
    broken: HashMap<String, String>,
    pub indexes: usize,
    pub findings: Vec<Finding>,
}

impl Catalog {
    /// Reads every index below the folders. What is wrong is found, and costs only the tool that it concerns.
    pub fn load(folders: &[PathBuf]) -> Self {
        let mut catalog = Self::default();
        for folder in folders {
            let mut indexes = Vec::new();
            find_indexes(folder, &mut indexes, &mut catalog.findings);
            for index in indexes {
                catalog.indexes += 1;
                catalog.read(Place { root: folder, index: &index });
            }
        }
        catalog
    }

    fn read(&mut self, place: Place<'_>) {
        let mut text = String::new();
        // One byte more than it may have: the parser says that it is too large.
        let file = std::fs::File::open(place.index);
        let read = file.and_then(|file| file.take(MOST_BYTES as u64 + 1).read_to_string(&mut text));
        let text = match read.map(|_| text) {
            Ok(text) => text,
            Err(error) => {
                self.findings.push(Finding::new(place.index, None, format!("failed to read it: {error}")));
                return;
            }
        };
        let (declared, problems) = index::read(&text);
        self.findings.extend(problems.into_iter().map(|problem| located(place.index, problem)));
        for tool in declared {
            self.add(place, tool);
        }
    }

    fn add(&mut self, place: Place<'_>, declared: Declared) {
        let line = declared.name.line;
        let name = &declared.name.value;
        if built_in::NAMES.contains(&name.as_str()) {
            let message = format!("the bridge has a tool `{name}` of its own");
            return self.findings.push(Finding::new(place.index, Some(line), message));
        }
        if let Some(at) = self.by_name.get(name) {
            let message = format!("there is a tool `{name}` already, at {}", self.tools[*at].place);
            return self.findings.push(Finding::new(place.index, Some(line), message));
        }
        let name = name.clone();
        match build(place, declared) {
            Ok(tool) => {
                self.by_name.insert(tool.listed.name.to_string(), self.tools.len());
                self.tools.push(Arc::new(tool));
            }
            Err(mut findings) => {
                let why: Vec<String> = findings.iter().map(ToString::to_string).collect();
                self.broken.insert(name, why.join("\n"));
                self.findings.append(&mut findings);
            }
        }
    }

    /// Why a tool that is declared is not served.
    pub fn why_not(&self, name: &str) -> Option<&str> {
        self.broken.get(name).map(String::as_str)
    }

    pub fn tools(&self) -> &[Arc<LuaTool>] {
        &self.tools
    }

    pub fn get(&self, name: &str) -> Option<&Arc<LuaTool>> {
        self.by_name.get(name).map(|at| &self.tools[*at])
    }

    /// Tells whether something is wrong, or gone, that was not before.
    pub fn is_worse_than(&self, before: &Self) -> bool {
        self.findings.iter().any(|finding| !before.findings.contains(finding))
            || before.tools.iter().any(|tool| self.get(&tool.listed.name).is_none())
    }

    /// Tells whether clients and computers would see no difference.
    pub fn is_like(&self, other: &Self) -> bool {
        self.tools.len() == other.tools.len()
            && self.tools.iter().zip(&other.tools).all(|(one, other)| one.is_like(other))
    }
}

fn located(path: &Path, problem: Problem) -> Finding {
    Finding::new(path, Some(problem.line), problem.message)
}

fn build(place: Place<'_>, declared: Declared) -> Result<LuaTool, Vec<Finding>> {
    let mut findings = Vec::new();
    let mut keep = |problem: Problem| findings.push(located(place.index, problem));
    let input = match declared.target {
        Target::Argument => with_computer_id(&declared.input.json),
        _ => Ok(declared.input.json.clone()),
    };
    let input =
        input.map_err(|message| Problem::new(declared.input.line_at("/properties/computerId"), message));
    let arguments = input.and_then(|json| Ok((Checker::new(&declared.input, &json)?, json)));
    let arguments = arguments.map_err(&mut keep).ok();
    let output = declared.output.as_ref().map(|schema| Checker::new(schema, &schema.json));
    let output = output.transpose().map_err(&mut keep);
    let handler = Handler::read(place, &declared.source);
    let handler = handler.map_err(|mut more| findings.append(&mut more)).ok();
    let (Some((arguments, input)), Ok(output), Some(handler)) = (arguments, output, handler) else {
        return Err(findings);
    };
    let mut listed = Tool::new(declared.name.value, declared.description, object(input));
    listed.title = declared.title;
    listed.annotations = declared.annotations;
    listed.output_schema = declared.output.map(|schema| object(schema.json));
    Ok(LuaTool {
        listed,
        target: declared.target,
        timeout: declared.timeout,
        tasks: declared.tasks,
        handler: Arc::new(handler),
        method: declared.method.value,
        arguments,
        output,
        place: format!("{}:{}", place.index.display(), declared.name.line),
    })
}

/// Adds the argument that names the computer, before the tool's own.
fn with_computer_id(schema: &Value) -> Result<Value, String> {
    let mut schema = schema.clone();
    let Value::Object(object) = &mut schema else { return Ok(schema) };
    let mut properties = Map::new();
    let described =
        json!({ "type": "integer", "minimum": 0, "description": "Id of the computer that runs the tool" });
    properties.insert(COMPUTER_ID.to_owned(), described);
    match object.remove("properties") {
        None => {}
        Some(Value::Object(own)) if own.contains_key(COMPUTER_ID) => {
            return Err(format!(
                "`{COMPUTER_ID}` is added to the tool by the bridge; name yours differently, or set `mcp.computer`"
            ));
        }
        Some(Value::Object(own)) => properties.extend(own),
        // No schema: the checker says so.
        Some(other) => {
            object.insert("properties".to_owned(), other);
            return Ok(schema);
        }
    }
    object.insert("properties".to_owned(), Value::Object(properties));
    let mut required = vec![Value::from(COMPUTER_ID)];
    match object.get("required") {
        None => {}
        Some(Value::Array(own)) => required.extend(own.iter().cloned()),
        // No schema: the checker says so.
        Some(_) => return Ok(schema),
    }
    object.insert("required".to_owned(), Value::Array(required));
    Ok(schema)
}

fn object(value: Value) -> Arc<JsonObject> {
    match value {
        Value::Object(object) => Arc::new(object),
        _ => unreachable!("a checker takes objects only"),
    }
}

/// Finds the indexes in a folder and in those below it, in the order of their paths. Hidden folders, and links to
/// folders, are left out.
fn find_indexes(folder: &Path, indexes: &mut Vec<PathBuf>, findings: &mut Vec<Finding>) {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) => {
            findings.push(Finding::new(folder, None, format!("failed to read the folder: {error}")));
            return;
        }
    };
    let mut entries: Vec<_> = entries.filter_map(Result::ok).collect();
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in &entries {
        // A link may lead out of the folder that was named.
        if entry.file_name() == INDEX && entry.file_type().is_ok_and(|kind| kind.is_file()) {
            indexes.push(entry.path());
        }
    }
    for entry in &entries {
        let hidden = entry.file_name().to_string_lossy().starts_with('.');
        if !hidden && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            find_indexes(&entry.path(), indexes, findings);
        }
    }
}
