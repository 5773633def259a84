//! Garbage is collected while the program runs, a little at a time, and nothing that it can reach is lost.

use craftos_lua::{Dialect, Run, Value};

use crate::common::{Console, finish, state, state_named};

/// How much of a collection follows every allocation. With one value at a time there is a change between any two.
const STEPS: [usize; 3] = [1, 7, 100];

fn assert_writes_in_steps(name: &str, program: &str, expected: &str) {
    for work in STEPS {
        let (mut state, mut console) = (state_named(program, name, Dialect::Stock), Console::default());
        state.collect_in_steps_of(work);
        finish(&mut state, &mut console, u64::MAX);
        assert_eq!(console.text(), expected, "steps of {work}");
        assert_eq!(state.used(), state.measured(), "steps of {work}");
        state.collect();
        assert_eq!(state.used(), state.measured(), "steps of {work}");
    }
}

/// `print` as programs have it, and the recursion without end left out: with a step at each of its calls it takes long.
fn printing(program: &str) -> String {
    let prelude = "function print(...) local shown = {} for i = 1, select('#', ...) do shown[i] = tostring((select(i, ...))) end \
        write(table.concat(shown, '\\t')) end io = { write = function(...) raw(...) end } ";
    let program: String = program
        .lines()
        .map(|line| {
            if line.contains("stack overflow") || line.contains("return f() + 1") {
                "\n".to_owned()
            } else {
                format!("{line}\n")
            }
        })
        .collect();
    format!("{prelude}{program}")
}

macro_rules! programs {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            let program = include_str!(concat!("../conformance/programs/", stringify!($name), ".lua"));
            let expected = include_str!(concat!("../conformance/programs/", stringify!($name), ".txt"));
            let expected: String =
                expected.lines().filter(|line| !line.contains("stack overflow")).map(|line| format!("{line}\n")).collect();
            assert_writes_in_steps(concat!("@", stringify!($name), ".lua"), &printing(program), &expected);
        })*
    };
}

mod programs_run_while_they_are_collected {
    use super::{assert_writes_in_steps, printing};

    programs! { language metamethods coroutines errors libraries debugging }
}

/// Moves references between old and new objects of every kind all the time, so that each is at times held only by an
/// object that was looked at before.
const MOVING: &str = r#"
local seed = 1
local function random(n) seed = seed * 16807 % 2147483647 return seed % n + 1 end
local function token(i) return { name = "token" .. i, number = i } end
local tables, held, count = {}, {}, 24
for i = 1, count do tables[i] = { slot = token(i) } end
-- A token is held by a table, an upvalue, a coroutine, a metatable or a native that waits, and moves on.
local kinds = {
    function(t) return { t } end, function(t) return function() return t end end,
    function(t) local co = coroutine.wrap(function() coroutine.yield() coroutine.yield(t) end) co() return co end,
    function(t) return setmetatable({}, { __index = { t } }) end,
    function(t) local cell = t return { get = function() return cell end, set = function(v) cell = v end } end,
    function(t) return ("x"):rep(30 + t.number) .. t.name, t end,
}
local function unwrap(kind, box, extra)
    if kind == 1 or kind == 4 then return box[1] elseif kind == 2 or kind == 3 then return box() end
    if kind == 5 then box.set({}) return nil end
    return extra
end
for round = 1, 600 do
    local from, to, kind = random(count), random(count), random(#kinds)
    local value = tables[from].slot
    tables[from].slot = nil
    local box, extra = kinds[kind](value)
    if kind == 5 then extra, value = box.get(), nil else value = nil end
    held[round % 5] = box
    local garbage = {}
    for i = 1, 3 do garbage[i] = { tostring(round * 10 + i) } end
    value = unwrap(kind, box, extra) or extra
    if tables[to].slot and to ~= from then tables[from].slot = tables[to].slot end
    tables[to].slot = value
    local key = "key" .. random(40)
    held[key] = held[key] and nil or { tables[to].slot, key }
end
local seen = {}
for i = 1, count do
    local found = tables[i].slot
    assert(found.name == "token" .. found.number and not seen[found.number], "a token is lost")
    seen[found.number] = true
end
for key, entry in pairs(held) do
    if type(key) == "string" then assert(entry[2] == key and entry[1].name == "token" .. entry[1].number) end
end
write("all there")
"#;

#[test]
fn what_moves_while_it_is_collected_is_not_lost() {
    assert_writes_in_steps("=moving", MOVING, "all there\n");
}

const WEAK: &str = r#"
local values, keys, both = setmetatable({}, { __mode = "v" }), setmetatable({}, { __mode = "k" }), setmetatable({}, { __mode = "kv" })
local kept = {}
for i = 1, 40 do
    local object = { i }
    values[i], values["name" .. i], keys[object], both[object] = object, "text" .. i, { object }, object
    if i % 4 == 0 then kept[#kept + 1] = object end
end
-- One that becomes strong while it is looked at keeps what it has; one that becomes weak lets go later.
local meta = { __mode = "v" }
local changing = setmetatable({}, meta)
for i = 1, 20 do changing[i] = { i } meta.__mode = i % 2 == 0 and "v" or nil end
meta.__mode = nil
local before = 0
for _ in pairs(changing) do before = before + 1 end
for i = 1, 300 do local garbage = { {}, tostring(i) } end
local after = 0
for _ in pairs(changing) do after = after + 1 end
assert(before == after, "a strong table has lost something")
collectgarbage()
local function count(t) local n = 0 for _ in pairs(t) do n = n + 1 end return n end
write(count(values) .. " " .. count(keys) .. " " .. count(both))
for _, object in ipairs(kept) do
    assert(values[object[1]] == object and keys[object][1] == object and both[object] == object)
end
for i = 1, 40 do assert(values["name" .. i] == "text" .. i) end
"#;

#[test]
fn weak_tables_let_go_of_what_nothing_else_holds() {
    assert_writes_in_steps("=weak", WEAK, "50 10 10\n");
}

#[test]
fn garbage_goes_a_little_at_a_time() {
    /// What the program lets go of: far more than one step frees.
    const GARBAGE: usize = 16 * 1024 * 1024;
    /// In fewer steps than this it does not go.
    const FEWEST_STEPS: usize = 10;
    let mut state = state(
        "local function fill() local list = {} for i = 1, 150000 do list[i] = { i } end return list end
         local list = fill() coroutine.yield(#list)
         list = nil while true do local garbage = { {} } end",
    );
    let mut console = Console::default();
    assert!(matches!(state.run(&mut console, u64::MAX), Run::Yielded(_)));
    assert!(state.used() > GARBAGE);
    state.resume(&[]).expect("there is room");
    let (mut steps, mut last) = (0, state.used());
    // In far fewer rounds than these all of it is gone.
    for _ in 0..100_000 {
        assert!(matches!(state.run(&mut console, 100), Run::OutOfBudget));
        steps += usize::from(state.used() < last);
        last = state.used();
        if last < GARBAGE / 2 {
            break;
        }
    }
    assert!(last < GARBAGE / 2, "{last} bytes are left");
    assert!(steps > FEWEST_STEPS, "it went in {steps} steps");
}

/// A chain of entries, each of which is reached through the value of the one before; the tables are made from its end on, so
/// that whoever looks through them in their order finds one entry each time.
const CHAIN: &str = r#"
local length = ...
local keys, tables = {}, {}
for i = 1, length + 1 do keys[i] = {} end
for i = length, 1, -1 do tables[#tables + 1] = setmetatable({ [keys[i]] = keys[i + 1] }, { __mode = "k" }) end
local first = keys[1]
keys = nil
collectgarbage()
local key = first
for i = #tables, 1, -1 do key = assert(tables[i][key], "the chain is broken") end
tables[#tables][first] = nil
key = nil
collectgarbage()
local left = 0
for _, entry in ipairs(tables) do if next(entry) ~= nil then left = left + 1 end end
write(left)
"#;

/// How many instructions a chain of that length takes, with those that collecting it counts as.
fn chain(length: f64) -> u64 {
    const ENOUGH: u64 = 1 << 40;
    let (mut state, mut console) = (state(CHAIN), Console::default());
    let main = state.load(CHAIN.as_bytes(), "=chain").expect("it is Lua");
    state.start(main, &[Value::Number(length)]).expect("there is room");
    assert!(matches!(state.run(&mut console, ENOUGH), Run::Finished(_)));
    assert_eq!(console.text(), "0\n", "nothing holds the chain any more");
    ENOUGH - state.instructions_left()
}

#[test]
fn a_chain_of_weak_keys_takes_no_longer_than_its_entries() {
    let (short, long) = (chain(1000.0), chain(8000.0));
    assert!(long < short * 16, "eight times the entries take {long} instructions, and one time {short}");
}
