//! Many computers in one process: how they start, print and end.

use std::collections::BTreeSet;

use crate::context::{TestContext, text};

#[test]
fn the_code_is_that_of_the_first_computer_that_has_one_and_every_line_is_there() {
    let context = TestContext::new();
    let lua = "local id = os.getComputerID() term.write('computer ' .. id .. '\\n')
        if id == 7 then error('broken') end os.shutdown(({ [3] = 5, [4] = 6 })[id])";
    let output = context.bios(lua, &["-i", "0-9,12"]);
    assert_eq!(output.status.code(), Some(5), "{output:?}");
    let lines: BTreeSet<String> = text(&output.stdout).lines().map(str::to_owned).collect();
    let expected: BTreeSet<String> = (0..=9).chain([12]).map(|id| format!("computer {id}")).collect();
    assert_eq!(lines, expected);
    assert!(text(&output.stderr).contains("computer 7: bios.lua:2: broken"), "{output:?}");
}

#[test]
fn each_computer_has_its_own_folder_label_and_events() {
    let context = TestContext::new();
    context.write("config/12.json", r#"{"label": "twelve"}"#);
    context.write("config/13.json", r#"{"label": "thirteen"}"#);
    context.write("computer/12/startup.lua", "os.queueEvent('mine', 'a') print(os.getComputerLabel(), select(2, os.pullEvent('mine'))) os.shutdown()");
    context.write("computer/13/startup.lua", "os.queueEvent('mine', 'b') print(os.getComputerLabel(), select(2, os.pullEvent('mine'))) os.shutdown()");
    let output = context.command().args(["-i", "12,13"]).output().expect("the program runs");
    assert!(output.status.success(), "{output:?}");
    let printed = text(&output.stdout);
    assert!(printed.contains("twelve\ta\n") && printed.contains("thirteen\tb\n"), "{printed}");
}

#[test]
fn no_computer_runs_before_all_are_on() {
    let context = TestContext::new();
    // The first one turns all others off. One that was turned on after that would go on for ever.
    let lua = "if os.getComputerID() ~= 0 then while true do coroutine.yield() end end
        for id = 1, 199 do periphemu.create(id, 'computer') peripheral.call('computer_' .. id, 'shutdown') end
        os.shutdown(4)";
    let output = context.bios(lua, &["-i", "0-199"]);
    assert_eq!(output.status.code(), Some(4), "{output:?}");
}

#[test]
fn a_computer_can_be_turned_off_and_on_again_by_another() {
    let context = TestContext::new();
    context.write("computer/9/startup.lua", "print('nine is up') while true do os.pullEvent() end");
    let lua = "if os.getComputerID() ~= 0 then return end
        periphemu.create(9, 'computer') local nine = peripheral.wrap('computer_9')
        local function wait(on) while nine.isOn() ~= on do sleep(0.01) end end
        wait(true) nine.shutdown() wait(false) nine.turnOn() wait(true) print(nine.isOn()) nine.reboot() nine.shutdown() wait(false)
        print('zero goes on') os.shutdown(4)";
    let output = context.command().args(["-i", "0,9", "--exec", lua]).output().expect("the program runs");
    assert_eq!(output.status.code(), Some(4), "{output:?}");
    // What nine prints comes when it comes.
    let printed = text(&output.stdout);
    assert!(printed.contains("true\n") && printed.ends_with("zero goes on\n"), "{output:?}");
}

#[cfg(unix)]
#[test]
fn a_signal_ends_a_thousand_computers() {
    use std::process::{Command, Stdio};
    use std::time::Instant;

    use crate::context::TIMEOUT;

    let context = TestContext::new();
    // Half of them wait, some are busy for ever: all have to go.
    let rom = context.rom(
        "fs.open('/ready', 'w').close() if os.getComputerID() % 250 == 0 then while true do pcall(function() while true do end end) end end
        while true do coroutine.yield() end",
    );
    let mut child = Command::new(env!("CARGO_BIN_EXE_embedded-craftos"))
        .arg("-d")
        .arg(context.path())
        .arg("--rom")
        .arg(rom)
        .args(["-i", "0-999"])
        .stdout(Stdio::null())
        .spawn()
        .expect("the program runs");
    let started = Instant::now();
    for id in 0..1000 {
        let ready = context.path().join(format!("computer/{id}/ready"));
        while !ready.exists() {
            if started.elapsed() > TIMEOUT {
                let _ = child.kill();
                panic!("computer {id} did not start in {TIMEOUT:?}");
            }
            std::thread::sleep(std::time::Duration::from_millis(2));
        }
    }
    let sent =
        Command::new("kill").arg("-TERM").arg(child.id().to_string()).status().expect("there is a kill");
    assert!(sent.success());
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
}
