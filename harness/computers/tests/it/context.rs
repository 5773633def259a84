//! What the tests share: emulators, and computers that run a chunk.

use std::time::Duration;

use craftos_computers::computer::{Computer, Spec};
use craftos_computers::emulators::{Emulator, Kind, find, use_program};

/// The program that plays the roles.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_computers-test-program");

/// Longer than anything here takes on a busy machine. Reaching it is a failure, never a pause.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// How long something is waited for that never comes. However slow the machine is, it does not come.
pub const NEVER: Duration = Duration::from_millis(300);

/// The variable that names emulators that must be there.
const REQUIRE: &str = "HARNESS_REQUIRE";

/// An emulator; nothing where it is not there, which is said, and an error where it is required.
pub async fn emulator(kind: Kind) -> Option<Emulator> {
    use_program(PROGRAM);
    match find(&[kind.to_string()], None).await {
        Ok(mut found) => Some(found.emulators.remove(0)),
        Err(error) => {
            assert_eq!(kind, Kind::CraftosPc, "the embedded emulator is always there: {error}");
            let required = std::env::var(REQUIRE).unwrap_or_default();
            assert!(!required.split(',').any(|name| name == kind.to_string()), "{kind} is required: {error}");
            eprintln!("did not run on {kind}: {error}");
            None
        }
    }
}

/// A computer that runs this chunk.
pub fn running(id: u32, chunk: &str) -> Spec {
    let mut spec = Spec { program: "/chunk.lua".to_owned(), ..Spec::new(id) };
    spec.files.insert("chunk.lua".to_owned(), chunk.to_owned());
    spec
}

/// Boots a computer that runs this chunk.
pub fn boot(emulator: &Emulator, chunk: &str) -> Computer {
    Computer::boot(emulator, running(12, chunk)).expect("it starts")
}
