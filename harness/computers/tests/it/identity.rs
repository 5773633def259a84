//! A computer of the harness is to its program what a bare one is: timer numbers, events, errors.

use std::path::Path;

use craftos_computers::computer::{Computer, Exit, Process};
use craftos_computers::emulators::{Emulator, Kind};
use futures_util::StreamExt as _;
use rstest::rstest;
use tokio::net::TcpListener;
use tokio::process::Command;

use crate::context::{PATIENCE, PROGRAM, boot, emulator, running};

/// Writes what a chunk returns to `/result`.
fn reporting(chunk: &str) -> String {
    format!(
        "local result = (function() {chunk} end)()
        local file = fs.open('/result', 'w') file.write(result) file.close()"
    )
}

/// What a chunk gives on an emulator without the harness.
async fn bare(emulator: &Emulator, chunk: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let disk = folder.path().join("computer/12");
    std::fs::create_dir_all(&disk).expect("the folder is ours");
    std::fs::create_dir_all(folder.path().join("config")).expect("the folder is ours");
    let settings = r#"{"lastVersion":"v2.8.3"}"#;
    std::fs::write(folder.path().join("config/global.json"), settings).expect("the folder is ours");
    let startup = reporting(chunk) + " os.shutdown()";
    std::fs::write(disk.join("startup.lua"), startup).expect("the folder is ours");
    let path = if emulator.kind == Kind::Embedded { Path::new(PROGRAM) } else { &emulator.path };
    let mut command = Command::new(path);
    command.args(["--headless", "-i", "12", "-d"]).arg(folder.path());
    command.env("SDL_AUDIODRIVER", "dummy").env("SDL_NO_SIGNAL_HANDLERS", "1");
    let process = Process::spawn(command).expect("it starts");
    let status = process.ended_within(PATIENCE).await;
    assert!(status.is_some_and(child_processes::Status::is_success), "{status:?}: {}", process.output());
    std::fs::read_to_string(disk.join("result")).expect("it was written")
}

/// What it gives on a computer of the harness.
async fn harnessed(emulator: &Emulator, chunk: &str) -> String {
    let computer = boot(emulator, &reporting(chunk));
    let exit = computer.exited(PATIENCE).await.expect("it ends");
    assert_eq!(exit, Exit::Code(0), "{}", computer.last());
    let result = computer.folder().read("result").expect("readable").expect("it was written");
    String::from_utf8(result).expect("it is text")
}

/// The names of all events until a timer of half a second, in which the harness's own rings ten times; and its number.
const EVENTS: &str = "local timer, seen = os.startTimer(0.5), {}
    while true do
        local event, number = os.pullEventRaw()
        seen[#seen + 1] = event .. ' ' .. tostring(number == timer)
        if event == 'timer' and number == timer then break end
    end
    return table.concat(seen, ', ')";

#[rstest]
#[case::first_numbers("return os.startTimer(9) .. ' ' .. os.setAlarm(1) .. ' ' .. os.startTimer(9)")]
#[case::events(EVENTS)]
#[case::filtered(
    "local timer = os.startTimer(0.3) local _, number = os.pullEvent('timer') return tostring(number == timer)"
)]
#[case::queued(
    "os.queueEvent('timer', 1, 'x') local e = table.pack(os.pullEvent('timer')) return e[2] .. e[3] .. e.n"
)]
#[case::wrong_argument("return select(2, pcall(function() os.startTimer('x') end)):gsub('^.-:', '')")]
#[case::no_argument("return select(2, pcall(os.startTimer)) .. select(2, pcall(os.cancelTimer, {}))")]
#[case::nothing_returned("return select('#', os.cancelTimer(99)) .. ' ' .. select('#', os.queueEvent('x'))")]
#[tokio::test]
async fn a_program_sees_what_it_sees_on_a_bare_computer(
    #[case] chunk: &str,
    #[values(Kind::Embedded, Kind::CraftosPc)] kind: Kind,
) {
    let Some(emulator) = emulator(kind).await else { return };
    assert_eq!(harnessed(&emulator, chunk).await, bare(&emulator, chunk).await);
}

/// CraftOS-PC itself takes a number now and then when it waits, and not always as often: there is nothing to compare.
#[tokio::test]
async fn numbers_go_on_as_on_a_bare_computer_however_long_it_runs() {
    let emulator = emulator(Kind::Embedded).await.expect("it is always there");
    let chunk = "local numbers = {} for _ = 1, 5 do sleep(0.2) numbers[#numbers + 1] = os.startTimer(9) end
        return table.concat(numbers, ' ')";
    let numbers = harnessed(&emulator, chunk).await;
    assert_eq!(numbers, bare(&emulator, chunk).await);
    assert_eq!(numbers, "2 4 6 8 10");
}

#[tokio::test]
async fn a_reboot_begins_to_count_as_on_a_bare_computer() {
    let emulator = emulator(Kind::Embedded).await.expect("it is always there");
    let chunk = "if not fs.exists('/again') then
            sleep(0.3) os.startTimer(9) fs.open('/again', 'w').close() os.reboot() coroutine.yield()
        end
        return tostring(os.startTimer(9))";
    assert_eq!(harnessed(&emulator, chunk).await, bare(&emulator, chunk).await);
}

/// `receive` has a timer inside the emulator, with a number of the emulator's. While it waits, the program starts timers
/// whose numbers come to where that one is.
#[rstest]
#[case::embedded(Kind::Embedded)]
#[case::craftos_pc(Kind::CraftosPc)]
#[tokio::test]
async fn a_receive_ends_at_its_own_time_and_not_at_a_timer_of_the_program(#[case] kind: Kind) {
    let Some(emulator) = emulator(kind).await else { return };
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("it is bound").port();
    let serving = tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let socket = tokio_tungstenite::accept_async(stream).await;
            tokio::spawn(async move {
                if let Ok(socket) = socket {
                    socket.for_each(async |_| ()).await;
                }
            });
        }
    });
    // The harness has taken some numbers by the time of the second `receive`: so many timers later the program's numbers
    // have passed the one that it waits for.
    let chunk = format!(
        "local socket = assert(http.websocket('ws://127.0.0.1:{port}/'))
        local ended = socket.receive(0.5) == nil
        local first = parallel.waitForAny(
            function() socket.receive(600) end,
            function() for _ = 1, 200 do os.startTimer(0) os.pullEvent('timer') end end)
        socket.close()
        return tostring(ended) .. ' ' .. first"
    );
    assert_eq!(harnessed(&emulator, &chunk).await, "true 2");
    serving.abort();
}

/// The harness sets settings before the program, and no program hears of that.
#[rstest]
#[tokio::test]
async fn only_what_a_program_changes_itself_is_said_to_it(
    #[values(Kind::Embedded, Kind::CraftosPc)] kind: Kind,
) {
    let Some(emulator) = emulator(kind).await else { return };
    let chunk = "settings.set('farm.rows', 8) settings.set('motd.enable', true)
        local seen = {} for index = 1, 2 do seen[index] = table.concat({ os.pullEventRaw() }, ' ', 1, 2) end
        return table.concat(seen, ', ')";
    let mut spec = running(12, &reporting(chunk));
    spec.settings.insert("farm.rows".to_owned(), "7".to_owned());
    let computer = Computer::boot(&emulator, spec).expect("it starts");
    assert_eq!(computer.exited(PATIENCE).await.expect("it ends"), Exit::Code(0), "{}", computer.last());
    let result = computer.folder().read("result").expect("readable").expect("it was written");
    assert_eq!(String::from_utf8_lossy(&result), "setting_changed farm.rows, setting_changed motd.enable");
}
