//! Commands are answered: done, refused, not running. None is lost, and none is done later.

use craftos_computers::computer::{Command, ComputerError, Exit};
use craftos_computers::emulators::Kind;
use rstest::rstest;

use crate::context::{NEVER, PATIENCE, boot, emulator};

/// Runs without yielding until there is a file `/go`, so that a command waits for what comes then.
const BUSY: &str = "print('busy') term.setCursorBlink(false) os.queueEvent('shown') os.pullEvent('shown')
    while not fs.exists('/go') do end ";

#[rstest]
#[case::embedded(Kind::Embedded)]
#[case::craftos_pc(Kind::CraftosPc)]
#[tokio::test]
async fn an_event_reaches_the_program_as_it_was_sent(#[case] kind: Kind) {
    let Some(emulator) = emulator(kind).await else { return };
    let computer = boot(
        &emulator,
        "local event = table.pack(os.pullEvent('mine'))
        print(event.n, event[2], event[3], event[4].a, event[5])",
    );
    let values = [1.into(), "a \"b\"".into(), serde_json::json!({ "a": true }), serde_json::Value::Null];
    computer.command(&Command::event("mine", &values)).await.expect("it is done");
    assert_eq!(computer.exited(PATIENCE).await.expect("it ends"), Exit::Code(0));
    assert_eq!(computer.printed(), "5\t1\ta \"b\"\ttrue\tnil\n");
}

#[rstest]
#[case::embedded(Kind::Embedded)]
#[case::craftos_pc(Kind::CraftosPc)]
#[tokio::test]
async fn a_timer_is_raised_and_one_that_does_not_run_is_refused(#[case] kind: Kind) {
    let Some(emulator) = emulator(kind).await else { return };
    let computer = boot(
        &emulator,
        "local old, cancelled = os.startTimer(600), os.startTimer(500)
        local new = os.startTimer(600)
        os.cancelTimer(cancelled)
        local _, first = os.pullEvent('timer')
        local _, second = os.pullEvent('timer')
        print(first == new, second == old)",
    );
    let refused = computer.command(&Command::timer(500.0)).await.expect_err("it was cancelled").to_string();
    assert_eq!(
        refused,
        "computer 12 refused `timer(500)`: no timer of 500 s is running (running: 600 s, 600 s)"
    );
    computer.command(&Command::timer(600.0)).await.expect("there is one");
    computer.command(&Command::timer(600.0)).await.expect("there is another");
    assert_eq!(computer.exited(PATIENCE).await.expect("it ends"), Exit::Code(0));
    assert_eq!(computer.printed(), "true\ttrue\n");
}

#[rstest]
#[case::embedded(Kind::Embedded)]
#[case::craftos_pc(Kind::CraftosPc)]
#[tokio::test]
async fn a_computer_that_has_ended_takes_no_command(#[case] kind: Kind) {
    let Some(emulator) = emulator(kind).await else { return };
    let computer = boot(&emulator, "os.shutdown(3)");
    assert_eq!(computer.exited(PATIENCE).await.expect("it ends"), Exit::Code(3));
    let errors = [
        computer.command(&Command::event("key", &[])).await.map(|_| ()),
        computer.command(&Command::timer(1.0)).await.map(|_| ()),
        computer.reboot().await,
        computer.stop().await.map(|_| ()),
        computer.kill().await,
    ];
    for outcome in errors {
        let error = outcome.expect_err("it has ended");
        assert!(matches!(error, ComputerError::NotRunning { exit: Exit::Code(3), .. }), "{error}");
    }
    assert_eq!(computer.end().await, Exit::Code(3));
}

#[rstest]
#[case::embedded(Kind::Embedded)]
#[case::craftos_pc(Kind::CraftosPc)]
#[tokio::test]
async fn a_command_that_meets_a_reboot_is_refused_by_the_next_boot(#[case] kind: Kind) {
    let Some(emulator) = emulator(kind).await else { return };
    let chunk =
        format!("if fs.exists('/go') then print('again') os.pullEvent('never') end {BUSY} os.reboot()");
    let computer = boot(&emulator, &chunk);
    computer.shows("busy", 1, PATIENCE).await.expect("it runs");
    let event = Command::event("key", &[]);
    let (answer, ()) = tokio::join!(computer.command(&event), async {
        waits_for_its_answer(&computer).await;
        computer.folder().put("go", b"").expect("it is written");
    });
    let error = answer.expect_err("it was meant for the boot before");
    assert!(
        matches!(&error, ComputerError::Refused { reason, .. } if reason.contains("rebooted")),
        "{error}"
    );
    computer.shows("again", 1, PATIENCE).await.expect("it booted");
    assert_eq!(computer.boot_number(), 2);
    assert_eq!(computer.end().await, Exit::Stopped);
}

#[rstest]
#[case::embedded(Kind::Embedded)]
#[case::craftos_pc(Kind::CraftosPc)]
#[tokio::test]
async fn a_command_that_meets_the_end_is_told_so(#[case] kind: Kind) {
    let Some(emulator) = emulator(kind).await else { return };
    let computer = boot(&emulator, &format!("{BUSY} os.shutdown(4)"));
    computer.shows("busy", 1, PATIENCE).await.expect("it runs");
    let event = Command::event("key", &[]);
    let (answer, ()) = tokio::join!(computer.command(&event), async {
        waits_for_its_answer(&computer).await;
        computer.folder().put("go", b"").expect("it is written");
    });
    let error = answer.expect_err("nobody took it");
    assert!(matches!(error, ComputerError::Ended { exit: Exit::Code(4), .. }), "{error}");
    assert!(computer.folder().read(".harness/command").expect("readable").is_none(), "it is not left behind");
}

#[rstest]
#[case::embedded(Kind::Embedded)]
#[case::craftos_pc(Kind::CraftosPc)]
#[tokio::test]
async fn what_an_earlier_boot_printed_ends_no_wait(#[case] kind: Kind) {
    let Some(emulator) = emulator(kind).await else { return };
    let chunk = "local boots = fs.exists('/boots') and 2 or 1 fs.open('/boots', 'w').close()
        print('boot ' .. boots) os.pullEvent('never')";
    let computer = boot(&emulator, chunk);
    computer.shows("boot 1", 1, PATIENCE).await.expect("it runs");
    let mark = computer.mark();
    computer.reboot().await.expect("it reboots");
    computer.shows("boot 2", 1, PATIENCE).await.expect("it runs again");
    let earlier = computer.shows("boot 1", 1, NEVER).await.expect_err("that was before");
    assert!(matches!(earlier, ComputerError::Deadline { .. }), "{earlier}");
    assert_eq!(computer.printed(), "boot 1\nboot 2\n");
    assert_eq!(computer.printed_since(mark), "boot 2\n");
    assert_eq!(computer.printed_since(computer.mark()), "");

    assert_eq!(computer.end().await, Exit::Stopped);
    computer.boot_again(&emulator).await.expect("it starts again");
    let earlier = computer.shows("boot 1", 1, NEVER).await.expect_err("that was before");
    assert!(matches!(earlier, ComputerError::Deadline { .. }), "{earlier}");
    computer.shows("boot 2", 1, PATIENCE).await.expect("it runs again");
    assert_eq!(computer.boot_number(), 3);
}

/// Waits until a command is on its way.
async fn waits_for_its_answer(computer: &craftos_computers::computer::Computer) {
    while computer.folder().read(".harness/command").expect("readable").is_none() {
        tokio::task::yield_now().await;
    }
}
