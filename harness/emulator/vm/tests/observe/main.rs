//! What a host sees of a program: counters of lines, stops before lines, mistakes in a text.

use craftos_lua::{Checked, Dialect, NoHost, Place, Run, State, Watched, check, compile};

const MEMORY: usize = 4 * 1024 * 1024;

const PROGRAM: &str = "local total = 0
local function add(n)
    total = total + n
end
for i = 1, 3 do
    add(i)
end
if total > 100 then
    add(1)
end
local function never()
    return 1
end
return total";

fn started(state: &mut State, text: &str) {
    let main = state.load(text.as_bytes(), "@program.lua").expect("the program is Lua");
    state.start(main, &[]).expect("there is room");
}

fn counts(state: &State) -> Vec<(u32, u32)> {
    let chunks = state.line_counts();
    chunks.get(&b"@program.lua"[..]).map_or_else(Vec::new, |lines| lines.clone().into_iter().collect())
}

#[test]
fn lines_are_counted_on_request() {
    let mut state = State::new(MEMORY);
    started(&mut state, PROGRAM);
    assert!(matches!(state.run(&mut NoHost, u64::MAX), Run::Finished(_)));
    assert!(counts(&state).is_empty(), "nothing is counted unless a host asks for it");

    state.count_lines(true);
    started(&mut state, PROGRAM);
    assert!(matches!(state.run(&mut NoHost, u64::MAX), Run::Finished(_)));
    // A collection takes the functions, and not their counters.
    state.collect();
    let expected = [(1, 1), (3, 3), (4, 3), (5, 3), (6, 3), (8, 1), (9, 0), (12, 0), (13, 1), (14, 1)];
    assert_eq!(counts(&state), expected);
}

#[test]
fn a_copy_counts_on_its_own() {
    let mut state = State::new(MEMORY);
    state.count_lines(true);
    started(&mut state, "local n = 0\nwhile n < 10 do\nn = n + 1\nend");
    state.run(&mut NoHost, 8);
    let mut copy = state.clone();
    let before = counts(&state);
    assert!(matches!(copy.run(&mut NoHost, u64::MAX), Run::Finished(_)));
    assert_eq!(counts(&state), before);
    assert!(counts(&copy).contains(&(3, 10)));
}

#[test]
fn a_function_knows_the_lines_that_can_run() {
    let main = compile(PROGRAM.as_bytes(), b"@program.lua", usize::MAX, Dialect::Stock).expect("it is Lua");
    // A function is made on the line of its end, as in Lua.
    assert_eq!(main.executable_lines(), [1, 3, 4, 5, 6, 8, 9, 12, 13, 14]);
}

/// All lines before which the program stops.
fn stops(text: &str, stop: impl FnMut(&Place) -> bool) -> Vec<u32> {
    let mut state = State::new(MEMORY);
    started(&mut state, text);
    let (mut stop, mut lines) = (stop, Vec::new());
    loop {
        match state.run_watched(&mut NoHost, 1000, &mut stop) {
            Watched::Stopped(place) => {
                assert_eq!(&*place.source, b"@program.lua");
                lines.push(place.line);
            }
            Watched::Ran(Run::OutOfBudget) => {}
            Watched::Ran(Run::Finished(_)) => return lines,
            other @ Watched::Ran(_) => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_program_stops_before_each_line() {
    let expected = [1, 4, 5, 6, 3, 4, 5, 6, 3, 4, 5, 6, 3, 4, 5, 8, 13, 14];
    let lines = stops(PROGRAM, |_| true);
    assert_eq!(lines, expected);
}

#[test]
fn a_breakpoint_stops_before_its_line() {
    assert_eq!(stops(PROGRAM, |place| place.line == 3), [3, 3, 3]);
    assert!(stops(PROGRAM, |place| place.line == 9).is_empty());
}

#[test]
fn a_step_over_a_call_stays_in_its_function() {
    assert!(!stops(PROGRAM, |place| place.depth <= 1).contains(&3));
}

#[test]
fn a_loop_on_one_line_stops_in_each_round() {
    assert_eq!(stops("local n = 0\nwhile n < 3 do n = n + 1 end", |place| place.line == 2).len(), 4);
}

#[test]
fn a_mistake_has_its_line_and_its_reason() {
    assert_eq!(
        check(b"local x = 1\nreturn x", b"@tool.lua", Dialect::CraftosPc),
        Ok(Checked { returns: true })
    );
    assert_eq!(check(b"do return end", b"@tool.lua", Dialect::CraftosPc), Ok(Checked { returns: false }));
    let error = check(b"local x = 1\nx = = 2", b"@tool.lua", Dialect::CraftosPc).expect_err("that is no Lua");
    assert_eq!(error.line, 2);
    assert_eq!(error.reason, b"unexpected symbol near '='");
    assert_eq!(error.to_string(), "tool.lua:2: unexpected symbol near '='");
}

#[test]
fn texts_that_are_deep_or_large_are_checked_without_a_deep_stack() {
    const LARGE: usize = 1 << 20;
    let deep = [
        format!("return {}1", "not ".repeat(LARGE / 4)),
        format!("return {}1", "- ".repeat(LARGE / 2)),
        format!("return {}1{}", "(".repeat(LARGE / 2), ")".repeat(LARGE / 2)),
        format!("return {}{}", "{".repeat(LARGE / 2), "}".repeat(LARGE / 2)),
        format!("{}{}", "do ".repeat(LARGE / 7), "end ".repeat(LARGE / 7)),
        format!("{}{}", "while x do ".repeat(LARGE / 15), "end ".repeat(LARGE / 15)),
        format!("return {}1", "2 ^ ".repeat(LARGE / 4)),
        format!("return {}1", "'' .. ".repeat(LARGE / 6)),
        format!("return {}", "function() return ".repeat(LARGE / 17)),
        format!("x = a{}", "[a".repeat(LARGE / 2)),
        format!("f{}", "(f".repeat(LARGE / 2)),
        format!("if x then {}", "elseif x then ".repeat(LARGE / 14)),
        format!("x = a{}", ".b".repeat(LARGE / 2)),
        format!("x = a{}", " + a".repeat(LARGE / 4)),
        format!("f{}", "()".repeat(LARGE / 2)),
    ];
    // A small stack: what recursed with the text would overflow it.
    let checked = std::thread::Builder::new().stack_size(2 << 20).spawn(move || {
        for text in &deep {
            // Whether it is Lua is not the question here.
            let _ = check(text.as_bytes(), b"=deep", Dialect::CraftosPc);
        }
    });
    checked.expect("a thread can be started").join().expect("no text makes the check panic");
}

#[test]
fn a_program_that_waits_says_at_which_line() {
    let mut state = State::new(MEMORY);
    let text = "local worker = coroutine.create(function()
    while true do
        coroutine.yield()
    end
end)
local left = coroutine.create(function() coroutine.yield() end)
coroutine.resume(left)
local wait = coroutine.yield
while true do
    coroutine.resume(worker)
    wait()
    wait()
end";
    started(&mut state, text);
    let own = |source: &[u8]| source == b"@program.lua";
    assert_eq!(state.standing(&own), None, "it has not begun");
    assert!(matches!(state.run(&mut NoHost, u64::MAX), Run::Yielded(_)));
    let standing = state.standing(&own).expect("it waits");
    assert_eq!(
        (&standing.source[..], standing.line),
        (&b"@program.lua"[..], 3),
        "the last one that was resumed"
    );
    assert_eq!(state.standing(&|_| false), None, "no such chunk is on any stack");
}
