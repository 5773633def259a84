//! Whose file it is. The hosts differ in where the servers stand, how variables are written and what a time means.

use std::path::Path;

use super::document::Node;
use super::problem::Problem;

/// The host that a file was written for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// `.dispatch/mcp.json`: plain JSON, `servers`, no variables.
    Dispatch,
    /// `opencode.json`: comments, `mcp` or `mcp.servers`, `{env:NAME}` and `{file:PATH}`.
    Opencode,
    /// `.mcp.json` of Claude Code: plain JSON, `mcpServers`, `${NAME}` and `${NAME:-default}`.
    Claude,
    /// `.cursor/mcp.json`: comments, `mcpServers`, `${env:NAME}`, `${workspaceFolder}` and the like.
    Cursor,
}

/// What a file may be called and whose it is, in the order in which they count.
pub const FILES: [(&str, Dialect); 5] = [
    (".dispatch/mcp.json", Dialect::Dispatch),
    ("opencode.json", Dialect::Opencode),
    ("opencode.jsonc", Dialect::Opencode),
    (".mcp.json", Dialect::Claude),
    (".cursor/mcp.json", Dialect::Cursor),
];

/// The servers of a file.
#[derive(Debug)]
pub struct Servers<'a> {
    pub dialect: Dialect,
    /// In order; a name may be there twice.
    pub entries: Vec<(&'a str, Node<'a>)>,
}

impl Dialect {
    pub fn allows_comments(self) -> bool {
        matches!(self, Self::Opencode | Self::Cursor)
    }
}

/// Finds the servers in a file whose host is known. Only opencode's may speak of other things alone.
pub fn servers<'a>(dialect: Dialect, top: &Node<'a>) -> Result<Option<Servers<'a>>, Problem> {
    top.object()?;
    let Some(holder) = keys(dialect).iter().find_map(|key| top.get(key)) else {
        return match dialect {
            Dialect::Opencode => Ok(None),
            _ => {
                Err(top.problem_with("it names no servers", format!("they stand in `{}`", keys(dialect)[0])))
            }
        };
    };
    let holder = match dialect {
        Dialect::Opencode => newer_layout(&holder)?.unwrap_or(holder),
        _ => holder,
    };
    Ok(Some(Servers { dialect, entries: holder.all_properties()? }))
}

/// Finds the servers in a file that was named by hand: its name says whose it is, or the key in it.
pub fn guess<'a>(file: &Path, top: &Node<'a>) -> Result<Servers<'a>, Problem> {
    let named = FILES.iter().find(|(name, _)| file.ends_with(name)).map(|(_, dialect)| *dialect);
    let keyed = [Dialect::Claude, Dialect::Opencode, Dialect::Dispatch]
        .into_iter()
        .find(|dialect| top.get(keys(*dialect)[0]).is_some());
    let found = match named.or(keyed) {
        Some(dialect) => servers(dialect, top)?,
        None => None,
    };
    found.ok_or_else(|| {
        top.problem_with(
            "it names no servers",
            "they stand in `mcpServers` (Claude Code, Cursor), `mcp` (opencode) or `servers`",
        )
    })
}

/// Where the servers stand; the first is the host's own.
fn keys(dialect: Dialect) -> &'static [&'static str] {
    match dialect {
        Dialect::Dispatch => &["servers", "mcpServers"],
        Dialect::Opencode => &["mcp"],
        Dialect::Claude | Dialect::Cursor => &["mcpServers"],
    }
}

/// `mcp.servers` of opencode 2, unless it is a server of the older layout that happens to be called `servers`.
fn newer_layout<'a>(mcp: &Node<'a>) -> Result<Option<Node<'a>>, Problem> {
    let Some(servers) = mcp.get("servers") else { return Ok(None) };
    let is_server = |node: &Node<'_>| {
        ["type", "command", "url", "enabled"]
            .iter()
            .any(|key| node.get(key).is_some_and(|value| value.value.as_object().is_none()))
    };
    if is_server(&servers) {
        return Ok(None);
    }
    for (name, other) in mcp.properties()? {
        if name != "servers" && name != "timeout" && is_server(&other) {
            return Err(other.problem_with(
                format!("`{name}` stands beside `servers`: this file has both layouts of opencode"),
                "move it into `servers`, or the servers out of it",
            ));
        }
    }
    Ok(Some(servers))
}
