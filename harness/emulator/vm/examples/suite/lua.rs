//! Runs one file of a suite on a new machine.

use std::path::{Path, PathBuf};

use craftos_lua::{Call, Host, Outcome as Ended, Run, State, Value};

use crate::Suite;
use crate::left_out::{LeftOut, Part};

/// What a file may use. The suite of Lua makes texts of some hundred megabytes.
const MEMORY: usize = 2 << 30;

/// Units of work after which a file counts as one that does not end.
pub const BUDGET: u64 = 2_000_000_000;

/// The same where a part is tried that is left out.
pub const SHORT_BUDGET: u64 = 100_000_000;

/// What the files expect around them, and a computer's own Lua does not have.
const PRELUDE: &str = include_str!("prelude.lua");

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    Passed,
    Failed(String),
}

const NATIVES: [&str; 4] = ["write", "clock", "read", "now"];

struct Console<'a> {
    output: Vec<u8>,
    folder: PathBuf,
    file: &'a str,
    left_out: &'a [&'a LeftOut],
    /// Stands for the clock: units would do as well, and time must not decide.
    ticks: f64,
}

impl Host for Console<'_> {
    fn call(&mut self, native: u32, call: &mut Call<'_>, _: Option<f64>) -> Result<Ended, Value> {
        match native {
            0 => {
                let text = call.text(1)?;
                self.output.extend_from_slice(call.bytes(text));
                Ok(Ended::NONE)
            }
            2 => {
                let name = call.text(1)?;
                let name = String::from_utf8_lossy(call.bytes(name)).into_owned();
                match std::fs::read(self.folder.join(&name)) {
                    Ok(text) => {
                        let text = if Some(name.as_str())
                            == Path::new(self.file).file_name().and_then(|name| name.to_str())
                        {
                            without(&text, self.left_out)
                        } else {
                            text
                        };
                        call.string_from(text).map(Ended::One)
                    }
                    Err(_) => Ok(Ended::One(Value::Nil)),
                }
            }
            _ => {
                self.ticks += 1.0;
                Ok(Ended::One(Value::Number(self.ticks / 100.0)))
            }
        }
    }
}

/// A file without what is left out of it. Its lines keep their numbers.
fn without(text: &[u8], left_out: &[&LeftOut]) -> Vec<u8> {
    let out = |number: usize| {
        left_out
            .iter()
            .any(|part| matches!(part.part, Part::Lines(first, last) if (first..=last).contains(&number)))
    };
    let lines = text.split(|byte| *byte == b'\n').enumerate();
    let kept: Vec<&[u8]> = lines.map(|(at, line)| if out(at + 1) { &[][..] } else { line }).collect();
    kept.join(&b'\n')
}

/// Runs a file, and compares what it wrote with the file of the same name that ends in `.out`, where there is one.
pub fn run(suite: &Suite, folder: &Path, file: &str, left_out: &[&LeftOut], budget: u64) -> Outcome {
    let path = folder.join(file);
    let inside = path.parent().map(Path::to_path_buf).unwrap_or_default();
    let mut console = Console { output: Vec::new(), folder: inside, file, left_out, ticks: 0.0 };
    let failure = execute(suite, &mut console, budget);
    if std::env::var_os("SHOW").is_some() {
        eprintln!("{}", String::from_utf8_lossy(&console.output));
    }
    if let Err(why) = failure {
        return Outcome::Failed(why);
    }
    match std::fs::read(path.with_extension("out")) {
        Ok(expected) => compare(&console.output, &expected, left_out),
        Err(_) => Outcome::Passed,
    }
}

fn execute(suite: &Suite, console: &mut Console<'_>, budget: u64) -> Result<(), String> {
    let room = "a new state has room";
    let mut state = State::with_dialect(MEMORY, suite.dialect);
    state.set_host_natives(NATIVES.iter().map(|name| (*name).to_owned()));
    for (number, name) in (0..).zip(NATIVES) {
        let native = state.host_native(number);
        state.set_global(name, native).expect(room);
    }
    let name = Path::new(console.file).file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let name = state.string(name.as_bytes()).expect(room);
    state.set_global("FILE", name).expect(room);
    let text = PRELUDE.replace("--BEFORE--", suite.before);
    let prelude = state.load(text.as_bytes(), "=[C]").map_err(|error| format!("the prelude: {error}"))?;
    state.start(prelude, &[]).expect(room);
    let mut yields = 0;
    loop {
        match state.run(console, budget) {
            Run::Finished(_) => return Ok(()),
            Run::OutOfBudget => return Err("does not end".to_owned()),
            // A file may be one that is meant to run inside a coroutine; Cobalt's runner gives such files a text.
            Run::Yielded(_) => {
                yields += 1;
                let text = state.string(format!("Resume {yields}").as_bytes()).expect(room);
                state.resume(&[text]).expect("it has yielded");
            }
            Run::Error(error) => {
                let text = state.bytes(error).map(|text| String::from_utf8_lossy(text).into_owned());
                return Err(text.unwrap_or_else(|| format!("an error that is a {}", error.type_name())));
            }
        }
    }
}

/// Compares line by line.
fn compare(output: &[u8], expected: &[u8], left_out: &[&LeftOut]) -> Outcome {
    let out = |number: usize| {
        left_out
            .iter()
            .any(|part| matches!(part.part, Part::Output(first, last) if (first..=last).contains(&number)))
    };
    let lines = |text: &[u8]| -> Vec<String> {
        let text = String::from_utf8_lossy(text).replace("\r\n", "\n");
        text.trim_end_matches('\n').split('\n').map(str::to_owned).collect()
    };
    let (ours, theirs) = (lines(output), lines(expected));
    for at in 0..ours.len().max(theirs.len()) {
        let (own, wanted) = (ours.get(at), theirs.get(at));
        if own != wanted && !out(at + 1) {
            return Outcome::Failed(format!(
                "line {} of the output is {:?}, not {:?}",
                at + 1,
                own.map_or("", String::as_str),
                wanted.map_or("", String::as_str)
            ));
        }
    }
    Outcome::Passed
}
