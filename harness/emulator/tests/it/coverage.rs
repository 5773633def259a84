//! `--coverage`: which lines ran, on all computers, in all their boots, however files were loaded.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::context::TestContext;

/// The lines of each file, with how often they ran.
type Files = BTreeMap<String, Vec<(u64, u64)>>;

/// What is in the file: for each boot the computer, and what it ran.
fn boots(context: &TestContext) -> Vec<(u64, Files)> {
    let number = |value: &Value| value.as_u64().expect("it is a number");
    let boot = |line: &str| {
        let boot: Value = serde_json::from_str(line).expect("a line is JSON");
        let files = boot["files"].as_object().expect("files have names").iter().map(|(name, lines)| {
            let lines = lines.as_array().expect("lines are a list");
            (name.clone(), lines.iter().map(|line| (number(&line[0]), number(&line[1]))).collect())
        });
        (number(&boot["computer"]), files.collect())
    };
    context.read("lines.json").lines().map(boot).collect()
}

fn run(context: &TestContext, arguments: &[&str]) {
    let mut command = context.command();
    command.arg("--coverage").arg(context.path().join("lines.json")).args(arguments);
    let output = command.output().expect("the program runs");
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn lines_are_counted_in_every_computer_and_every_boot() {
    let context = TestContext::new();
    let startup = "local first = not fs.exists('seen')
if first then
    fs.open('seen', 'w').close()
    os.reboot()
    coroutine.yield()
end
local run = coroutine.wrap(function()
    for _ = 1, 3 do
        coroutine.yield()
    end
end)
for _ = 1, 3 do run() end
os.shutdown()
print('never')";
    for id in [3, 4] {
        context.write(&format!("computer/{id}/startup.lua"), startup);
    }
    run(&context, &["-i", "3,4"]);
    let mut boots = boots(&context);
    boots.sort();
    let ran: Vec<(u64, &[(u64, u64)])> =
        boots.iter().map(|(computer, files)| (*computer, &files["/startup.lua"][..])).collect();
    let lines = [1, 2, 3, 4, 5, 7, 8, 9, 11, 12, 13, 14];
    let first = lines.map(|line| (line, u64::from(line < 5)));
    let again = [1, 1, 0, 0, 0, 1, 2, 3, 1, 3, 1, 0];
    let second: Vec<(u64, u64)> = lines.into_iter().zip(again).collect();
    assert_eq!(ran, [(3, &second[..]), (3, &first[..]), (4, &second[..]), (4, &first[..])]);
}

#[test]
fn a_file_is_counted_however_it_is_loaded_and_a_text_is_not() {
    let context = TestContext::new();
    for name in ["api", "done", "loaded", "module", "program"] {
        context.write(
            &format!("computer/0/lib/{name}.lua"),
            "value = 1\nif value == 2 then\n    value = 3\nend",
        );
    }
    context.write(
        "computer/0/startup.lua",
        "os.loadAPI('lib/api.lua') dofile('/lib/done.lua') loadfile('lib/../lib/loaded.lua', nil, _ENV)()
require('lib.module') shell.run('/lib/program') load('value = 2')() os.shutdown()",
    );
    run(&context, &[]);
    let [(0, files)] = &boots(&context)[..] else { panic!("one boot of one computer") };
    let expected = vec![(1, 1), (2, 1), (3, 0)];
    for name in ["api", "done", "loaded", "module", "program"] {
        assert_eq!(files[&format!("/lib/{name}.lua")], expected, "{name}");
    }
    assert_eq!(files.len(), 6, "neither the ROM nor a text is among them: {:?}", files.keys());
}

/// The runner ends a test that hangs with a signal, and wants to know what it did.
#[cfg(unix)]
#[test]
fn a_computer_that_is_terminated_says_what_it_ran() {
    use std::process::{Command, Stdio};

    let context = TestContext::new();
    context.write("computer/0/startup.lua", "fs.makeDir('busy')\nwhile true do\n    local x = 1\nend");
    let mut child = Command::new(env!("CARGO_BIN_EXE_embedded-craftos"))
        .args(["--headless", "-d"])
        .arg(context.path())
        .arg("--coverage")
        .arg(context.path().join("lines.json"))
        .stdout(Stdio::null())
        .spawn()
        .expect("the program starts");
    while !context.path().join("computer/0/busy").exists() {
        assert!(child.try_wait().expect("it can be asked").is_none(), "it runs");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    Command::new("kill").arg(child.id().to_string()).status().expect("there is `kill`");
    child.wait().expect("it ends");
    let [(0, files)] = &boots(&context)[..] else { panic!("one boot of one computer") };
    assert!(matches!(files["/startup.lua"][..], [(1, 1), (3, 1..), ..]), "{files:?}");
}
