//! What a computer boots from.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;

/// The program that links a computer to a bridge, where it is installed.
pub const PROGRAM: &str = "/programs/mcp-computer.lua";

/// One computer, before it is booted.
#[derive(Debug, Clone)]
pub struct Spec {
    pub id: u32,
    /// Unlike any other computer's of the run, even where ids are equal.
    pub name: String,
    pub label: Option<String>,
    /// The folder with `programs/` and `apis/` that is copied onto the computer.
    pub install: Option<PathBuf>,
    /// The program that is started, and its arguments.
    pub program: String,
    pub arguments: Vec<String>,
    pub files: BTreeMap<String, String>,
    /// Files and folders of the host that are copied onto the computer, each with its place there.
    pub copies: Vec<(PathBuf, String)>,
    /// What whoever boots it puts beside the harness's own files.
    pub notes: Vec<(String, String)>,
    pub settings: BTreeMap<String, String>,
    /// Whether there is an `http` API, and the addresses that it may reach.
    pub http: bool,
    pub allow: Vec<String>,
    pub limits: Limits,
    pub profile: Profile,
    /// Computers of one name here run in one process and hear each other's modems.
    pub process: Option<String>,
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
    /// Whether two computers can live in one process: what they boot with counts for all of it.
    pub fn shares(&self, other: &Self) -> bool {
        self.install == other.install
            && self.settings == other.settings
            && self.http == other.http
            && self.allow == other.allow
            && self.limits == other.limits
            && self.profile == other.profile
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
            notes: Vec::new(),
            settings: BTreeMap::new(),
            http: true,
            allow: vec!["127.0.0.1".to_owned()],
            limits: Limits::default(),
            profile: Profile::default(),
            process: None,
        }
    }
}
