//! The source files of a folder, read.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use crate::tokens::{Language, Token, read};

/// A file and its tokens.
#[derive(Clone, Debug)]
pub struct Source {
    pub path: PathBuf,
    pub language: Language,
    pub tokens: Vec<Token>,
}

/// Reads every source file below `root`, or `root` itself, ordered by path. Hidden folders and `target` are left out.
pub fn sources(root: &Path) -> Result<Vec<Source>> {
    let mut found = Vec::new();
    let mut waiting = vec![root.to_owned()];
    while let Some(path) = waiting.pop() {
        let kind = fs::metadata(&path).with_context(|| format!("failed to read `{}`", path.display()))?;
        if kind.is_dir() {
            let entries =
                fs::read_dir(&path).with_context(|| format!("failed to list `{}`", path.display()))?;
            for entry in entries {
                let entry = entry.with_context(|| format!("failed to list `{}`", path.display()))?;
                let name = entry.file_name();
                let left_out = name == "target" || name.to_string_lossy().starts_with('.');
                let linked = entry.file_type().is_ok_and(|kind| kind.is_symlink());
                if !left_out && !linked {
                    waiting.push(entry.path());
                }
            }
        } else if let Some(language) = language(&path) {
            let source = fs::read(&path).with_context(|| format!("failed to read `{}`", path.display()))?;
            found.push(Source { path, language, tokens: read(&source, language) });
        }
    }
    found.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(found)
}

fn language(path: &Path) -> Option<Language> {
    match path.extension()?.to_str()? {
        "lua" => Some(Language::Lua),
        "rs" => Some(Language::Rust),
        _ => None,
    }
}
