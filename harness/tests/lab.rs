//! What a Rust program that depends on the harness sees, without a word about where its program is.
//!
//! This test is also why Cargo builds `craftos-harness` for `cargo test`: the example in the documentation of
//! [`craftos_harness::Lab`] runs it, and Cargo builds a package's programs for its integration tests only.

use craftos_harness::Lab;
use craftos_harness::emulators::{Kind, find};

#[tokio::test]
async fn a_lab_runs_on_the_program_that_cargo_built() {
    let found = find(&["embedded".to_owned()], None).await.expect("Cargo built it").emulators.remove(0);
    assert_eq!(found.kind, Kind::Embedded);
    let built = std::path::Path::new(env!("CARGO_BIN_EXE_craftos-harness"));
    assert_eq!(found.path.canonicalize().unwrap(), built.canonicalize().unwrap());

    let lab = Lab::new().file("word", "hello").setting("test.number", "7").boot().await.expect("it boots");
    let code = r#"local file = fs.open("word", "r") local word = file.readAll() file.close()
        return word, settings.get("test.number")"#;
    let called = lab.exec(0, code).await.expect("it is called");
    let returns = &called.structured.expect("exec-lua has structured content")["returns"];
    assert_eq!((&returns[0]["value"], &returns[1]["value"]), (&"hello".into(), &7.into()));
    lab.end().await;
}
