//! The library, without a process.

use embedded_craftos::lua::Value;
use embedded_craftos::{Computer, Emulator, Exit, Options};

use crate::context::{TIMEOUT, TestContext};

/// How a computer ended; a panic that shows its screen if it does not.
fn ended(computer: &Computer) -> Exit {
    computer.wait_timeout(TIMEOUT).unwrap_or_else(|| {
        panic!(
            "computer {} did not end in {TIMEOUT:?}; its screen:\n{}",
            computer.id(),
            computer.screen_text()
        )
    })
}

#[test]
fn a_computer_takes_events_and_shows_its_screen() {
    let context = TestContext::new();
    let mut options = Options::new(context.path());
    options.rom = Some(context.rom(
        "term.write('ready') os.setComputerLabel('lib')
        while true do local event, a, b = coroutine.yield('greet')
        term.setCursorPos(1, 2) term.setTextColor(16384) term.write(a .. b) if a == 'bye' then os.shutdown(4) end end",
    ));
    let emulator = Emulator::new(options).expect("the options are good");
    let computer = emulator.boot(3).expect("it starts");
    computer.queue_event("other", []);
    computer.queue_event("greet", [Value::from("hello "), Value::from(5.0)]);
    computer.queue_event("greet", [Value::from("bye"), Value::from("!")]);
    let exit = ended(&computer);
    assert_eq!((exit.code, exit.error), (4, None));
    assert!(!computer.is_on());
    assert_eq!(computer.screen_text(), "ready\nbye!o 5\n");
    let report = computer.screen_report();
    assert_eq!((report.computer, report.label.as_deref()), (3, Some("lib")));
    assert!(report.colors[1].starts_with("eeee"));
}

#[test]
fn a_busy_computer_can_be_shut_down_and_started_again() {
    let context = TestContext::new();
    let mut options = Options::new(context.path());
    options.rom = Some(context.rom("while true do pcall(function() while true do end end) end"));
    let emulator = Emulator::new(options).expect("the options are good");
    for _ in 0..2 {
        let computer = emulator.boot(0).expect("it starts");
        assert!(emulator.boot(0).is_err(), "it runs already");
        computer.shut_down();
        assert_eq!(ended(&computer).error, None);
    }
}

#[test]
fn a_reboot_starts_the_bios_again() {
    let context = TestContext::new();
    let mut options = Options::new(context.path());
    options.rom =
        Some(context.rom(
            "local n = #fs.list('/') fs.makeDir('boot' .. n) if n < 4 then os.reboot() end os.shutdown(n)",
        ));
    let emulator = Emulator::new(options).expect("the options are good");
    assert_eq!(ended(&emulator.boot(1).expect("it starts")).code, 4);
}

#[test]
fn the_program_can_be_run_from_another() {
    let context = TestContext::new();
    let rom = context.rom("os.shutdown(7)");
    let path = |path: &std::path::Path| path.to_str().expect("the path is text").to_owned();
    let code = embedded_craftos::run::run([
        "x".to_owned(),
        "-d".to_owned(),
        path(context.path()),
        "--rom".to_owned(),
        path(&rom),
        // The process that would confine itself is that of all tests.
        "--no-confine".to_owned(),
    ]);
    assert_eq!(format!("{code:?}"), format!("{:?}", std::process::ExitCode::from(7)));
}

#[test]
fn a_computer_that_stops_leaves_the_others_and_can_start_again() {
    let context = TestContext::new();
    let mut options = Options::new(context.path());
    options.rom = Some(context.rom(
        "while true do local _, what = coroutine.yield('do') term.write(what) if what == 'stop' then os.shutdown(3) end end",
    ));
    let emulator = Emulator::new(options).expect("the options are good");
    let computers: Vec<Computer> = (0..3).map(|id| emulator.boot(id).expect("it starts")).collect();
    computers[1].queue_event("do", [Value::from("stop")]);
    assert_eq!(ended(&computers[1]).code, 3);
    assert!(computers[0].is_on() && computers[2].is_on());
    let again = emulator.boot(1).expect("it starts again");
    for computer in [&computers[0], &again, &computers[2]] {
        computer.queue_event("do", [Value::from("stop")]);
        assert_eq!(ended(computer).code, 3);
        assert_eq!(computer.screen_text(), "stop\n");
    }
}

#[test]
fn what_a_busy_computer_printed_can_be_sent_from_outside() {
    use std::sync::{Arc, Mutex};
    let context = TestContext::new();
    let printed = Arc::new(Mutex::new(Vec::new()));
    let mut options = Options::new(context.path());
    options.output = Some(printed.clone());
    options.rom = Some(context.rom("term.write('held') fs.makeDir('busy') while true do end"));
    let emulator = Emulator::new(options).expect("the options are good");
    let computer = emulator.boot(0).expect("it starts");
    while !context.path().join("computer/0/busy").exists() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    emulator.finish_output();
    assert_eq!(*printed.lock().expect("nobody panicked"), b"held\n");
    computer.shut_down();
    ended(&computer);
    assert_eq!(*printed.lock().expect("nobody panicked"), b"held\n");
}
