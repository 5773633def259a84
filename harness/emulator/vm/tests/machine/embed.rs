//! What a host does with a state: natives of its own, values that it keeps, limits that it sets.

use craftos_lua::{Call, Dialect, Host, NoHost, Outcome, Run, State, Value};

use crate::common::MEMORY;

/// A host whose natives end in every way that a native can.
#[derive(Default)]
struct Lab {
    /// What it was asked for.
    waits: Vec<f64>,
}

const NATIVES: [&str; 7] = ["add", "fail", "pass", "pause", "wait", "counter", "many"];

impl Host for Lab {
    fn call(&mut self, native: u32, call: &mut Call<'_>, resumed: Option<f64>) -> Result<Outcome, Value> {
        match NATIVES[native as usize] {
            "add" => Ok(Outcome::One(Value::Number(call.number(1)? + call.number_or(2, 10.0)?))),
            "fail" => Err(call.error("it is broken")),
            "pass" => {
                // Calls its first argument with the others; its results are those of the call.
                call.function(1)?;
                Ok(Outcome::TailCall(call.len() - 1))
            }
            "pause" => Ok(Outcome::Yield(call.len())),
            "wait" => {
                // Waits twice, and tells how often and with what it was resumed.
                let round = resumed.unwrap_or(0.0);
                self.waits.push(call.arg(1).as_number().unwrap_or(-1.0));
                if round < 2.0 {
                    let question = call.string(b"more?")?;
                    call.push(question)?;
                    return Ok(Outcome::Wait(1, round + 1.0));
                }
                Ok(Outcome::One(Value::Number(round)))
            }
            "counter" => {
                let next = call.bound(0).as_number().unwrap_or(0.0) + 1.0;
                call.set_bound(0, Value::Number(next));
                Ok(Outcome::One(Value::Number(next)))
            }
            _ => {
                let values: Vec<Value> = (1..=call.integer(1)?).map(|_| Value::Bool(true)).collect();
                call.push_all(&values)?;
                Ok(Outcome::Return(values.len()))
            }
        }
    }
}

fn state() -> State {
    let mut state = State::new(MEMORY);
    state.set_host_natives(NATIVES.map(str::to_owned));
    for (number, name) in (0..).zip(NATIVES) {
        let native = state.host_native(number);
        state.set_global(name, native).expect("there is room");
    }
    state
}

fn start(state: &mut State, program: &str) {
    let main = state.load(program.as_bytes(), "=main").expect("it is Lua");
    state.start(main, &[]).expect("there is room");
}

fn text(state: &State, value: Value) -> String {
    String::from_utf8_lossy(state.bytes(value).expect("it is a text")).into_owned()
}

/// The text that a program ends with.
fn result(state: &mut State, program: &str) -> String {
    start(state, program);
    match state.run(&mut Lab::default(), u64::MAX) {
        Run::Finished(values) => text(state, values[0]),
        other => panic!("{other:?}"),
    }
}

#[test]
fn natives_take_arguments_and_give_results() {
    let mut state = state();
    assert_eq!(
        result(&mut state, "return add(1, 2) .. ' ' .. add('5') .. ' ' .. select('#', many(300))"),
        "3 15 300"
    );
    assert_eq!(
        result(&mut state, "return select(2, pcall(add))"),
        "bad argument #1 to 'add' (number expected, got no value)"
    );
    assert_eq!(
        result(&mut state, "return select(2, pcall(add, {}))"),
        "bad argument #1 to 'add' (number expected, got table)"
    );
}

#[test]
fn an_error_of_a_native_has_the_place_of_its_caller() {
    let mut state = state();
    assert_eq!(result(&mut state, "return select(2, pcall(function()\nfail() end))"), "main:2: it is broken");
}

#[test]
fn a_native_hands_its_call_on() {
    let mut state = state();
    assert_eq!(
        result(&mut state, "return pass(function(...) return select('#', ...) .. ': ' .. ... end, 'a', nil)"),
        "2: a"
    );
    // However long the chain is, it takes no depth.
    let chain =
        "local function f(n) if n == 0 then return 'end' end return pass(f, n - 1) end return f(100000)";
    assert_eq!(result(&mut state, chain), "end");
}

#[test]
fn a_native_leaves_the_program_and_goes_on() {
    let (mut state, mut lab) = (state(), Lab::default());
    start(&mut state, "local got = pause('first') return got .. wait(5)");
    let Run::Yielded(values) = state.run(&mut lab, u64::MAX) else { panic!("it leaves") };
    assert_eq!(text(&state, values[0]), "first");
    assert!(state.is_waiting());
    let answer = state.string(b"answer ").expect("there is room");
    state.resume(&[answer]).expect("there is room");
    for number in [6.0, 7.0] {
        let Run::Yielded(values) = state.run(&mut lab, u64::MAX) else { panic!("it waits") };
        assert_eq!(text(&state, values[0]), "more?");
        state.resume(&[Value::Number(number)]).expect("there is room");
    }
    let Run::Finished(values) = state.run(&mut lab, u64::MAX) else { panic!("it ends") };
    assert_eq!(text(&state, values[0]), "answer 2");
    assert_eq!(lab.waits, [5.0, 6.0, 7.0]);
}

#[test]
fn a_native_has_values_of_its_own() {
    let mut state = state();
    for name in ["one", "two"] {
        let counter = state.bind_host_native(5, &[Value::Number(10.0)]).expect("there is room");
        state.set_global(name, counter).expect("there is room");
    }
    assert_eq!(result(&mut state, "one() one() return one() .. ' ' .. two()"), "13 11");
    // They are part of the state: a copy counts on its own.
    let mut copy = state.clone();
    assert_eq!(result(&mut copy, "return one() .. ''"), "14");
    assert_eq!(result(&mut state, "return one() .. ''"), "14");
}

#[test]
fn what_a_host_keeps_is_not_collected() {
    let mut state = state();
    let table = state.new_table().expect("there is room");
    let (key, value) = (
        state.string(b"key").expect("there is room"),
        state.string(b"a value of its own").expect("there is room"),
    );
    state.raw_set(table, key, value).expect("there is room");
    let number = state.keep(Value::Table(table));
    state.collect();
    start(&mut state, "for i = 1, 1000 do local t = { tostring(i) } end");
    assert!(matches!(state.run(&mut NoHost, u64::MAX), Run::Finished(_)));
    let key = state.string(b"key").expect("there is room");
    assert!(matches!(state.kept(number), Value::Table(kept) if kept == table));
    assert_eq!(text(&state, state.raw_get(table, key)), "a value of its own");
    let used = {
        state.collect();
        state.used()
    };
    assert!(matches!(state.take_kept(number), Value::Table(_)));
    assert!(state.kept(number).is_nil());
    state.collect();
    assert!(state.used() < used, "what is no longer kept goes");
}

#[test]
fn a_program_is_interrupted_where_it_is_and_can_catch_it() {
    let (mut state, mut lab) = (state(), Lab::default());
    start(&mut state, "local ok, message = pcall(function()\nwhile true do end end) return message");
    assert!(matches!(state.run(&mut lab, 1000), Run::OutOfBudget));
    assert_eq!(state.instructions_left(), 0);
    state.interrupt("Too long without yielding");
    let Run::Finished(values) = state.run(&mut lab, 1000) else { panic!("it catches the error") };
    assert_eq!(text(&state, values[0]), "main:2: Too long without yielding");
    assert!(state.instructions_left() > 900);
}

#[test]
fn a_run_is_the_same_however_it_is_cut() {
    let program = "local t = {} for i = 1, 500 do t[i] = (i * 7919) % 1009 .. '' end table.sort(t)
        return table.concat(t, ','):gsub('%d+', function(d) return d + 1 end)";
    let (mut whole, mut host) = (state(), Lab::default());
    start(&mut whole, program);
    let Run::Finished(expected) = whole.run(&mut host, u64::MAX) else { panic!("it ends") };
    let spent = u64::MAX - whole.instructions_left();
    let (mut cut, mut left, mut rounds) = (state(), 0, 0);
    start(&mut cut, program);
    let values = loop {
        rounds += 1;
        match cut.run(&mut host, 64) {
            Run::OutOfBudget => left += cut.instructions_left(),
            Run::Finished(values) => break values,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(left, 0, "nothing is left when the budget is used up");
    assert_eq!(text(&cut, values[0]), text(&whole, expected[0]));
    assert!(rounds > spent / 64 / 2, "{rounds} rounds for {spent} instructions");
}

#[test]
fn names_metatables_and_limits_are_the_hosts_to_set() {
    let mut state = State::with_dialect(MEMORY, Dialect::CraftosPc);
    assert_eq!(state.limit(), MEMORY);
    assert_eq!(state.room(), MEMORY - state.used());
    let (object, meta) =
        (state.new_table().expect("there is room"), state.new_table().expect("there is room"));
    assert_eq!(state.name_of(Value::Table(object)), "table");
    let (key, name) =
        (state.string(b"__name").expect("there is room"), state.string(b"drive").expect("there is room"));
    state.raw_set(meta, key, name).expect("there is room");
    state.set_metatable(object, Some(meta));
    assert_eq!(state.name_of(Value::Table(object)), "drive");
    state.set_metatable(object, None);
    assert_eq!(state.name_of(Value::Table(object)), "table");
    for key in [Value::Nil, Value::Number(f64::NAN)] {
        assert!(state.raw_set(object, key, Value::Bool(true)).is_err());
    }
    assert!(state.raw_next(object, Value::Nil).is_none());
}

#[test]
fn random_numbers_follow_from_the_seed() {
    let draw = |seed: u64| {
        let mut state = state();
        state.seed_random(seed);
        result(
            &mut state,
            "local t = {} for i = 1, 8 do t[i] = math.random(1000) end return table.concat(t, ' ')",
        )
    };
    assert_eq!(draw(1), draw(1));
    assert_ne!(draw(1), draw(2));
}

#[test]
fn a_program_begins_anew_after_an_error() {
    let mut state = state();
    start(&mut state, "local co = coroutine.wrap(function() error('deep') end) co()");
    let Run::Error(error) = state.run(&mut Lab::default(), u64::MAX) else { panic!("it fails") };
    assert!(text(&state, error).ends_with("deep"));
    start(&mut state, "coroutine.wrap(function() pcall(function() while true do end end) end)()");
    assert!(matches!(state.run(&mut Lab::default(), 500), Run::OutOfBudget));
    // In the midst of a coroutine, too.
    assert_eq!(result(&mut state, "return 'again'"), "again");
    state.collect();
    assert_eq!(state.used(), state.measured());
}
