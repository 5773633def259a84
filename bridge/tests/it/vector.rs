//! The vector of frames in docs/link: the schema, the bridge and the computer must agree on every one.

use mcp_bridge::link::frame::Incoming;
use mcp_bridge::link::hello::Identity;
use serde_json::{Value, json};

fn read(name: &str) -> Value {
    let path = format!("{}/../docs/link/{name}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn frames() -> Vec<Value> {
    let Value::Array(frames) = read("frames.json")["frames"].take() else { panic!("a list of frames") };
    frames
}

#[test]
fn the_schema_says_of_each_frame_what_the_vector_says() {
    let schema = jsonschema::validator_for(&read("frames.schema.json")).expect("a schema");
    for frame in frames() {
        let text = frame["text"].as_str().expect("a text");
        let valid = serde_json::from_str(text).is_ok_and(|value: Value| schema.is_valid(&value));
        assert_eq!(frame["valid"], valid, "{}", frame["name"]);
    }
}

#[test]
fn the_bridge_makes_of_each_hello_what_the_vector_says() {
    let mut seen = 0;
    for frame in frames() {
        let Some(expected) = frame.get("identity") else {
            continue;
        };
        let text = frame["text"].as_str().expect("a text");
        let hello = Incoming::parse(text).expect("a frame");
        let identity = Identity::from_hello(&hello, None, false).ok().map(|identity| {
            let agreed = identity.agreed;
            let flags = [
                ("exec-lua", agreed.exec),
                ("cancel", agreed.cancel),
                ("output", agreed.output),
                ("parts", agreed.parts),
                ("tools", agreed.tools),
            ];
            let names: Vec<&str> = flags.iter().filter(|(_, on)| *on).map(|(name, _)| *name).collect();
            json!({ "id": identity.id, "label": identity.label, "version": identity.version, "agreed": names })
        });
        assert_eq!(json!(identity), *expected, "{}", frame["name"]);
        seen += 1;
    }
    assert!(seen > 10, "only {seen} hellos in the vector");
}

#[test]
fn the_answers_of_the_vector_are_answers_to_the_bridge() {
    for frame in frames() {
        let Some(answer) = frame.get("answer") else {
            continue;
        };
        let text = answer.to_string();
        let id = Incoming::parse(&text).expect("a frame").request_id();
        assert!(id.is_some(), "{}", frame["name"]);
    }
}
