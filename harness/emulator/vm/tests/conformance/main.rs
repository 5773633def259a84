//! Programs and what they print, in every way that a state can be run.
//!
//! The texts in `programs/` were printed by Lua 5.2, that of `craftos.lua` by CraftOS-PC; `differences.lua` checks what is
//! meant to differ from Lua 5.2.

use craftos_lua::{Call, Dialect, Host, Outcome, Run, State, Value};

/// More than any of the programs needs.
const MEMORY: usize = 64 * 1024 * 1024;

/// What a program printed.
#[derive(Debug, Default, Clone)]
struct Console(Vec<u8>);

impl Host for Console {
    fn call(&mut self, _: u32, call: &mut Call<'_>, _: Option<f64>) -> Result<Outcome, Value> {
        for index in 1..=call.len() {
            let text = call.text(index)?;
            self.0.extend_from_slice(call.bytes(text));
        }
        Ok(Outcome::NONE)
    }
}

const PRELUDE: &str = "local write, tostring, select = write, tostring, select
function print(...)
    for i = 1, select('#', ...) do
        if i > 1 then write('\\t') end
        write(tostring((select(i, ...))))
    end
    write('\\n')
end
io = { write = write }";

/// A state in which `print` and `io.write` write to the console.
fn state() -> State {
    state_of(Dialect::Stock)
}

fn state_of(dialect: Dialect) -> State {
    let mut state = State::with_dialect(MEMORY, dialect);
    state.set_host_natives(["write".to_owned()]);
    let write = state.host_native(0);
    state.set_global("write", write).expect("there is room");
    let prelude = state.load(PRELUDE.as_bytes(), "=prelude").expect("the prelude is Lua");
    state.start(prelude, &[]).expect("there is room");
    assert!(matches!(state.run(&mut Console::default(), u64::MAX), Run::Finished(_)), "the prelude runs");
    state
}

fn begin(state: &mut State, program: &str, name: &str) {
    let main = state.load(program.as_bytes(), &format!("@{name}")).expect("the program is Lua");
    state.start(main, &[]).expect("there is room");
}

fn finish(state: &mut State, console: &mut Console, slice: u64) {
    loop {
        match state.run(console, slice) {
            Run::OutOfBudget => {}
            Run::Finished(_) => return,
            Run::Error(error) => {
                let text = state.bytes(error).map(String::from_utf8_lossy);
                panic!("{text:?} after:\n{}", String::from_utf8_lossy(&console.0));
            }
            Run::Yielded(_) => panic!("no program here waits for its host"),
        }
    }
}

fn assert_printed(console: &Console, expected: &str) {
    let printed = String::from_utf8_lossy(&console.0);
    for (number, (line, other)) in printed.lines().zip(expected.lines()).enumerate() {
        assert_eq!(line, other, "line {}", number + 1);
    }
    assert_eq!(printed.lines().count(), expected.lines().count());
}

/// Each program in each way: a test for every pair.
macro_rules! programs {
    ($($name:ident)*) => {
        $(mod $name {
            const TEXT: &str = include_str!(concat!("programs/", stringify!($name), ".lua"));
            const EXPECTED: &str = include_str!(concat!("programs/", stringify!($name), ".txt"));
            const FILE: &str = concat!(stringify!($name), ".lua");

            #[test]
            fn prints_what_lua_prints() {
                let (mut state, mut console) = (super::state(), super::Console::default());
                super::begin(&mut state, TEXT, FILE);
                super::finish(&mut state, &mut console, u64::MAX);
                super::assert_printed(&console, EXPECTED);
                assert_eq!(state.used(), state.measured());
                state.collect();
                assert_eq!(state.used(), state.measured());
            }

            #[test]
            fn stops_after_every_instruction() {
                let (mut state, mut console) = (super::state(), super::Console::default());
                super::begin(&mut state, TEXT, FILE);
                super::finish(&mut state, &mut console, 1);
                super::assert_printed(&console, EXPECTED);
            }

            #[test]
            fn survives_a_collection_after_every_allocation() {
                let (mut state, mut console) = (super::state(), super::Console::default());
                state.collect_always(true);
                super::begin(&mut state, &super::shallow(TEXT), FILE);
                super::finish(&mut state, &mut console, u64::MAX);
                super::assert_printed(&console, &super::shallow(EXPECTED));
            }

            #[test]
            fn goes_on_in_a_copy() {
                super::run_in_copies(TEXT, FILE, EXPECTED);
            }

            #[test]
            fn fails_cleanly_when_memory_runs_out() {
                super::run_out_of_memory(&super::shallow(TEXT), FILE);
            }
        })*
    };
}

programs! { language metamethods coroutines errors libraries debugging }

/// Leaves out the recursion without end, and what it prints: with a collection at each of its steps it takes minutes.
/// The lines of the program keep their numbers.
fn shallow(text: &str) -> String {
    text.lines().filter(|line| !line.contains("stack overflow")).fold(String::new(), |all, line| {
        if line.contains("return f() + 1") { all + "\n" } else { all + line + "\n" }
    })
}

/// Goes on in a clone again and again, and leaves what it was cloned from.
fn run_in_copies(program: &str, name: &str, expected: &str) {
    /// A prime, so that the places differ from run to run.
    const SLICE: u64 = 997;
    let (mut state, mut console) = (state(), Console::default());
    begin(&mut state, program, name);
    loop {
        state = state.clone();
        match state.run(&mut console, SLICE) {
            Run::OutOfBudget => {}
            Run::Finished(_) => break,
            other => panic!("{other:?}"),
        }
    }
    assert_printed(&console, expected);
}

/// Fails one allocation after the other: nothing panics, and the error is the ordinary one or was caught.
fn run_out_of_memory(program: &str, name: &str) {
    /// Every so many allocations at most, so that long programs end.
    const MOST_RUNS: u64 = 400;
    let fresh = state();
    let mut probe = fresh.clone();
    begin(&mut probe, program, name);
    finish(&mut probe, &mut Console::default(), u64::MAX);
    let total = probe.allocations() - fresh.allocations();
    let step = (total / MOST_RUNS).max(1);
    let mut at = 1;
    while at <= total {
        let mut state = fresh.clone();
        if let Ok(main) = state.load(program.as_bytes(), &format!("@{name}")) {
            state.fail_allocation(at);
            if state.start(main, &[]).is_ok()
                && let Run::Error(error) = state.run(&mut Console::default(), u64::MAX)
            {
                // A program may fail of something else that memory has spoiled, but always with a value.
                let _ = state.bytes(error);
            }
        }
        at += step;
    }
}

#[test]
fn a_state_has_the_words_of_craftos_pc_on_request() {
    let (mut state, mut console) = (state_of(Dialect::CraftosPc), Console::default());
    begin(&mut state, include_str!("programs/craftos.lua"), "craftos.lua");
    finish(&mut state, &mut console, u64::MAX);
    assert_printed(&console, include_str!("programs/craftos.txt"));
}

#[test]
fn what_differs_from_lua_5_2_is_meant() {
    let (mut state, mut console) = (state(), Console::default());
    begin(&mut state, include_str!("programs/differences.lua"), "differences.lua");
    finish(&mut state, &mut console, u64::MAX);
}

#[test]
fn a_program_cannot_use_more_than_its_memory() {
    const LIMIT: usize = 2 * 1024 * 1024;
    let mut state = State::new(LIMIT);
    let text = b"local kept = {}
        local ok, message = pcall(function() while true do kept[#kept + 1] = ('x'):rep(1000) .. #kept end end)
        kept = nil
        local grown = pcall(string.rep, 'x', 2 ^ 40)
        return ok, message, grown, #('y'):rep(1000)";
    let main = state.load(text, "=main").expect("it is Lua");
    state.start(main, &[]).expect("there is room");
    let Run::Finished(values) = state.run(&mut Console::default(), u64::MAX) else {
        panic!("it catches its errors")
    };
    assert!(!values[0].is_true());
    assert_eq!(state.bytes(values[1]), Some(&b"not enough memory"[..]));
    assert!(!values[2].is_true());
    assert_eq!(values[3].as_number(), Some(1000.0));
    assert!(state.used() <= LIMIT);
}

#[test]
fn one_text_of_code_serves_many_states() {
    let proto = craftos_lua::compile(b"n = (n or 0) + 1 return n", b"=shared", usize::MAX, Dialect::Stock)
        .expect("it is Lua");
    let handles: Vec<_> = (0..4)
        .map(|_| {
            let proto = proto.clone();
            std::thread::spawn(move || {
                let mut state = State::new(MEMORY);
                let environment = Value::Table(state.globals());
                let main = state.instantiate(&proto, environment).expect("there is room");
                state.start(main, &[]).expect("there is room");
                match state.run(&mut Console::default(), 1000) {
                    Run::Finished(values) => values[0].as_number(),
                    _ => None,
                }
            })
        })
        .collect();
    for handle in handles {
        assert_eq!(handle.join().expect("it does not panic"), Some(1.0));
    }
}

#[test]
fn deep_nesting_is_an_error_and_long_chains_are_not() {
    let mut state = State::new(MEMORY);
    for (open, close) in
        [("(", ")"), ("{", "}"), ("do ", " end"), ("function f() ", " end"), ("- ", ""), ("not ", "")]
    {
        let text = format!("{}{}{}", open.repeat(100_000), "1", close.repeat(100_000));
        let prefix = if open.starts_with(['d', 'f']) { "" } else { "return " };
        let error = state.load(format!("{prefix}{text}").as_bytes(), "=deep").expect_err("it is too deep");
        assert!(error.to_string().contains("limit is 200") || error.to_string().contains("near"), "{error}");
    }
    for (first, more) in
        [("1", "+1"), ("a", ".a"), ("a", "()"), ("a", " and a"), ("a", " or a"), ("a", "<a"), ("a", ":a()")]
    {
        let text = format!("return {first}{}", more.repeat(100_000));
        state.load(text.as_bytes(), "=long").expect("a long chain is no deep one");
    }
}
