//! A large text is compiled as long as the host lets it.

use craftos_lua::{Call, Host, Outcome, Run, State, Value};

use crate::common::MEMORY;

/// A host that ends work when it is asked for the so-many-eth time.
struct Patience {
    left: u32,
    asked: u32,
}

impl Host for Patience {
    fn call(&mut self, _: u32, call: &mut Call<'_>, _: Option<f64>) -> Result<Outcome, Value> {
        Err(call.error("it has no natives"))
    }

    fn interrupts_work(&mut self) -> Option<&'static str> {
        self.asked += 1;
        self.left = self.left.saturating_sub(1);
        (self.left == 0).then_some("that is enough")
    }
}

/// Loads a text of many statements, or of one.
const PROGRAM: &str = r#"
local piece, whole = ...
local text = whole:format(piece:rep(40000))
local ok, made, message = pcall(function() local made, message = load(text, "=text") return made, message end)
return ok, made, message, ok and made and made()
"#;

const STATEMENTS: [&str; 2] = ["x = 1 + x ", "local x = 0 %s return x"];
const ONE_TABLE: [&str; 2] = ["{ 1 }, ", "return #{ %s }"];

fn run(text: [&str; 2], patience: u32) -> (Vec<String>, u32) {
    let mut state = State::new(MEMORY);
    let main = state.load(PROGRAM.as_bytes(), "=main").expect("it is Lua");
    let arguments = text.map(|text| state.string(text.as_bytes()).expect("there is room"));
    state.start(main, &arguments).expect("there is room");
    let mut host = Patience { left: patience, asked: 0 };
    let values = loop {
        match state.run(&mut host, 10_000) {
            Run::OutOfBudget => {}
            Run::Finished(values) => break values,
            other => panic!("{other:?}"),
        }
    };
    let shown = values.iter().map(|value| match value {
        Value::String(_) => String::from_utf8_lossy(state.bytes(*value).expect("it is a text")).into_owned(),
        Value::Number(number) => number.to_string(),
        Value::Bool(value) => value.to_string(),
        other => other.type_name().to_owned(),
    });
    let shown = shown.collect();
    let length = text[1].len() - "%s".len() + 40_000 * text[0].len();
    assert_eq!(
        [state.take_compiled(), state.take_compiled()],
        [length, 0],
        "once, also where it is given up"
    );
    state.collect();
    assert_eq!(state.used(), state.measured(), "what was held for the text is given back");
    (shown, host.asked)
}

#[test]
fn a_large_text_is_compiled_where_nobody_minds() {
    for text in [STATEMENTS, ONE_TABLE] {
        let (values, asked) = run(text, u32::MAX);
        assert_eq!(values, ["true", "function", "nil", "40000"]);
        assert!(asked > 20, "the host was asked {asked} times");
    }
}

#[test]
fn a_large_text_is_given_up_where_the_host_says_so() {
    for text in [STATEMENTS, ONE_TABLE] {
        let (_, asked) = run(text, u32::MAX);
        // In its first part, which makes the tree, and in its last, which makes the code.
        for patience in [1, asked - 1] {
            let (values, asked) = run(text, patience);
            assert_eq!(values, ["false", "main:4: that is enough", "nil", "false"]);
            assert_eq!(asked, patience, "it ends at once");
        }
    }
}
