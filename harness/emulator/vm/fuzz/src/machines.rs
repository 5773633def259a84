//! Runs a batch: on our machine inside this process, on others as programs.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use craftos_lua::{Call, Dialect, Host, Outcome, Run, State, Value};

/// More than any batch needs.
const MEMORY: usize = 256 << 20;

/// Units of work after which a batch counts as one that does not end.
const BUDGET: u64 = 50_000_000;

/// Why a batch failed that has used up its units.
pub const NO_END: &str = "does not end";

/// How our machine is run; the result must not depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    Whole,
    /// So many units at a time.
    Sliced(u64),
    /// Collecting garbage at every allocation.
    Collecting,
}

/// Takes what the batch writes.
struct Output(Vec<u8>);

impl Host for Output {
    fn call(&mut self, _: u32, call: &mut Call<'_>, _: Option<f64>) -> Result<Outcome, Value> {
        let text = call.text(1)?;
        self.0.extend_from_slice(call.bytes(text));
        Ok(Outcome::NONE)
    }
}

/// Runs a batch on our machine. What it wrote, and why it did not end, if it did not.
pub fn own(source: &str, way: Way, dialect: Dialect) -> (Vec<u8>, Option<String>) {
    let mut output = Output(Vec::new());
    let ended = catch_unwind(AssertUnwindSafe(|| run_own(source, way, dialect, &mut output)));
    let failure = match ended {
        Ok(failure) => failure,
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string));
            Some(format!("panicked: {}", text.unwrap_or_default()))
        }
    };
    (output.0, failure)
}

fn run_own(source: &str, way: Way, dialect: Dialect, output: &mut Output) -> Option<String> {
    let mut state = State::with_dialect(MEMORY, dialect);
    state.set_host_natives(["write".to_owned()]);
    let write = state.host_native(0);
    state.set_global("write", write).expect("a new state has room");
    if way == Way::Collecting {
        state.collect_always(true);
    }
    let chunk = match state.load(source.as_bytes(), "=batch") {
        Ok(chunk) => chunk,
        Err(error) => return Some(format!("does not load: {error}")),
    };
    state.start(chunk, &[]).expect("a new state has room");
    let slice = if let Way::Sliced(slice) = way { slice } else { BUDGET };
    let mut spent = 0;
    loop {
        match state.run(output, slice) {
            Run::OutOfBudget => {
                spent += slice;
                if spent >= BUDGET {
                    return Some(NO_END.to_owned());
                }
            }
            Run::Finished(_) => return None,
            Run::Yielded(_) => return Some("yielded".to_owned()),
            Run::Error(error) => {
                let text = state.bytes(error).map(|text| String::from_utf8_lossy(text).into_owned());
                return Some(format!("failed: {}", text.unwrap_or_default()));
            }
        }
    }
}

/// Another machine, to compare with.
#[derive(Clone, Debug)]
pub enum Other {
    /// Debian's Lua 5.2.
    Stock(PathBuf),
    /// CraftOS-PC.
    Craftos(PathBuf),
}

impl Other {
    /// The machines that are here, of those that are wanted.
    pub fn find(name: &str) -> Option<Self> {
        match name {
            "craftos" => {
                let named = std::env::var_os("CRAFTOS_PC").map(PathBuf::from);
                named.or_else(|| which::which("craftos").ok()).map(Self::Craftos)
            }
            _ => which::which(name).ok().map(Self::Stock),
        }
    }

    /// The words that our machine has when it is compared with it.
    pub fn dialect(&self) -> Dialect {
        match self {
            Self::Stock(_) => Dialect::Stock,
            Self::Craftos(_) => Dialect::CraftosPc,
        }
    }

    /// Whether it has what stock Lua does not have.
    pub fn has_all(&self) -> bool {
        matches!(self, Self::Craftos(_))
    }

    /// Runs a batch in `folder`, and returns what it wrote.
    pub fn run(&self, source: &str, folder: &Path) -> Result<Vec<u8>> {
        match self {
            Self::Stock(program) => stock(program, source, folder),
            Self::Craftos(program) => craftos(program, source, folder),
        }
    }
}

fn stock(program: &Path, source: &str, folder: &Path) -> Result<Vec<u8>> {
    let file = folder.join("batch.lua");
    fs::write(
        &file,
        format!("io.stdout:setvbuf(\"line\") write = function(text) io.write(text) end\n{source}"),
    )?;
    let out = folder.join("out.txt");
    let mut command = Command::new(program);
    command.arg(&file).stdin(Stdio::null()).stdout(fs::File::create(&out)?).stderr(Stdio::null());
    wait(command, program)?;
    Ok(fs::read(&out)?)
}

/// How long another machine may take for a batch. Some cases never end there, such as sorting with an order that is none.
const PATIENCE: Duration = Duration::from_secs(20);

/// How often it is looked whether it has ended.
const LOOK: Duration = Duration::from_millis(5);

/// Runs a program until it ends or the time is over.
fn wait(mut command: Command, program: &Path) -> Result<()> {
    let mut child = command.spawn().with_context(|| format!("failed to run `{}`", program.display()))?;
    let start = Instant::now();
    while child.try_wait()?.is_none() {
        if start.elapsed() > PATIENCE {
            child.kill()?;
            child.wait()?;
            break;
        }
        std::thread::sleep(LOOK);
    }
    Ok(())
}

/// Runs the batch, and turns the computer off.
const STARTUP: &str = r#"
local handle = fs.open("out.txt", "wb")
local environment = setmetatable({ write = function(text) handle.write(text) handle.flush() end }, { __index = _G })
environment._G = _G
local ok, message = pcall(function() assert(loadfile("batch.lua", nil, environment))() end)
if not ok then handle.write("failed: " .. tostring(message)) end
handle.close()
os.shutdown(0)
"#;

/// No batch may be cut off for running long; the fuzzer has a limit of its own.
const CONFIG: &str = r#"{"lastVersion":"v2.8.3","abortTimeout":600000,"default_computer_settings":"motd.enable=false,bios.use_multishell=false"}"#;

fn craftos(program: &Path, source: &str, folder: &Path) -> Result<Vec<u8>> {
    let computer = folder.join("computer/0");
    fs::create_dir_all(&computer)?;
    fs::create_dir_all(folder.join("config"))?;
    fs::write(folder.join("config/global.json"), CONFIG)?;
    fs::write(computer.join("startup.lua"), STARTUP)?;
    fs::write(computer.join("batch.lua"), source)?;
    let mut command = Command::new(program);
    command
        .args(["--headless", "-i", "0", "-d"])
        .arg(folder)
        .env("SDL_AUDIODRIVER", "dummy")
        .env("SDL_NO_SIGNAL_HANDLERS", "1")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    wait(command, program)?;
    let file = computer.join("out.txt");
    fs::read(&file).with_context(|| format!("failed to read `{}`", file.display()))
}
