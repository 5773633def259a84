//! Runs a Lua file with `print` and `os.clock`: for tests and for comparing speed.
//!
//! `lua FILE [ARGUMENT…]`; with `COLLECT=1` in the environment it collects after every allocation, with `SLICE=N` it
//! runs N instructions at a time, with `CRAFTOS=1` it has the words of CraftOS-PC, with `COUNT=1` it counts
//! lines.

use std::io::Write as _;
use std::process::ExitCode;
use std::time::Instant;

use craftos_lua::{Call, Dialect, Host, Outcome, Run, State, Value};

/// What a program may use.
const MEMORY: usize = 1 << 30;

struct Console {
    out: std::io::BufWriter<std::io::Stdout>,
    start: Instant,
}

const NATIVES: [&str; 4] = ["write", "os.clock", "os.exit", "os.time"];

/// `print` with the text of each value as `tostring` gives it.
const PRELUDE: &str = "local write, tostring, select = write, tostring, select
function print(...)
    for i = 1, select('#', ...) do
        if i > 1 then write('\\t') end
        local text = tostring((select(i, ...)))
        if type(text) ~= 'string' then error(\"'tostring' must return a string to 'print'\") end
        write(text)
    end
    write('\\n')
end
function require(name) return _G[name] end
package = { loaded = { _G = _G, string = string, table = table, math = math, coroutine = coroutine, debug = debug } }
io = { write = function(...) for i = 1, select('#', ...) do write(tostring((select(i, ...)))) end end }";

/// Runs the program, and shows where an error came from.
const TRACED: &str = "local main = ...
local ok, message = xpcall(main, function(message)
    return debug.traceback(tostring(message), 2)
end, select(2, ...))
if not ok then error(message, 0) end";

impl Host for Console {
    fn call(&mut self, native: u32, call: &mut Call<'_>, _: Option<f64>) -> Result<Outcome, Value> {
        match native {
            0 => {
                let text = call.text(1)?;
                self.out.write_all(call.bytes(text)).map_err(|_| Value::Nil)?;
                Ok(Outcome::NONE)
            }
            1 => Ok(Outcome::One(Value::Number(self.start.elapsed().as_secs_f64()))),
            3 => Ok(Outcome::One(Value::Number(0.0))),
            _ => {
                let _ = self.out.flush();
                std::process::exit(i32::from(!call.arg(1).is_nil()))
            }
        }
    }
}

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let Some(path) = arguments.next() else {
        eprintln!("usage: lua FILE");
        return ExitCode::from(2);
    };
    let text = std::fs::read(&path).expect("the file is readable");
    let dialect = if std::env::var_os("CRAFTOS").is_some() { Dialect::CraftosPc } else { Dialect::Stock };
    let mut state = State::with_dialect(MEMORY, dialect);
    state.set_host_natives(NATIVES.iter().map(|name| (*name).to_owned()));
    let os = state.new_table().expect("there is room");
    state.set_global("os", Value::Table(os)).expect("there is room");
    for (number, name) in (0..).zip(NATIVES) {
        let native = state.host_native(number);
        if let Some(field) = name.strip_prefix("os.") {
            let key = state.string(field.as_bytes()).expect("there is room");
            state.raw_set(os, key, native).expect("there is room");
        } else {
            state.set_global(name, native).expect("there is room");
        }
    }
    let mut host = Console { out: std::io::BufWriter::new(std::io::stdout()), start: Instant::now() };
    let prelude = state.load(PRELUDE.as_bytes(), "=prelude").expect("the prelude is Lua");
    state.start(prelude, &[]).expect("there is room");
    state.run(&mut host, u64::MAX);
    if std::env::var_os("COLLECT").is_some() {
        state.collect_always(true);
    }
    if std::env::var_os("COUNT").is_some() {
        state.count_lines(true);
    }
    let slice = std::env::var("SLICE").ok().and_then(|slice| slice.parse().ok()).unwrap_or(u64::MAX);
    let name = format!("@{path}");
    let main = match state.load(&text, &name) {
        Ok(main) => main,
        Err(error) => {
            eprintln!("lua: {error}");
            return ExitCode::FAILURE;
        }
    };
    let traced = state.load(TRACED.as_bytes(), "=traced").expect("it is Lua");
    let mut given = vec![main];
    given.extend(arguments.filter_map(|text| state.string(text.as_bytes()).ok()));
    state.start(traced, &given).expect("there is room");
    loop {
        match state.run(&mut host, slice) {
            Run::OutOfBudget => {}
            Run::Finished(_) => break,
            Run::Yielded(_) => state.resume(&[]).expect("there is room"),
            Run::Error(error) => {
                let _ = host.out.flush();
                let text = state.bytes(error).map(|text| String::from_utf8_lossy(text).into_owned());
                eprintln!(
                    "lua: {}",
                    text.unwrap_or_else(|| format!("(error object is a {} value)", error.type_name()))
                );
                return ExitCode::FAILURE;
            }
        }
    }
    let _ = host.out.flush();
    ExitCode::SUCCESS
}
