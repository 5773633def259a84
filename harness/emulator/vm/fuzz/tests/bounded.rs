//! A run that CI can afford: the same cases every time, against Debian's `lua5.2` where it is installed.

use std::process::Command;

/// Enough to meet every function with arguments of every kind, in some ten seconds.
const CASES: &str = "20000";

#[test]
fn made_up_programs_and_calls_do_the_same_on_lua_5_2() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lua-fuzz"));
    command.args(["--count", CASES, "--seed", "1", "--against", "lua5.2"]);
    // Where it must not be skipped, the environment says so: `LUA_FUZZ_REQUIRE=lua5.2`.
    if let Some(required) = std::env::var_os("LUA_FUZZ_REQUIRE") {
        command.arg("--require").arg(required);
    }
    let output = command.output().expect("the fuzzer runs");
    let report = String::from_utf8_lossy(&output.stdout);
    println!("{report}");
    assert!(output.status.success(), "{report}{}", String::from_utf8_lossy(&output.stderr));
}
