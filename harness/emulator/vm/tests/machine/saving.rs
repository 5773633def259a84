//! A state is written to bytes and read again, at any place of any program, and goes on as if nothing had happened.

use craftos_lua::{Call, Dialect, Host, Outcome, RestoreError, Run, State, Value};

use crate::common::{Console, NATIVES, finish, state, state_named};

fn names() -> [String; 2] {
    NATIVES.map(str::to_owned)
}

/// Each is written while it is in the midst of something else.
const PROGRAMS: [(&str, &str); 10] = [
    ("coroutines", "local made = {} for n = 1, 5 do made[n] = coroutine.wrap(function(...) local sum = select('#', ...)
        while true do sum = sum + n + coroutine.yield(sum) end end) end
        for i = 1, 40 do write(made[i % 5 + 1](i)) end"),
    ("protected calls", "local function fail(n) if n == 0 then error({ code = 7 }) end return pcall(fail, n - 1) end
        for i = 1, 20 do local ok, inner, e = pcall(pcall, fail, i % 3) write(tostring(ok), tostring(inner))
        write(select(2, xpcall(error, function(m) return m .. '!' end, 'x' .. i))) end"),
    ("iterators", "local t = { a = 1, b = 2, c = 3, 10, 20, 30 }
        for k, v in pairs(t) do for i, w in ipairs(t) do write(k, v, i, w) end end
        for k, v in ('a=1, b=2, c=3'):gmatch('(%w+)=(%w+)') do write(k, v) end
        local function upto(n, i) if i < n then return i + 1 end end
        for i in upto, 10, 0 do write(i) end"),
    ("sorting", "local t = {} for i = 1, 60 do t[i] = i * 37 % 61 end
        table.sort(t, function(a, b) if a % 10 == b % 10 then return a < b end return a % 10 < b % 10 end)
        write(table.concat(t, ' ')) table.sort(t) write(table.concat(t, ' '))"),
    ("replacing", "write((('the quick brown fox'):gsub('%w+', function(w) local n = 0 for i = 1, #w do n = n + w:byte(i) end return w .. n end)))
        write((('x'):rep(200):gsub('.', { x = 'yz' })):len()) write((('abc'):gsub('', '-')))"),
    ("searching", "local s = ('a'):rep(24) write(tostring(s:find('a*a*a*b'))) write(tostring(s:find(('a'):rep(5) .. 'b', 1, true)))
        write(tostring(s:match('^(a-)a$') ~= nil))"),
    ("formatting", "local object = setmetatable({}, { __tostring = function() local s = '' for i = 1, 9 do s = s .. i end return s end })
        write(('%5d|%s|%-12s|%q'):format(42, object, object, 'a\\nb'))"),
    ("loading", "local pieces, at = { 'local a = ', '1 ', 'return ', 'function() a = a + 1 return a end' }, 0
        local f = load(function() at = at + 1 local x = 0 for i = 1, 20 do x = x + i end return pieces[at] end, '=made')()
        for i = 1, 5 do write(f()) end write(tostring(load('x x')))"),
    ("metamethods", "local meta = {} meta.__index = function(t, k) return k .. '?' end
        meta.__add = function(a, b) return setmetatable({ v = a.v + b.v }, meta) end
        meta.__lt = function(a, b) return a.v < b.v end meta.__concat = function(a, b) return 'joined' end
        meta.__call = function(self, x) return x * 2 end meta.__eq = function() return true end
        local a, b = setmetatable({ v = 1 }, meta), setmetatable({ v = 2 }, meta)
        for i = 1, 10 do write((a + b).v, tostring(a < b), a .. 'x', a(i), a.none, tostring(a == b)) end"),
    ("hooks and goto", "local lines = 0 debug.sethook(function() lines = lines + 1 end, 'l')
        local i = 1
        ::again::
        i = i + 1
        if i < 20 then goto again end
        debug.sethook() write(lines) for _ = 1, 8 do write(math.random(1000)) end write(tostring({}):sub(1, 6))
        local weak = setmetatable({}, { __mode = 'k' }) for i = 1, 50 do weak[{}] = { i } end collectgarbage() write(tostring(next(weak)))"),
];

/// Writes and reads the state after every so many instructions; primes, so that the places differ.
const SLICES: [u64; 2] = [29, 211];

fn assert_goes_on(name: &str, program: &str) {
    let (mut whole, mut expected) = (state(program), Console::default());
    finish(&mut whole, &mut expected, u64::MAX);
    assert!(!expected.0.is_empty(), "{name} writes something");
    for slice in SLICES {
        let (mut state, mut console) = (state(program), Console::default());
        state.collect_in_steps_of(20);
        loop {
            let bytes = state.save();
            state = State::restore(&bytes, names()).expect("it was written just now");
            assert_eq!(state.save(), bytes, "{name}, {slice} at a time");
            assert_eq!(state.used(), state.measured(), "{name}, {slice} at a time");
            match state.run(&mut console, slice) {
                Run::OutOfBudget => {}
                Run::Finished(_) => break,
                other => panic!("{name}: {other:?}"),
            }
        }
        assert_eq!(console.text(), expected.text(), "{name}, {slice} at a time");
    }
}

#[test]
fn a_program_goes_on_after_it_was_written_and_read() {
    for (name, program) in PROGRAMS {
        assert_goes_on(name, program);
    }
}

#[test]
fn a_state_that_was_read_does_the_same_to_the_instruction() {
    let program = "local t = {} for i = 1, 3000 do t[i % 70] = { i, tostring(i) } end write(#t) write(collectgarbage('count'))";
    let mut first = state(program);
    assert!(matches!(first.run(&mut Console::default(), 9000), Run::OutOfBudget));
    let mut second = State::restore(&first.save(), names()).expect("it was written just now");
    let (mut one, mut two) = (Console::default(), Console::default());
    loop {
        let ended = matches!(first.run(&mut one, 500), Run::Finished(_));
        assert_eq!(matches!(second.run(&mut two, 500), Run::Finished(_)), ended);
        assert_eq!(first.save(), second.save());
        if ended {
            break;
        }
    }
    assert_eq!(one.text(), two.text());
}

/// Knows natives under other numbers than the console does.
struct Other(Console);

impl Host for Other {
    fn call(&mut self, native: u32, call: &mut Call<'_>, resumed: Option<f64>) -> Result<Outcome, Value> {
        let number = match native {
            2 => 0,
            0 => 1,
            _ => return Err(call.error("nobody calls this")),
        };
        self.0.call(number, call, resumed)
    }
}

#[test]
fn natives_are_found_by_their_names() {
    let program =
        "local names = { [write] = 'write', [raw] = 'raw', [print or 1] = 'none', [pairs] = 'pairs' }
        coroutine.yield() write(names[write], names[raw], names[pairs]) raw('raw') write('!')";
    let mut state = state(program);
    assert!(matches!(state.run(&mut Console::default(), u64::MAX), Run::Yielded(_)));
    let bytes = state.save();
    let others = ["raw", "more", "write"].map(str::to_owned);
    let mut state = State::restore(&bytes, others).expect("all natives are there");
    state.resume(&[]).expect("there is room");
    let mut host = Other(Console::default());
    assert!(matches!(state.run(&mut host, u64::MAX), Run::Finished(_)));
    assert_eq!(host.0.text(), "writerawpairs\nraw!\n");

    let error = State::restore(&bytes, ["write".to_owned()]).expect_err("one is missing");
    assert_eq!(error, RestoreError::UnknownNative("raw".to_owned()));
}

#[test]
fn other_bytes_are_refused() {
    let bytes = state("write('hello')").save();
    assert_eq!(State::restore(b"", names()).expect_err("nothing"), RestoreError::Foreign);
    assert_eq!(State::restore(&[7; 100], names()).expect_err("no state"), RestoreError::Foreign);
    let mut newer = bytes.clone();
    newer[8] = 200;
    assert_eq!(State::restore(&newer, names()).expect_err("another version"), RestoreError::Version(200));
    for at in (20..bytes.len()).step_by(97) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1;
        assert_eq!(State::restore(&damaged, names()).expect_err("damaged"), RestoreError::Damaged, "at {at}");
        assert_eq!(
            State::restore(&bytes[..at], names()).expect_err("cut off"),
            RestoreError::Damaged,
            "at {at}"
        );
    }
}

#[test]
fn what_a_function_is_called_and_where_it_failed_is_kept() {
    let program = "local function inner(value) coroutine.yield() return value.field.more end
        local ok, message = pcall(inner, {}) write(message) write(debug.getinfo(inner, 'S').short_src)";
    let mut state = state_named(program, "@names.lua", Dialect::CraftosPc);
    assert!(matches!(state.run(&mut Console::default(), u64::MAX), Run::Yielded(_)));
    let mut state = State::restore(&state.save(), names()).expect("it was written just now");
    state.resume(&[]).expect("there is room");
    let mut console = Console::default();
    finish(&mut state, &mut console, u64::MAX);
    assert_eq!(console.text(), "names.lua:1: attempt to index field 'field' (a nil value)\nnames.lua\n");
}
