//! `exec-lua` as a user feels it: from one MCP session through a bridge to a computer that runs `mcp-computer`, one call
//! after the other.
//!
//! Everything is up at once and takes turns. `BENCH_BASE` names a folder with an older `mcp-bridge`, `embedded-craftos`
//! and `lua/`, which are measured in the same run.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::ensure;
use serde_json::Value;
use tempfile::TempDir;

use crate::emulators::{Data, Emulators};
use crate::process::{Process, until};
use crate::session::Session;
use crate::table::{Table, median};

/// What part of CraftOS-PC's time is the goal.
const GOAL: f64 = 0.5;
/// What part of the older one's time on CraftOS-PC is the goal.
const BASE_GOAL: f64 = 0.75;
/// Calls in one turn: enough for a median, and a turn is over before the machine does something else.
const CALLS: usize = 200;
/// Calls before the first turn, which are not measured.
const WARM: usize = 300;
const CODE: &str = "return 1 + 1";
const ANSWER: &str = r#""returns":[{"type":"number","value":2}]"#;
/// The first argument with which this program is a bridge.
pub const AS_BRIDGE: &str = "--as-bridge";

/// The programs of one version of the project.
struct Version {
    bridge: Command,
    embedded: PathBuf,
    lua: PathBuf,
}

impl Version {
    fn current(emulators: &Emulators) -> anyhow::Result<Self> {
        let mut bridge = Command::new(std::env::current_exe()?);
        bridge.arg(AS_BRIDGE);
        let lua = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../lua");
        Ok(Self { bridge, embedded: emulators.embedded.clone(), lua })
    }

    fn base() -> Option<Self> {
        let folder = PathBuf::from(std::env::var_os("BENCH_BASE").filter(|folder| !folder.is_empty())?);
        let bridge = Command::new(folder.join("mcp-bridge"));
        Some(Self { bridge, embedded: folder.join("embedded-craftos"), lua: folder.join("lua") })
    }
}

/// A computer that is linked to a bridge of its own, and what its calls took.
struct Linked {
    session: Session,
    /// Milliseconds, the median of each turn.
    turns: Vec<f64>,
    bridge: Process,
    emulator: Process,
    calls: usize,
    /// CPU seconds of bridge and emulator before the first turn.
    before: [Option<f64>; 2],
    _folders: (Data, TempDir),
}

impl Linked {
    fn start(version: &mut Version, emulator: &Path) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        let ready = folder.path().join("ready.json");
        version.bridge.args(["--mcp-port", "0", "--cc-link-port", "0", "--cc-link-host", "127.0.0.1"]);
        version.bridge.arg("--ready-file").arg(&ready).env("RUST_LOG", "error");
        version.bridge.stdin(Stdio::null()).stdout(Stdio::null());
        let bridge = Process::spawn(&mut version.bridge)?;
        let text = until("the bridge to listen", || Ok(std::fs::read_to_string(&ready).ok()))?;
        let addresses: Value = serde_json::from_str(&text)?;
        let (mcp, link) = (addresses["mcp"].as_str(), addresses["link"].as_str());
        let data = Data::new("")?;
        let mut command = data.command(emulator);
        command.args(["-i", "0"]);
        for part in ["programs", "apis"] {
            command.arg("--mount-ro").arg(format!("{part}={}", version.lua.join(part).display()));
        }
        let link = link.unwrap_or_default();
        command.arg("--exec").arg(format!("shell.run('/programs/mcp-computer.lua', '{link}')"));
        let mut emulator = Process::spawn(&mut command)?;
        let mut session = Session::open(mcp.unwrap_or_default())?;
        until("the computer to link", || {
            ensure!(!emulator.ended(), "the emulator ended");
            Ok(session.exec(0, CODE).ok().filter(|text| text.contains(ANSWER)))
        })?;
        for _ in 0..WARM {
            session.exec(0, CODE)?;
        }
        let before = [bridge.cpu_seconds(), emulator.cpu_seconds()];
        Ok(Self { session, turns: Vec::new(), bridge, emulator, calls: 0, before, _folders: (data, folder) })
    }

    fn turn(&mut self) -> anyhow::Result<()> {
        let mut times = Vec::with_capacity(CALLS);
        for _ in 0..CALLS {
            let started = Instant::now();
            let text = self.session.exec(0, CODE)?;
            times.push(started.elapsed().as_secs_f64() * 1e3);
            ensure!(text.contains(ANSWER), "a wrong answer: {text}");
        }
        self.calls += CALLS;
        self.turns.push(median(&times));
        Ok(())
    }

    /// Milliseconds of CPU for each call: of the bridge, and of the emulator.
    fn cpu(&self) -> [f64; 2] {
        let after = [self.bridge.cpu_seconds(), self.emulator.cpu_seconds()];
        #[expect(clippy::cast_precision_loss, reason = "some thousand calls")]
        let calls = self.calls as f64;
        [0, 1].map(|of| match (self.before[of], after[of]) {
            (Some(before), Some(after)) => (after - before) * 1e3 / calls,
            _ => f64::NAN,
        })
    }

    fn median(&self) -> f64 {
        median(&self.turns)
    }

    /// The median of how the turns compare, each with the other's of the same round.
    fn against(&self, other: &Self) -> f64 {
        median(&self.turns.iter().zip(&other.turns).map(|(own, other)| own / other).collect::<Vec<_>>())
    }
}

/// A version on the emulators that are there.
struct Pair {
    embedded: Linked,
    reference: Option<Linked>,
}

impl Pair {
    fn start(
        mut make: impl FnMut() -> anyhow::Result<Version>,
        emulators: &Emulators,
    ) -> anyhow::Result<Self> {
        let mut version = make()?;
        let embedded = version.embedded.clone();
        Ok(Self {
            embedded: Linked::start(&mut version, &embedded)?,
            reference: match &emulators.reference {
                Some(path) => Some(Linked::start(&mut make()?, path)?),
                None => None,
            },
        })
    }

    fn turn(&mut self) -> anyhow::Result<()> {
        self.embedded.turn()?;
        self.reference.as_mut().map_or(Ok(()), Linked::turn)
    }

    fn rows(&self, name: &str, table: &mut Table) {
        let shown = |value: f64| if value.is_nan() { "-".to_owned() } else { format!("{value:.3} ms") };
        let reference = |figure: fn(&Linked) -> f64| self.reference.as_ref().map_or(f64::NAN, figure);
        let name = format!("exec-lua, median{name}");
        let (own, theirs) = (shown(self.embedded.median()), shown(reference(Linked::median)));
        match &self.reference {
            Some(other) => {
                let ratio = self.embedded.against(other);
                table.goal(&name, &own, &theirs, &format!("{ratio:.2} of {GOAL}"), ratio <= GOAL);
            }
            None => table.shown(&name, &own, &theirs),
        }
        for (of, what) in ["  CPU of the bridge", "  CPU of the emulator"].into_iter().enumerate() {
            let other = self.reference.as_ref().map_or(f64::NAN, |other| other.cpu()[of]);
            table.shown(what, &shown(self.embedded.cpu()[of]), &shown(other));
        }
    }
}

pub fn measure(emulators: &Emulators, rounds: usize, table: &mut Table) -> anyhow::Result<()> {
    let mut current = Pair::start(|| Version::current(emulators), emulators)?;
    let mut base = match Version::base() {
        Some(_) => Some(Pair::start(|| Ok(Version::base().expect("it was there before")), emulators)?),
        None => None,
    };
    for _ in 0..rounds {
        current.turn()?;
        if let Some(base) = &mut base {
            base.turn()?;
        }
    }
    current.rows("", table);
    let Some(base) = base else { return Ok(()) };
    base.rows(" of the base", table);
    let embedded = format!("{:.2}", current.embedded.against(&base.embedded));
    match (&current.reference, &base.reference) {
        (Some(now), Some(then)) => {
            let ratio = now.against(then);
            let goal = format!("{BASE_GOAL} on CraftOS-PC");
            table.goal(
                "exec-lua against the base",
                &embedded,
                &format!("{ratio:.2}"),
                &goal,
                ratio <= BASE_GOAL,
            );
        }
        _ => table.shown("exec-lua against the base", &embedded, "-"),
    }
    Ok(())
}
