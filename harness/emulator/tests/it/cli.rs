//! The command line: flags, exit codes, what goes to stderr.

use crate::context::{TestContext, text};

#[test]
fn shutdown_sets_the_exit_code_modulo_256() {
    for (given, expected) in [("", 0), ("3", 3), ("256", 0), ("-1", 255)] {
        let context = TestContext::new();
        let output = context.bios(&format!("os.shutdown({given})"), &[]);
        assert_eq!(output.status.code(), Some(expected), "os.shutdown({given}): {output:?}");
    }
}

#[test]
fn unknown_flags_and_bad_ids_are_errors() {
    for flags in
        [&["--no-such-flag"][..], &["-i", "abc"], &["-i", "5-1"], &["--mount", "x"], &["--profile", "moon"]]
    {
        let output = TestContext::new().command().args(flags).output().expect("the program runs");
        assert_eq!(output.status.code(), Some(2), "{flags:?}");
        assert!(!output.stderr.is_empty(), "{flags:?}");
    }
}

#[test]
fn help_and_version_are_printed() {
    for flag in ["-h", "--help", "-V", "--version"] {
        let output = TestContext::new().command().arg(flag).output().expect("the program runs");
        assert!(output.status.success() && text(&output.stdout).contains("embedded-craftos"), "{flag}");
    }
}

#[test]
fn bad_configuration_is_named() {
    let context = TestContext::new();
    context.settings("{ not json");
    let output = context.command().output().expect("the program runs");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("global.json"), "{output:?}");

    context.settings(r#"{"abortTimeout": "soon"}"#);
    let output = context.command().output().expect("the program runs");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("`abortTimeout`"), "{output:?}");
}

#[test]
fn a_missing_rom_mount_or_script_is_an_error_with_a_hint() {
    for flags in
        [["--rom", "/no/such/folder"], ["--mount-rw", "x=/no/such/folder"], ["--script", "/no/such/file.lua"]]
    {
        let output = TestContext::new().command().args(flags).output().expect("the program runs");
        assert_eq!(output.status.code(), Some(2), "{flags:?}");
        assert!(text(&output.stderr).contains("/no/such"), "{output:?}");
    }
}

#[test]
fn a_startup_that_fails_is_reported_and_gives_a_code() {
    let context = TestContext::new();
    context.write("computer/0/startup.lua", "print('before')\nerror('broken on purpose')");
    let output = context.command().output().expect("the program runs");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("/startup.lua:2: broken on purpose"), "{output:?}");
    assert!(text(&output.stdout).contains("before\n"), "{output:?}");

    let output = TestContext::new().command().args(["--exec", "x x"]).output().expect("the program runs");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("syntax error"), "{output:?}");
}

#[test]
fn a_startup_file_that_another_program_runs_may_fail() {
    let context = TestContext::new();
    context.write("computer/0/startup.lua", "error('broken on purpose')");
    let code = "print('it ran:', shell.run('/startup.lua')) os.shutdown(7)";
    let output = context.command().args(["--exec", code]).output().expect("the program runs");
    assert_eq!(output.status.code(), Some(7), "{output:?}");
    assert!(text(&output.stdout).contains("it ran:\tfalse\n"), "{output:?}");
}

#[test]
fn an_error_that_ends_the_bios_is_reported() {
    let output = TestContext::new().bios("error('no system')", &[]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("bios.lua:1: no system"), "{output:?}");
    let output = TestContext::new().bios("local = 1", &[]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("bios.lua"), "{output:?}");
}

#[test]
fn scripts_get_their_arguments() {
    let context = TestContext::new();
    context.write("script.lua", "local a, b, c = ... print(a, b, c) os.shutdown()");
    let script = context.path().join("script.lua");
    let output = context
        .command()
        .arg("--script")
        .arg(script)
        .args(["--args", "one  two"])
        .output()
        .expect("the program runs");
    assert!(text(&output.stdout).contains("one\ttwo\tnil\n"), "{output:?}");
}

#[test]
fn labels_come_from_the_configuration_and_go_back_to_it() {
    let context = TestContext::new();
    context.write("config/12.json", r#"{"label": "base-türtle"}"#);
    let lua =
        "local l = os.getComputerLabel() os.setComputerLabel('next') term.write(l .. '\\n') os.shutdown()";
    let output = context.bios(lua, &["-i", "12"]);
    assert_eq!(text(&output.stdout), "base-türtle\n");
    assert!(context.read("config/12.json").contains("\"next\""));
}

#[test]
fn the_folder_of_the_computers_can_be_elsewhere() {
    let context = TestContext::new();
    let elsewhere = tempfile::tempdir().expect("a folder can be made");
    let folder = elsewhere.path().to_str().expect("the path is text").to_owned();
    context.bios(
        "local f = fs.open('here', 'w') f.write('x') f.close() os.shutdown()",
        &["-C", &folder, "-i", "7"],
    );
    assert!(elsewhere.path().join("7/here").exists());
}

#[cfg(unix)]
#[test]
fn signals_write_screens_and_end_the_program_cleanly() {
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    let context = TestContext::new();
    let rom = context
        .rom("term.write('on screen') fs.open('/ready', 'w').close() while true do coroutine.yield() end");
    let mut child = Command::new(env!("CARGO_BIN_EXE_embedded-craftos"))
        .arg("-d")
        .arg(context.path())
        .arg("--rom")
        .arg(rom)
        .arg("--screen-dump")
        .arg(context.path().join("screens"))
        .stdout(Stdio::null())
        .spawn()
        .expect("the program runs");
    let deadline = Instant::now() + Duration::from_secs(30);
    let wait_for = |path: &str| {
        while !context.path().join(path).exists() {
            assert!(Instant::now() < deadline, "no {path}");
            std::thread::sleep(Duration::from_millis(5));
        }
    };
    let send = |signal: &str| {
        let sent =
            Command::new("kill").arg(signal).arg(child.id().to_string()).status().expect("there is a kill");
        assert!(sent.success());
    };
    wait_for("computer/0/ready");
    send("-USR1");
    wait_for("screens/0.png");
    assert_eq!(context.read("screens/0.txt"), "on screen\n");
    assert!(context.read("screens/0.json").contains("\"on screen"));
    send("-TERM");
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
}
