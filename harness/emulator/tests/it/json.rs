//! `textutils` and JSON, with any values and any text.

use std::sync::{Arc, Mutex};

use embedded_craftos::lua::Value;
use embedded_craftos::{Emulator, Options};
use proptest::prelude::*;
use serde_json::Value as Json;

use crate::context::{TIMEOUT, TestContext};

/// Reads each text and writes what it read, a line for each; `error` where it is no JSON.
fn round_trips(texts: &[String]) -> Vec<String> {
    let context = TestContext::new();
    let mut options = Options::new(context.path());
    let output = Arc::new(Mutex::new(Vec::new()));
    options.output = Some(output.clone());
    options.script = Some(
        b"while true do local _, text = os.pullEvent('json') if not text then break end
        local ok, value = pcall(textutils.unserialiseJSON, text, { parse_null = true, parse_empty_array = true })
        term.native().write('> ' .. (ok and value ~= nil and textutils.serialiseJSON(value, { unicode_strings = true, allow_repetitions = true }) or 'error') .. '\\n') end
        os.shutdown()"
            .to_vec(),
    );
    let emulator = Emulator::new(options).expect("the options are good");
    let computer = emulator.boot(0).expect("it starts");
    for text in texts {
        computer.queue_event("json", [Value::from(text.as_str())]);
    }
    computer.queue_event("json", []);
    let exit =
        computer.wait_timeout(TIMEOUT).unwrap_or_else(|| panic!("no end:\n{}", computer.screen_text()));
    assert_eq!(exit.error, None);
    let output = output.lock().expect("nobody panicked").clone();
    let lines = String::from_utf8_lossy(&output).into_owned();
    lines.lines().filter_map(|line| line.strip_prefix("> ").map(str::to_owned)).collect()
}

fn json() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        (-1_000_000_i32..1_000_000).prop_map(Json::from),
        "[ -~äöü€\n\t\\u{1}]{0,12}".prop_map(Json::from),
    ];
    leaf.prop_recursive(4, 24, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Json::from),
            // An empty object comes back as an empty array: Lua has one kind of table.
            prop::collection::btree_map("[a-zäß_ ]{1,6}", inner, 1..6)
                .prop_map(|map| Json::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, ..ProptestConfig::default() })]

    #[test]
    fn what_is_read_is_written_again(values in prop::collection::vec(json(), 1..60)) {
        let texts: Vec<String> = values.iter().map(Json::to_string).collect();
        let lines = round_trips(&texts);
        prop_assert_eq!(lines.len(), values.len());
        for (value, line) in values.iter().zip(lines) {
            let again: Option<Json> = serde_json::from_str(&line).ok();
            prop_assert_eq!(again.as_ref(), Some(value), "{}", line);
        }
    }

    #[test]
    fn any_text_is_read_or_refused(
        texts in prop::collection::vec("([\\[\\]{}:,\"\\\\ ]|null|true|-?[0-9.eE+-]{1,6}|u[0-9a-f]{0,4}|[a-z]){0,16}", 1..60),
    ) {
        prop_assert_eq!(round_trips(&texts).len(), texts.len());
    }
}
