//! Which file counts for a folder: the nearest, and in one folder the first of the known names. What it shadows is said.

use std::path::{Path, PathBuf};

use thiserror::Error;

use super::dialect::{Dialect, FILES, Servers, guess, servers};
use super::document::{Document, Node};
use super::entry;
use super::expand::Scope;
use super::problem::Problem;
use super::surroundings::Surroundings;
use crate::spec::ServerSpec;

/// A configuration is written by hand; a file of this size is something else.
const FILE_BYTES: u64 = 1024 * 1024;

/// Why there are no servers at all.
#[derive(Debug, Error)]
pub enum ConfigError {
    #[error(
        "no configuration of MCP servers for `{}`\nhint: write `.mcp.json`, or name a file with `--config`; looked for {}",
        .folder.display(), names()
    )]
    None { folder: PathBuf },
    #[error("failed to read `{}`", .path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error("`{}` has {bytes} bytes, and a configuration has at most {FILE_BYTES}", .path.display())]
    TooLarge { path: PathBuf, bytes: u64 },
    #[error("`{}` is not UTF-8 text", .path.display())]
    NotText { path: PathBuf },
    #[error("failed to understand a configuration of MCP servers: {0}")]
    Wrong(Box<Problem>),
    #[error("failed to find out which folder this is")]
    Folder(#[source] std::io::Error),
}

/// One entry of the file that counts.
#[derive(Debug, Clone)]
pub enum Entry {
    Server(ServerSpec),
    Disabled { id: String },
    Broken { id: String, problem: Box<Problem> },
}

impl Entry {
    pub fn id(&self) -> &str {
        match self {
            Self::Server(spec) => &spec.id,
            Self::Disabled { id } | Self::Broken { id, .. } => id,
        }
    }
}

/// The servers for a folder.
#[derive(Debug, Clone, Default)]
pub struct Configuration {
    /// Where they come from; none where they were put together by hand.
    pub file: Option<PathBuf>,
    /// In the order of the file.
    pub entries: Vec<Entry>,
    /// Files that also name servers and do not count.
    pub shadowed: Vec<PathBuf>,
    /// What was left out of account.
    pub notes: Vec<Problem>,
}

impl Configuration {
    /// The servers given, and no others.
    pub fn of(servers: impl IntoIterator<Item = ServerSpec>) -> Self {
        let entries = servers.into_iter().map(Entry::Server).collect();
        Self { entries, ..Self::default() }
    }

    /// Reads the file that was named, or the one that counts for a folder.
    pub fn resolve(surroundings: &Surroundings, named: Option<&Path>) -> Result<Self, ConfigError> {
        let mut found = match named {
            Some(path) => Some(read_named(&surroundings.folder.join(path), surroundings)?),
            None => None,
        };
        let mut shadowed = Vec::new();
        for folder in surroundings.folders() {
            for (name, dialect) in FILES {
                let path = folder.join(name);
                match &found {
                    None => {
                        if let Some(text) = read(&path)? {
                            found = take(&path, &text, Some(dialect), folder, surroundings)?;
                        }
                    }
                    Some(counts) if counts.file.as_deref() == Some(&path) => {}
                    Some(_) if names_servers(&path, dialect) => shadowed.push(path),
                    Some(_) => {}
                }
            }
        }
        let mut found = found.ok_or_else(|| ConfigError::None { folder: surroundings.folder.clone() })?;
        found.shadowed = shadowed;
        Ok(found)
    }
}

fn read_named(path: &Path, surroundings: &Surroundings) -> Result<Configuration, ConfigError> {
    let missing = || ConfigError::Read { path: path.to_owned(), source: std::io::ErrorKind::NotFound.into() };
    let text = read(path)?.ok_or_else(missing)?;
    let taken = take(path, &text, None, &surroundings.folder, surroundings)?;
    Ok(taken.expect("a file that names no servers is a problem when its host is guessed"))
}

fn names() -> String {
    FILES.map(|(name, _)| format!("`{name}`")).join(", ")
}

/// The text of a file; nothing where there is none.
fn read(path: &Path) -> Result<Option<String>, ConfigError> {
    let failed = |source| ConfigError::Read { path: path.to_owned(), source };
    let bytes = match std::fs::metadata(path) {
        Ok(found) if found.is_file() => found.len(),
        Ok(_) => return Ok(None),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    if bytes > FILE_BYTES {
        return Err(ConfigError::TooLarge { path: path.to_owned(), bytes });
    }
    let text = std::fs::read(path).map_err(failed)?;
    let text = String::from_utf8(text).map_err(|_| ConfigError::NotText { path: path.to_owned() })?;
    Ok(Some(text.strip_prefix('\u{feff}').map(ToOwned::to_owned).unwrap_or(text)))
}

/// Tells whether a file that does not count names servers. One that cannot be read has none that anybody would miss.
fn names_servers(path: &Path, dialect: Dialect) -> bool {
    let Ok(Some(text)) = read(path) else { return false };
    let document = Document { file: path, text: &text };
    let Ok(value) = document.parse(dialect.allows_comments()) else { return false };
    let found = servers(dialect, &Node::top(document, &value));
    found.is_ok_and(|found| found.is_some_and(|found| !found.entries.is_empty()))
}

/// Reads the servers of a file; nothing where it is a file of settings that does not speak of servers.
fn take(
    path: &Path,
    text: &str,
    dialect: Option<Dialect>,
    workspace: &Path,
    surroundings: &Surroundings,
) -> Result<Option<Configuration>, ConfigError> {
    let wrong = |problem| ConfigError::Wrong(Box::new(problem));
    let document = Document { file: path, text };
    let value = document.parse(dialect.is_none_or(Dialect::allows_comments)).map_err(wrong)?;
    let top = Node::top(document, &value);
    let found = match dialect {
        Some(dialect) => servers(dialect, &top).map_err(wrong)?,
        None => Some(guess(path, &top).map_err(wrong)?),
    };
    let Some(Servers { dialect, entries }) = found else { return Ok(None) };
    let beside = path.parent().unwrap_or(workspace);
    let scope = Scope { dialect, surroundings, workspace, beside };
    let mut configuration = Configuration { file: Some(path.to_owned()), ..Configuration::default() };
    for (id, node) in entries {
        if configuration.entries.iter().any(|entry| entry.id() == id) {
            let problem = Box::new(node.problem(format!("two servers are called `{id}`")));
            configuration.entries.retain(|entry| entry.id() != id);
            configuration.entries.push(Entry::Broken { id: id.to_owned(), problem });
            continue;
        }
        configuration.entries.push(match entry::read(id, &node, &scope) {
            _ if entry::is_disabled(&node) => Entry::Disabled { id: id.to_owned() },
            Ok(read) => {
                configuration.notes.extend(read.notes);
                Entry::Server(read.spec)
            }
            Err(problem) => Entry::Broken { id: id.to_owned(), problem: Box::new(problem) },
        });
    }
    Ok(Some(configuration))
}
