//! A project of somebody who tests programs for ComputerCraft, and the harness run in it.

use std::path::PathBuf;

use assert_cmd::Command;
use craftos_harness::emulators::Kind;
use serde_json::Value;

use crate::context::harness;

/// A project in a folder whose name is no plain word.
pub struct Project {
    _folder: tempfile::TempDir,
    pub root: PathBuf,
}

impl Project {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("it is there").join("my pröject");
        std::fs::create_dir(&root).expect("the folder is ours");
        Self { _folder: folder, root }
    }

    pub fn with(files: &[(&str, &str)]) -> Self {
        let project = Self::new();
        for (path, text) in files {
            project.write(path, text);
        }
        project
    }

    pub fn write(&self, path: &str, text: &str) {
        let path = self.root.join(path);
        std::fs::create_dir_all(path.parent().expect("it is in the project")).expect("the folder is ours");
        std::fs::write(path, text).expect("the folder is ours");
    }

    /// Writes a program of the host, such as a script.
    #[cfg(unix)]
    pub fn write_program(&self, path: &str, text: &str) {
        use std::os::unix::fs::PermissionsExt as _;

        self.write(path, text);
        let executable = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(self.root.join(path), executable).expect("it is ours");
    }

    pub fn read(&self, path: &str) -> String {
        let path = self.root.join(path);
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// Replaces a file in one moment, so that whoever watches sees one edit.
    pub fn replace(&self, path: &str, text: &str) {
        let beside = self.root.with_extension("new");
        std::fs::write(&beside, text).expect("the folder is ours");
        std::fs::rename(&beside, self.root.join(path)).expect("the folder is ours");
    }

    pub fn harness(&self, arguments: &[&str]) -> Command {
        let mut command = harness();
        command.current_dir(&self.root).args(arguments);
        command
    }

    /// Runs the program; gives stdout and stderr.
    pub fn said(&self, arguments: &[&str], code: i32) -> (String, String) {
        let output = self.harness(arguments).assert().code(code).get_output().clone();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (text(&output.stdout), text(&output.stderr))
    }

    /// Runs the specs on one emulator; gives how each test ended, by its name, and what is on stderr.
    pub fn test(&self, kind: Kind, arguments: &[&str], code: i32) -> (Vec<Value>, String) {
        let kind = kind.to_string();
        let arguments = [&["test", "--json", "--emulator", &kind], arguments].concat();
        let (stdout, stderr) = self.said(&arguments, code);
        let results =
            stdout.lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect();
        (results, stderr)
    }
}

/// How each test ended, by its name.
pub fn outcomes(results: &[Value]) -> Vec<(&str, &str)> {
    results
        .iter()
        .map(|result| {
            let name = result["name"].as_array().and_then(|names| names.last()).and_then(Value::as_str);
            (name.unwrap_or_default(), result["outcome"].as_str().unwrap_or_default())
        })
        .collect()
}
