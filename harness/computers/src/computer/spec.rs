//! What a computer boots from.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use thiserror::Error;

/// Where the harness keeps its own files on a computer.
pub const HARNESS: &str = ".harness";

/// Where every emulator shows its own programs, whatever is in the computer's folder.
const ROM: &str = "rom";

/// The program that links a computer to a bridge, where it is installed.
pub const PROGRAM: &str = "/programs/mcp-computer.lua";

/// One computer, before it is booted.
#[derive(Debug, Clone)]
pub struct Spec {
    pub id: u32,
    /// Unlike any other computer's of the run, even where ids are equal.
    pub name: String,
    pub label: Option<String>,
    /// A folder with `programs/`, `apis/` or both, which are installed on the computer.
    pub install: Option<PathBuf>,
    /// The program that is started after the computer's startup files, and its arguments, which arrive as they are.
    pub program: String,
    pub arguments: Vec<String>,
    /// By path. Startup files among them run as on any computer.
    pub files: BTreeMap<String, String>,
    /// Files and folders of the host that are copied onto the computer, each with its place there.
    pub copies: Vec<(PathBuf, String)>,
    /// Folders of the host that the computer sees without a copy, and cannot change, each with its place there. What is
    /// in one process has the same.
    pub mounts: Vec<(PathBuf, String)>,
    /// What whoever boots it puts beside the harness's own files.
    pub notes: Vec<(String, String)>,
    /// Lua among `notes` that the boot runs before the program. It gets the handlers of commands, to add its own, and
    /// returns a function that sees every event before the program does.
    pub extension: Option<String>,
    pub settings: BTreeMap<String, String>,
    /// Whether there is an `http` API, and the addresses that it may reach.
    pub http: bool,
    pub allow: Vec<String>,
    pub limits: Limits,
    pub profile: Profile,
    /// Computers of one name here run in one process and hear each other's modems.
    pub process: Option<String>,
    /// Whether the process counts how often each line of Lua runs; only the embedded emulator can.
    pub count_lines: bool,
}

/// Why a computer cannot be booted as it is described.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SpecError {
    #[error("`{0}` is not the name of a program")]
    Program(String),
    #[error(
        "the folder `{}` has neither `programs/` nor `apis/`: nothing would be installed\nhint: name the folder that has them in it", .0.display()
    )]
    Install(PathBuf),
    #[error("`{0}` is not a path inside a computer\nhint: leave out `..`, backslashes and colons")]
    Outside(String),
    #[error("`{0}` is in `{HARNESS}`, where the harness keeps its own files\nhint: put it somewhere else")]
    Reserved(String),
    #[error("`{0}` is in `{ROM}`, which is the emulator's: the computer would not see it")]
    Rom(String),
    #[error("`{0}` and `{1}` are the same file")]
    Doubled(String, String),
    #[error("`{path}` is inside `{file}`, which is a file")]
    InsideFile { file: String, path: String },
    #[error("`{0}` is not the name of a setting")]
    Setting(String),
}

impl SpecError {
    /// What it is about, as a file that describes the computer has it: a key, or the name of a file.
    pub fn named(&self) -> &str {
        match self {
            Self::Program(_) => "start",
            Self::Install(_) => "program",
            Self::Setting(_) => "settings",
            Self::Outside(path)
            | Self::Reserved(path)
            | Self::Rom(path)
            | Self::Doubled(_, path)
            | Self::InsideFile { path, .. } => path,
        }
    }
}

/// Refuses a path that leads out of a computer, to the harness's own files, or to those of the emulator.
pub fn check_path(path: &str) -> Result<(), SpecError> {
    let place = segments(path).ok_or_else(|| SpecError::Outside(path.to_owned()))?;
    if place[0] == HARNESS {
        return Err(SpecError::Reserved(path.to_owned()));
    }
    if place[0].eq_ignore_ascii_case(ROM) {
        return Err(SpecError::Rom(path.to_owned()));
    }
    Ok(())
}

/// The parts of a path on a computer; nothing where it leads out of it, or is none.
pub(super) fn segments(path: &str) -> Option<Vec<&str>> {
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    let is_odd = |part: &&str| *part == ".." || part.contains(['\\', ':', '\0']);
    (!parts.is_empty() && !parts.iter().any(is_odd)).then_some(parts)
}

/// The folders of a program that are there, each with where it is.
pub(super) fn parts(program: &Path) -> impl Iterator<Item = (&'static str, PathBuf)> {
    ["programs", "apis"].into_iter().map(|part| (part, program.join(part))).filter(|(_, from)| from.is_dir())
}

/// What a computer may use; the emulator's own limit where none is given.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// How long Lua may run without yielding.
    pub abort_timeout_ms: Option<u64>,
    /// What its files may take.
    pub space_bytes: Option<u64>,
    pub open_files: Option<u64>,
    /// How many sockets it may have open, and how large a message may be.
    pub websockets: Option<u64>,
    pub message_bytes: Option<u64>,
    /// What Lua may allocate; only the embedded emulator counts.
    pub memory_bytes: Option<u64>,
}

impl Limits {
    /// The limits that are given, as settings of the emulators.
    pub fn settings(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let all = [
            ("abortTimeout", self.abort_timeout_ms),
            ("computerSpaceLimit", self.space_bytes),
            ("maximumFilesOpen", self.open_files),
            ("http_max_websockets", self.websockets),
            ("http_max_websocket_message", self.message_bytes),
            ("memoryLimit", self.memory_bytes),
        ];
        all.into_iter().filter_map(|(name, limit)| Some((name, limit?)))
    }
}

/// What the computers of a process behave like.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Profile {
    /// CraftOS-PC.
    #[default]
    CraftosPc,
    /// The game, as far as the embedded emulator can show it.
    Game,
}

impl Spec {
    /// Whether two computers can live in one process: what the emulator is started with counts for all of it. Settings
    /// are each computer's own.
    pub fn shares(&self, other: &Self) -> bool {
        self.install == other.install
            && self.mounts == other.mounts
            && self.http == other.http
            && self.allow == other.allow
            && self.limits == other.limits
            && self.profile == other.profile
            && self.count_lines == other.count_lines
    }

    /// Refuses what no emulator could be given. What is wrong is named, so that a reader of files can show its line.
    pub fn check(&self) -> Result<(), SpecError> {
        if self.program.is_empty() || self.program.contains('\0') {
            return Err(SpecError::Program(self.program.clone()));
        }
        if let Some(folder) = &self.install
            && parts(folder).next().is_none()
        {
            return Err(SpecError::Install(folder.clone()));
        }
        if self.settings.contains_key("") {
            return Err(SpecError::Setting(String::new()));
        }
        let mut places = BTreeMap::new();
        for path in self.files.keys() {
            check_path(path)?;
            let place = segments(path).unwrap_or_default();
            if let Some(other) = places.insert(place, path) {
                return Err(SpecError::Doubled(other.clone(), path.clone()));
            }
        }
        // In order, a folder comes right before what is in it.
        let inside =
            places.iter().zip(places.iter().skip(1)).find(|((one, _), (next, _))| next.starts_with(one));
        if let Some(((_, file), (_, path))) = inside {
            return Err(SpecError::InsideFile { file: (*file).clone(), path: (*path).clone() });
        }
        Ok(())
    }

    /// A computer without a label that starts nothing but a prompt that nobody sees.
    pub fn new(id: u32) -> Self {
        Self {
            id,
            name: id.to_string(),
            label: None,
            install: None,
            program: "shell".to_owned(),
            arguments: Vec::new(),
            files: BTreeMap::new(),
            copies: Vec::new(),
            mounts: Vec::new(),
            notes: Vec::new(),
            extension: None,
            settings: BTreeMap::new(),
            http: true,
            allow: vec!["127.0.0.1".to_owned()],
            limits: Limits::default(),
            profile: Profile::default(),
            process: None,
            count_lines: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_files(paths: &[&str]) -> Result<(), SpecError> {
        let files = paths.iter().map(|path| ((*path).to_owned(), String::new())).collect();
        Spec { files, ..Spec::new(1) }.check()
    }

    #[test]
    fn files_that_cannot_be_written_are_refused() {
        assert_eq!(with_files(&["a", "b/c", "b.c"]), Ok(()));
        assert_eq!(with_files(&["../a"]), Err(SpecError::Outside("../a".to_owned())));
        assert_eq!(with_files(&["/"]), Err(SpecError::Outside("/".to_owned())));
        assert_eq!(with_files(&["C:a"]), Err(SpecError::Outside("C:a".to_owned())));
        assert!(matches!(with_files(&["/a", "a"]), Err(SpecError::Doubled(..))));
        assert!(matches!(with_files(&["a", "a/b"]), Err(SpecError::InsideFile { .. })));
        assert!(matches!(with_files(&["a", "a.b", "a/b"]), Err(SpecError::InsideFile { .. })));
        assert!(matches!(with_files(&[".harness/boot.lua"]), Err(SpecError::Reserved(_))));
        assert!(matches!(with_files(&["/rom/x.lua"]), Err(SpecError::Rom(_))));
        assert_eq!(with_files(&["a/rom/x.lua", "rom.lua"]), Ok(()));
    }

    #[test]
    fn a_program_folder_without_programs_is_refused() {
        let folder = std::env::temp_dir();
        let spec = Spec { install: Some(folder.join("nothing-is-here")), ..Spec::new(1) };
        let error = spec.check().expect_err("there is nothing to install").to_string();
        assert!(error.contains("has neither `programs/` nor `apis/`"), "{error}");
    }
}
