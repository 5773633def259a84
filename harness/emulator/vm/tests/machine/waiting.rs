//! A program that waits gives back what it does not use meanwhile, and goes on as if it had not.

use craftos_lua::{Run, State, Value};

use crate::common::{Console, NATIVES, state};

/// Coroutines in the midst of calls, natives and loops, all of which wait for the host.
const PROGRAM: &str = r#"
local function deep(n, ...) if n == 0 then return coroutine.yield(...) end return deep(n - 1, n, ...) + 1 end
local made = {}
for i = 1, 20 do
    made[i] = coroutine.wrap(function(first)
        local total = first
        while true do
            local ok, more = pcall(deep, i, total)
            total = total + more
            table.sort({ 3, 1, 2 }, function(a, b) return a < b end)
        end
    end)
    made[i](i)
end
local late = coroutine.create(function(a, b) return a + b end)
for round = 1, 3 do
    local given = coroutine.yield(round)
    local line = {}
    for i = 1, 20 do line[i] = made[i](given) end
    write(table.concat(line, " "))
end
write(tostring(coroutine.resume(late, 1, 2)))
"#;

/// Runs it to its end; `between` sees the state each time that it waits.
fn run(mut between: impl FnMut(&mut State)) -> String {
    let (mut state, mut console) = (state(PROGRAM), Console::default());
    loop {
        match state.run(&mut console, u64::MAX) {
            Run::Yielded(_) => {
                between(&mut state);
                state.resume(&[Value::Number(2.0)]).expect("there is room");
            }
            Run::Finished(_) => return console.text(),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_program_goes_on_after_it_was_trimmed() {
    /// Each of the coroutines has a window of registers above those that it uses.
    const LEAST: usize = 20 * 3 * 1024;
    let expected = run(|_| {});
    assert!(expected.ends_with("true\n"), "{expected}");
    let trimmed = run(|state| {
        let before = state.used();
        state.trim();
        assert!(state.used() + LEAST < before, "{before} bytes became {}", state.used());
        assert_eq!(state.used(), state.measured());
        // There is nothing more to give back.
        let after = state.used();
        state.trim();
        assert_eq!(state.used(), after);
    });
    assert_eq!(trimmed, expected);
}

#[test]
fn a_trimmed_state_can_be_copied_collected_and_written() {
    let expected = run(|_| {});
    let through = run(|state| {
        state.trim();
        let copy = state.clone();
        *state = State::restore(&copy.save(), NATIVES.map(str::to_owned)).expect("it was just written");
        state.collect();
        assert_eq!(state.used(), state.measured());
    });
    assert_eq!(through, expected);
}

#[test]
fn a_coroutine_without_room_to_go_on_is_an_error_that_can_be_caught() {
    let program = r#"
        local made = {}
        for i = 1, 2000 do made[i] = coroutine.create(function() while true do coroutine.yield() end end) coroutine.resume(made[i]) end
        coroutine.yield()
        local hoard = {}
        while pcall(function() hoard[#hoard + 1] = ("x"):rep(10000) .. #hoard end) do end
        local message
        for i = 1, 2000 do
            local ok, error = pcall(coroutine.resume, made[i])
            if not ok then message = error break end
        end
        hoard = nil
        collectgarbage()
        for i = 1, 2000 do if coroutine.status(made[i]) == "suspended" then assert(coroutine.resume(made[i])) end end
        return message"#;
    let mut state = State::new(24 * 1024 * 1024);
    let main = state.load(program.as_bytes(), "=main").expect("it is Lua");
    state.start(main, &[]).expect("there is room");
    let mut console = Console::default();
    assert!(matches!(state.run(&mut console, u64::MAX), Run::Yielded(_)));
    state.trim();
    state.resume(&[]).expect("there is room");
    match state.run(&mut console, u64::MAX) {
        Run::Finished(values) => assert_eq!(state.bytes(values[0]), Some(&b"not enough memory"[..])),
        other => panic!("{other:?}"),
    }
}
