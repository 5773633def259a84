//! The Lua behind a tool: its file, and those beside it that it requires, under one hash. Computers keep it by that.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Component, Path, PathBuf};

use serde::Serialize;
use sha2::{Digest as _, Sha256};

use super::finding::Finding;
use super::index::At;
use super::syntax;
use crate::limits::CODE_BYTES;
use crate::text::hex;

/// Bytes of the hash that name a handler: 128 bits, so that no two of them ever meet.
const HASH_BYTES: usize = 16;

/// A file of Lua, with the name that it has in error messages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct File {
    pub name: String,
    pub code: String,
}

/// All that a computer needs to run a tool.
#[derive(Debug, PartialEq, Eq)]
pub struct Handler {
    pub hash: String,
    pub main: File,
    /// By the name that `require` is given.
    pub modules: BTreeMap<String, File>,
}

/// Where the files of one index may be.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    /// The folder that was given to the bridge: nothing outside of it is read.
    pub root: &'a Path,
    /// The index, inside of it.
    pub index: &'a Path,
}

impl Place<'_> {
    fn folder(&self) -> &Path {
        self.index.parent().unwrap_or(self.root)
    }

    /// A path as messages and Lua's errors show it: from the root on, with `/`.
    fn shown(&self, path: &Path) -> String {
        let (path, root) = (plain(path), plain(self.root));
        let inner = path.strip_prefix(root).unwrap_or(&path);
        let parts = inner.components().filter_map(|part| match part {
            Component::Normal(name) => Some(name.to_string_lossy()),
            _ => None,
        });
        parts.collect::<Vec<_>>().join("/")
    }

    /// Tells whether a path that exists leads to a file inside of the root, also through links.
    fn holds(&self, path: &Path) -> bool {
        match (path.canonicalize(), self.root.canonicalize()) {
            (Ok(path), Ok(root)) => path.starts_with(root),
            _ => false,
        }
    }
}

impl Handler {
    /// Reads a handler and what it requires. Every file is checked, and every problem is found.
    pub fn read(place: Place<'_>, source: &At<String>) -> Result<Self, Vec<Finding>> {
        let refuse = |message: String| vec![Finding::new(place.index, Some(source.line), message)];
        let path = plain(&place.folder().join(&source.value));
        if !path.starts_with(plain(place.root)) || Path::new(&source.value).is_absolute() {
            return Err(refuse(format!("`{}` lies outside of `{}`", source.value, place.root.display())));
        }
        if !path.is_file() {
            return Err(refuse(format!("there is no file `{}`", place.shown(&path))));
        }
        if !place.holds(&path) {
            return Err(refuse(format!("`{}` leads outside of `{}`", source.value, place.root.display())));
        }
        let mut files = Files { place, room: CODE_BYTES as u64, findings: Vec::new() };
        let main = files.read(&path, true);
        let modules = main.as_ref().map(|main| files.modules(&path, main));
        match (main, modules) {
            (Some(main), Some(modules)) if files.findings.is_empty() => {
                Ok(Self { hash: hash(&main, &modules), main, modules })
            }
            _ => Err(files.findings),
        }
    }
}

/// Reads the files of one handler, no more bytes than it may have.
struct Files<'a> {
    place: Place<'a>,
    room: u64,
    findings: Vec<Finding>,
}

impl Files<'_> {
    /// Reads what a file requires from beside it, and what that requires, and so on. A name that leads to no file there
    /// is the computer's own.
    fn modules(&mut self, path: &Path, main: &File) -> BTreeMap<String, File> {
        let beside = path.parent().unwrap_or(self.place.root);
        let mut modules = BTreeMap::new();
        let mut wanted = syntax::required(&main.code);
        while let Some(name) = wanted.pop() {
            if modules.contains_key(&name) {
                continue;
            }
            let Some(path) = find_module(self.place, beside, &name) else { continue };
            if let Some(file) = self.read(&path, false) {
                wanted.extend(syntax::required(&file.code));
                modules.insert(name, file);
            }
        }
        modules
    }

    /// Reads a file and checks it. What is too large is neither kept nor parsed.
    fn read(&mut self, path: &Path, is_main: bool) -> Option<File> {
        let mut refuse = |line, message: String| {
            self.findings.push(Finding::new(path, line, message));
            None
        };
        let mut bytes = Vec::new();
        let read =
            std::fs::File::open(path).and_then(|file| file.take(self.room + 1).read_to_end(&mut bytes));
        if let Err(error) = read {
            return refuse(None, format!("failed to read it: {error}"));
        }
        if bytes.len() as u64 > self.room {
            return refuse(
                None,
                format!("the handler and what it requires have more than {CODE_BYTES} bytes"),
            );
        }
        let code = match String::from_utf8(bytes) {
            Ok(code) => code,
            Err(error) => {
                let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
                let line = before.split(|byte| *byte == b'\n').count();
                return refuse(Some(line), "this is not UTF-8".to_owned());
            }
        };
        if let Err(problem) = syntax::check(&code, is_main) {
            return refuse(Some(problem.line), problem.message);
        }
        self.room -= code.len() as u64;
        Some(File { name: self.place.shown(path), code })
    }
}

/// Finds the file of a module as a computer would: beside the handler, then beside the index.
fn find_module(place: Place<'_>, beside: &Path, name: &str) -> Option<PathBuf> {
    if name.starts_with('/') || name.split(['/', '.']).any(str::is_empty) {
        return None;
    }
    let inner = name.replace('.', "/");
    let candidates = [beside, place.folder()]
        .into_iter()
        .flat_map(|folder| [folder.join(format!("{inner}.lua")), folder.join(&inner).join("init.lua")]);
    candidates.into_iter().find(|path| path.is_file() && place.holds(path))
}

/// A path without `.` and `..`, as text alone says it.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if matches!(plain.components().next_back(), Some(Component::Normal(_))) => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}

fn hash(main: &File, modules: &BTreeMap<String, File>) -> String {
    // As JSON, in which no two handlers are written alike.
    let text = serde_json::to_vec(&(main, modules)).expect("it holds text only");
    hex(&Sha256::digest(text)[..HASH_BYTES])
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        for (path, text) in files {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().expect("a parent")).expect("the folder is ours");
            std::fs::write(path, text).expect("the folder is ours");
        }
        folder
    }

    fn read(folder: &tempfile::TempDir, source: &str) -> Result<Handler, Vec<String>> {
        let index = folder.path().join("in/_index.yaml");
        let place = Place { root: folder.path(), index: &index };
        let shown =
            |finding: Finding| finding.to_string().replace(&folder.path().display().to_string(), "DIR");
        Handler::read(place, &At { line: 3, value: source.to_owned() })
            .map_err(|findings| findings.into_iter().map(shown).collect())
    }

    #[test]
    fn a_handler_comes_with_what_it_requires_and_no_more() {
        let folder = folder(&[
            (
                "in/tools/greet.lua",
                "local a, b = require('a'), require('lib.b')\nrequire('cc.pretty')\nreturn {}",
            ),
            ("in/tools/a.lua", "return require('shared')"),
            ("in/tools/lib/b/init.lua", "return 1"),
            ("in/tools/other.lua", "return 2"),
            ("in/shared.lua", "return require('a')"),
        ]);
        let handler = read(&folder, "tools/greet.lua").expect("a handler");
        assert_eq!(handler.main.name, "in/tools/greet.lua");
        let names: Vec<(&str, &str)> =
            handler.modules.iter().map(|(name, file)| (name.as_str(), file.name.as_str())).collect();
        let expected =
            [("a", "in/tools/a.lua"), ("lib.b", "in/tools/lib/b/init.lua"), ("shared", "in/shared.lua")];
        assert_eq!(names, expected);
        assert_eq!(handler.hash.len(), 32);
    }

    #[test]
    fn the_hash_follows_every_file() {
        let folder = folder(&[("in/greet.lua", "return { a = require('a') }"), ("in/a.lua", "return 1")]);
        let first = read(&folder, "greet.lua").expect("a handler").hash;
        assert_eq!(first, read(&folder, "greet.lua").expect("a handler").hash);
        std::fs::write(folder.path().join("in/a.lua"), "return 2").expect("ours");
        assert_ne!(first, read(&folder, "greet.lua").expect("a handler").hash);
    }

    #[rstest]
    #[case("../../etc/passwd", "DIR/in/_index.yaml:3: `../../etc/passwd` lies outside of `DIR`")]
    #[case("/etc/passwd", "DIR/in/_index.yaml:3: `/etc/passwd` lies outside of `DIR`")]
    #[case("nowhere.lua", "DIR/in/_index.yaml:3: there is no file `in/nowhere.lua`")]
    #[case("broken.lua", "DIR/in/broken.lua:2: this is not Lua")]
    #[case("nothing.lua", "DIR/in/nothing.lua:1: a handler ends with")]
    #[case("bytes.lua", "DIR/in/bytes.lua:2: this is not UTF-8")]
    #[case("broken_module.lua", "DIR/in/broken.lua:2: this is not Lua")]
    fn what_is_wrong_names_the_file(#[case] source: &str, #[case] says: &str) {
        let folder = folder(&[
            ("in/broken.lua", "local a\nlocal = 1\n"),
            ("in/nothing.lua", "local a = 1"),
            ("in/broken_module.lua", "return { b = require('broken') }"),
        ]);
        std::fs::write(folder.path().join("in/bytes.lua"), b"return {\n'\xff' }").expect("ours");
        let findings = read(&folder, source).expect_err("wrong");
        assert!(findings.len() == 1 && findings[0].starts_with(says), "{findings:?}");
    }

    #[test]
    fn a_source_may_climb_as_long_as_it_stays_inside() {
        let folder = folder(&[("shared/greet.lua", "return {}"), ("in/_index.yaml", "")]);
        assert_eq!(read(&folder, "../shared/greet.lua").expect("a handler").main.name, "shared/greet.lua");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_that_leads_outside_is_not_followed() {
        let outside = folder(&[("secret.lua", "return {}")]);
        let folder = folder(&[("in/user.lua", "return { s = require('linked') }")]);
        std::os::unix::fs::symlink(outside.path().join("secret.lua"), folder.path().join("in/linked.lua"))
            .expect("ours");
        let findings = read(&folder, "linked.lua").expect_err("outside");
        assert!(findings[0].contains("leads outside of `DIR`"), "{findings:?}");
        assert!(read(&folder, "user.lua").expect("a handler").modules.is_empty());
    }

    #[test]
    fn too_much_code_is_refused() {
        let large = format!("return {{ '{}' }}", "x".repeat(CODE_BYTES));
        let folder = folder(&[("in/large.lua", &large)]);
        let findings = read(&folder, "large.lua").expect_err("too large");
        assert!(findings[0].contains("have more than 1048576 bytes"), "{findings:?}");
    }
}
