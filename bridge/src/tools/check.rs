//! `mcp-bridge tools check`: reads the tools as the bridge would, and says what it found.

use std::io::Write;
use std::path::PathBuf;

use super::catalog::Catalog;
use super::toolbox::ToolboxError;

/// Writes each finding on a line of its own, and then a count; tells whether everything is fine.
pub fn check(folders: &[PathBuf], out: &mut impl Write) -> anyhow::Result<bool> {
    if let Some(missing) = folders.iter().find(|folder| !folder.is_dir()) {
        return Err(ToolboxError::NoFolder(missing.clone()).into());
    }
    let catalog = Catalog::load(folders);
    for finding in &catalog.findings {
        writeln!(out, "{finding}")?;
    }
    let count = |number: usize, noun: &str, many: &str| match number {
        1 => format!("1 {noun}"),
        number => format!("{number} {many}"),
    };
    let tools = count(catalog.tools().len(), "tool", "tools");
    let indexes = count(catalog.indexes, "index", "indexes");
    let findings = count(catalog.findings.len(), "finding", "findings");
    writeln!(out, "{tools} in {indexes}, {findings}")?;
    Ok(catalog.findings.is_empty())
}
