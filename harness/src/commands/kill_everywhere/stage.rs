//! One computer on one data folder, from a boot to its end, in a simulated world.

use std::path::Path;
use std::time::Duration;
use std::{fmt, fs, io};

use anyhow::Context as _;
use embedded_craftos::{Computer, Emulator, MountOption, Options, Standing, Standstill};
use serde_json::json;

use super::subject::Subject;
use crate::computer::{lua_string, lua_table};

/// The computer that the program runs on.
const ID: u32 = 0;

const RUN: &str = include_str!("run.lua");
const CHECK: &str = include_str!("check.lua");

/// What a program may write besides what is there, as much as a computer of the game has: it cannot fill this machine's disk.
const ROOM: u64 = 1_000_000;

/// How long a computer may compute in one run, in virtual time: 600 million instructions, some seconds of this machine. More
/// is a loop that does not end, or a computer that reboots without end.
const MOST_BUSY: Duration = Duration::from_secs(60);

/// How often a computer may start in one run: a program that reboots its computer so often will not stop.
const MOST_BOOTS: u64 = 50;

/// What a check may take, in virtual time.
const CHECK_TIME: Duration = Duration::from_secs(60);

/// What the emulator says before the error of a startup program.
const STARTUP_FAILED: &str = "startup failed: ";

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// The program ended, or turned its computer off.
    Ended,
    Failed(String),
    /// It still ran when its time was over.
    StillRuns,
    /// It waits for what nobody does.
    Waits,
    Endless(Endless),
}

/// Why a run will not end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Endless {
    /// It computed for too long.
    Computes,
    /// It rebooted its computer too often.
    Reboots,
}

impl Endless {
    /// What can be done about it.
    pub fn hint(self) -> &'static str {
        match self {
            Self::Computes => "a program that never ends has to wait now and then",
            Self::Reboots => {
                "a program that reboots its computer has to find out after it that it need not again"
            }
        }
    }
}

impl fmt::Display for Endless {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Computes => write!(f, "it computed for {} s of virtual time", MOST_BUSY.as_secs()),
            Self::Reboots => write!(f, "it rebooted its computer {MOST_BOOTS} times"),
        }
    }
}

/// A line of the user's file, as the computer names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    pub path: String,
    pub line: u32,
}

/// What is known of one yield.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Yield {
    pub number: u64,
    pub time: Duration,
    /// None where no file of the user's is on any stack: the computer starts, or the program has called something for good.
    pub line: Option<Line>,
}

/// A run that has ended.
#[derive(Debug)]
pub struct Ran {
    pub end: End,
    /// When, in virtual time since the first boot.
    pub time: Duration,
    pub screen: String,
}

/// What a computer is booted for.
#[derive(Debug, Clone, Copy)]
pub enum For<'a> {
    /// The program, for the first time.
    First,
    /// The program, after a kill.
    Again,
    /// The check, which is told this of the run before, as Lua.
    Check(&'a str),
}

/// Makes the data folder of a computer that has never run.
pub fn prepare(subject: &Subject, data: &Path) -> anyhow::Result<()> {
    let disk = data.join("computer").join(ID.to_string());
    fs::create_dir_all(&disk)
        .and_then(|()| fs::create_dir_all(data.join("config")))
        .context("failed to make a folder")?;
    subject.place(&disk)?;
    let room = ROOM + size(&disk).context("failed to look at the computer's files")?;
    let global = json!({
        "default_computer_settings": "motd.enable=false,bios.use_multishell=false",
        "standardsMode": true,
        "computerSpaceLimit": room,
    });
    fs::write(data.join("config/global.json"), global.to_string()).context("failed to write the settings")
}

/// What the files of a folder take.
fn size(folder: &Path) -> io::Result<u64> {
    let mut total = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let metadata = entry.metadata()?;
        total += if metadata.is_dir() { size(&entry.path())? } else { metadata.len() };
    }
    Ok(total)
}

/// A computer that is on.
#[derive(Debug)]
pub struct Stage {
    emulator: Emulator,
    computer: Computer,
    /// The moment at which its time is over.
    until: Duration,
}

impl Stage {
    /// Boots the computer of a data folder at a moment of virtual time.
    pub fn boot(
        subject: &Subject,
        data: &Path,
        purpose: For<'_>,
        seed: u64,
        began: Duration,
        time: Duration,
    ) -> anyhow::Result<Self> {
        let mut options = Options::new(data);
        options.profile = subject.profile();
        options.seed = Some(seed);
        options.simulate = true;
        options.began = began;
        options.script = Some(script(subject, purpose).into_bytes());
        let mount = |(path, at): (_, String)| MountOption { at, path, read_only: true };
        options.mounts = subject.mounts().into_iter().map(mount).collect();
        let emulator = Emulator::new(options)?;
        let computer = emulator.boot(ID)?;
        let time = if matches!(purpose, For::Check(_)) { CHECK_TIME } else { time };
        Ok(Self { emulator, computer, until: began.saturating_add(time) })
    }

    /// Runs the computer up to its next yield, or to its end.
    pub fn next_yield(&self) -> Result<Yield, Ran> {
        let before = self.computer.yields();
        let goes_on = || self.computer.yields() == before && self.endless().is_none();
        let standstill = self.emulator.simulate_while(Some(self.until), &goes_on);
        if self.computer.yields() == before || !self.computer.is_on() {
            return Err(self.ran(standstill));
        }
        let line = self.computer.standing(&is_users).map(|standing| line_of(&standing));
        Ok(Yield { number: self.computer.yields(), time: self.emulator.time(), line })
    }

    /// Runs the computer to its end.
    pub fn play(&self) -> Ran {
        let standstill = self.emulator.simulate_while(Some(self.until), &|| self.endless().is_none());
        self.ran(standstill)
    }

    /// Why the computer will not stop by itself, if it will not.
    fn endless(&self) -> Option<Endless> {
        if self.computer.busy() >= MOST_BUSY {
            return Some(Endless::Computes);
        }
        (self.computer.boots() > MOST_BOOTS).then_some(Endless::Reboots)
    }

    fn ran(&self, standstill: Standstill) -> Ran {
        let end = if let Some(endless) =
            self.endless().filter(|_| standstill == Standstill::Done && self.computer.is_on())
        {
            End::Endless(endless)
        } else if self.computer.is_on() {
            if standstill == Standstill::Forever { End::Waits } else { End::StillRuns }
        } else {
            let exit = self.computer.wait();
            match exit.error {
                Some(error) => End::Failed(error.strip_prefix(STARTUP_FAILED).unwrap_or(&error).to_owned()),
                None if exit.code != 0 => {
                    End::Failed(format!("it turned its computer off with code {}", exit.code))
                }
                None => End::Ended,
            }
        };
        Ran { end, time: self.emulator.time(), screen: self.computer.screen_text() }
    }
}

/// The Lua that a computer is booted with.
fn script(subject: &Subject, purpose: For<'_>) -> String {
    let list = |items: Vec<String>| format!("{{ {} }}", items.join(", "));
    let (plan, code) = match purpose {
        For::Check(run) => {
            let check = subject.check.as_ref().expect("a computer is booted for a check that there is");
            let fields = [
                ("name", lua_string(&check.name)),
                ("code", lua_string(&check.code)),
                ("run", run.to_owned()),
            ];
            (lua_table(fields), CHECK)
        }
        For::First | For::Again => {
            let settings = subject.settings();
            let settings = settings.iter().map(|(name, value)| (name.as_str(), lua_string(value)));
            let words = std::iter::once(&subject.path).chain(&subject.arguments).map(|word| lua_string(word));
            let mut fields = vec![("settings", lua_table(settings)), ("words", list(words.collect()))];
            if let (For::Again, Some(again)) = (purpose, &subject.again) {
                fields.push(("command", lua_string(again)));
            }
            (lua_table(fields), RUN)
        }
    };
    format!("local plan = {plan} {code}")
}

/// Whether a chunk is a file of the user's: neither the ROM's nor what boots the computer.
fn is_users(source: &[u8]) -> bool {
    let Some(path) = source.strip_prefix(b"@") else { return false };
    let inside = path.strip_prefix(b"/").unwrap_or(path);
    path != b"startup.lua" && inside != b"bios.lua" && !inside.starts_with(b"rom/")
}

fn line_of(standing: &Standing) -> Line {
    let source = String::from_utf8_lossy(&standing.source).into_owned();
    Line { path: source.trim_start_matches(['@', '/']).to_owned(), line: standing.line }
}
