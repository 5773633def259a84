//! One server of a file: every key that the hosts document, read into a [`ServerSpec`]. An unknown key is a problem.

use std::collections::BTreeMap;
use std::path::PathBuf;

use http::{HeaderName, HeaderValue};
use url::Url;

use super::dialect::Dialect;
use super::document::Node;
use super::expand::{Scope, Unresolved, read_small, read_variables};
use super::problem::Problem;
use crate::spec::{Hidden, LocalSpec, RemoteSpec, ServerSpec, Timeouts, TransportSpec};
use crate::text::nearest;

/// Keys that the hosts document and that change nothing here: what an agent may do, how it signs in, how it looks.
const LEFT_TO_THE_AGENT: [&str; 14] = [
    "alwaysAllow",
    "alwaysLoad",
    "auth",
    "autoApprove",
    "codemode",
    "description",
    "disabledTools",
    "headersHelper",
    "icon",
    "instructions",
    "name",
    "oauth",
    "tools",
    "trust",
];

/// Keys that are read, for hints.
const KNOWN: [&str; 14] = [
    "args",
    "command",
    "cwd",
    "disabled",
    "enabled",
    "env",
    "envFile",
    "environment",
    "headers",
    "startup",
    "timeout",
    "transport",
    "type",
    "url",
];

/// Headers that the protocol itself needs.
const RESERVED: [&str; 4] = ["accept", "last-event-id", "mcp-protocol-version", "mcp-session-id"];

/// The keys of one entry, before they are put together.
#[derive(Default)]
struct Keys<'a> {
    kind: Option<Node<'a>>,
    command: Option<Node<'a>>,
    arguments: Option<Node<'a>>,
    environment: Option<Node<'a>>,
    environment_file: Option<Node<'a>>,
    folder: Option<Node<'a>>,
    url: Option<Node<'a>>,
    headers: Option<Node<'a>>,
    timeout: Option<Node<'a>>,
    notes: Vec<Problem>,
}

/// What an entry says.
#[derive(Debug)]
pub struct Read {
    pub spec: ServerSpec,
    /// What was left out of account.
    pub notes: Vec<Problem>,
}

/// Tells whether an entry is switched off, whatever else is in it.
pub fn is_disabled(entry: &Node<'_>) -> bool {
    let says = |key, value| entry.get(key).and_then(|node| node.boolean().ok()) == Some(value);
    says("enabled", false) || says("disabled", true)
}

/// Reads an entry.
pub fn read(id: &str, entry: &Node<'_>, scope: &Scope<'_>) -> Result<Read, Problem> {
    if id.is_empty() || id.trim() != id || id.chars().any(char::is_control) {
        return Err(entry.problem("this is not a name for a server"));
    }
    let mut keys = keys(entry)?;
    let timeouts = match keys.timeout.take() {
        Some(node) => timeouts(&node, scope.dialect)?,
        None => Timeouts::default(),
    };
    let kind = keys.kind.take().map(|node| kind(&node)).transpose()?;
    let kind = kind.or_else(|| keys.command.as_ref().map(|_| Kind::Local));
    let kind = kind.or_else(|| keys.url.as_ref().map(|_| Kind::Remote));
    let transport = match kind {
        Some(Kind::Local) => {
            unexpected(&[&keys.url, &keys.headers], "a local server has a `command`")?;
            TransportSpec::Local(local(entry, &keys, scope)?)
        }
        Some(Kind::Remote) => {
            let local =
                [&keys.command, &keys.arguments, &keys.environment, &keys.environment_file, &keys.folder];
            unexpected(&local, "a remote server has a `url` and `headers`")?;
            TransportSpec::Remote(remote(entry, &keys, scope)?)
        }
        None => {
            return Err(entry.problem_with(
                "it has neither `command` nor `url`",
                "a local server has a `command`, a remote one a `url`",
            ));
        }
    };
    Ok(Read { spec: ServerSpec { id: id.to_owned(), transport, timeouts }, notes: keys.notes })
}

fn keys<'a>(entry: &Node<'a>) -> Result<Keys<'a>, Problem> {
    let mut keys = Keys::default();
    for (name, node) in entry.properties()? {
        let place = match name {
            "type" | "transport" => &mut keys.kind,
            "command" => &mut keys.command,
            "args" => &mut keys.arguments,
            "env" | "environment" => &mut keys.environment,
            "envFile" => &mut keys.environment_file,
            "cwd" => &mut keys.folder,
            "url" => &mut keys.url,
            "headers" => &mut keys.headers,
            "timeout" => &mut keys.timeout,
            "enabled" | "disabled" => {
                node.boolean()?;
                continue;
            }
            name if LEFT_TO_THE_AGENT.contains(&name) => {
                keys.notes.push(node.problem(format!("`{name}` is not followed here")));
                continue;
            }
            name => {
                let message = format!("`{name}` is not a key of a server");
                return Err(match nearest(name, KNOWN) {
                    Some(near) => node.problem_with(message, format!("did you mean `{near}`?")),
                    None => node.problem(message),
                });
            }
        };
        if place.is_some() {
            return Err(node.problem(format!("`{name}` says again what another key has said")));
        }
        *place = Some(node);
    }
    Ok(keys)
}

enum Kind {
    Local,
    Remote,
}

fn kind(node: &Node<'_>) -> Result<Kind, Problem> {
    match node.string()? {
        "local" | "stdio" => Ok(Kind::Local),
        "remote" | "http" | "streamable-http" | "streamableHttp" | "streamable_http" => Ok(Kind::Remote),
        "sse" => Err(node.problem_with(
            "the HTTP+SSE transport of 2024 is not spoken here",
            "most such servers have a streamable HTTP address too, often `/mcp` in place of `/sse`",
        )),
        other => Err(node.problem_with(
            format!("`{other}` is no kind of server"),
            "`local` or `stdio` is a program, `remote` or `http` an address",
        )),
    }
}

fn unexpected(nodes: &[&Option<Node<'_>>], why: &str) -> Result<(), Problem> {
    match nodes.iter().find_map(|node| node.as_ref()) {
        Some(node) => Err(node.problem(format!("this does not belong here: {why}"))),
        None => Ok(()),
    }
}

fn local(entry: &Node<'_>, keys: &Keys<'_>, scope: &Scope<'_>) -> Result<LocalSpec, Problem> {
    let Some(command) = &keys.command else {
        return Err(entry.problem("it has no `command`"));
    };
    let mut words = if command.value.as_array().is_some() {
        strings(command, scope)?
    } else {
        vec![string(command, scope)?]
    };
    if let Some(arguments) = &keys.arguments {
        words.extend(strings(arguments, scope)?);
    }
    if words.first().is_none_or(|program| program.trim().is_empty()) {
        return Err(command.problem("the command is empty"));
    }
    let mut environment = BTreeMap::new();
    if let Some(node) = &keys.environment_file {
        let path = scope.workspace.join(string(node, scope)?);
        let pairs = read_small(&path).and_then(|text| read_variables(&text));
        let pairs = pairs.map_err(|error| unresolved(node, error))?;
        environment.extend(pairs.into_iter().map(|(name, value)| (name, Hidden::new(value))));
    }
    if let Some(node) = &keys.environment {
        for (name, value) in node.properties()? {
            if name.is_empty() || name.contains(['=', '\0']) {
                return Err(value.problem(format!("`{name}` cannot be a variable")));
            }
            let text = string(&value, scope)?;
            if text.contains('\0') {
                return Err(value.problem("a variable cannot hold a zero byte"));
            }
            environment.insert(name.to_owned(), Hidden::new(text));
        }
    }
    let folder = match &keys.folder {
        Some(node) => scope.workspace.join(string(node, scope)?),
        None => PathBuf::from(scope.workspace),
    };
    let program = words.remove(0);
    Ok(LocalSpec { program, arguments: words, environment, folder })
}

fn remote(entry: &Node<'_>, keys: &Keys<'_>, scope: &Scope<'_>) -> Result<RemoteSpec, Problem> {
    let Some(node) = &keys.url else {
        return Err(entry.problem("it has no `url`"));
    };
    let url = string(node, scope)?;
    let parsed =
        Url::parse(&url).map_err(|error| node.problem(format!("`{url}` is not an address: {error}")))?;
    if !matches!(parsed.scheme(), "http" | "https") || !parsed.has_host() {
        return Err(node.problem(format!("`{url}` is not an HTTP address")));
    }
    let mut headers = BTreeMap::new();
    if let Some(node) = &keys.headers {
        for (name, value) in node.properties()? {
            let lower = name.to_ascii_lowercase();
            if HeaderName::try_from(name).is_err() || RESERVED.contains(&lower.as_str()) {
                return Err(value.problem(format!("`{name}` cannot be set as a header")));
            }
            let text = string(&value, scope)?;
            if HeaderValue::try_from(&text).is_err() {
                return Err(value.problem("a header cannot hold this: line breaks and control characters"));
            }
            headers.insert(name.to_owned(), Hidden::new(text));
        }
    }
    Ok(RemoteSpec { url, headers })
}

/// A number is what its host means by it: opencode's is for the start, Claude Code's for a call.
fn timeouts(node: &Node<'_>, dialect: Dialect) -> Result<Timeouts, Problem> {
    if node.value.as_object().is_some() {
        let mut timeouts = Timeouts::default();
        for (name, node) in node.properties()? {
            match name {
                "startup" => timeouts.start = Some(node.milliseconds()?),
                "request" => timeouts.call = Some(node.milliseconds()?),
                _ => return Err(node.problem("a timeout has `startup` and `request`")),
            }
        }
        return Ok(timeouts);
    }
    let time = Some(node.milliseconds()?);
    Ok(match dialect {
        Dialect::Opencode => Timeouts { start: time, call: None },
        Dialect::Claude | Dialect::Cursor => Timeouts { start: None, call: time },
        Dialect::Dispatch => Timeouts { start: time, call: time },
    })
}

fn strings(node: &Node<'_>, scope: &Scope<'_>) -> Result<Vec<String>, Problem> {
    node.items()?.iter().map(|item| string(item, scope)).collect()
}

fn string(node: &Node<'_>, scope: &Scope<'_>) -> Result<String, Problem> {
    scope.expand(node.string()?).map_err(|error| unresolved(node, error))
}

fn unresolved(node: &Node<'_>, error: Unresolved) -> Problem {
    let mut problem = node.problem(error.message);
    problem.hint = error.hint;
    problem
}
