//! Before a computer turns off, its emulator holds no socket and no timer of it any more: CraftOS-PC crashes otherwise.
//!
//! The parts of the boot are driven by hand here, on an emulator that lets go of a socket when the test says so:
//! CraftOS-PC does so within microseconds, and only a busy machine shows that it is later than its event.

use std::net::SocketAddr;

use craftos_computers::computer::{Computer, Exit, Spec};
use craftos_computers::emulators::{Emulator, Kind};
use futures_util::{SinkExt as _, StreamExt as _};
use tokio::net::TcpListener;
use tokio_tungstenite::tungstenite::Message;

use crate::context::{PATIENCE, emulator, running};

const SOCKETS: &str = include_str!("../../src/computer/boot/sockets.lua");
const IDS: &str = include_str!("../../src/computer/boot/ids.lua");

/// A socket of an emulator that holds it until `is_held` says otherwise.
const HELD_SOCKET: &str = r#"
    local is_stub = ...
    local sockets = assert(loadfile("/sockets.lua", nil, _ENV))({ start_tick = os.startTimer }, 5,
        function(method) return method ~= nil and not is_stub end)
    local is_closed, is_held, asked = false, true, 0
    local function receive(argument)
        if is_closed then error("attempt to use a closed file", 0) end
        if argument ~= nil then error("bad argument #1 (expected number)", 0) end
        repeat coroutine.yield() asked = asked + 1 until not is_held
    end
    local handle = { receive = receive, send = function() end, close = function() is_closed = true end }
    local URL = "ws://127.0.0.1/"
    sockets.watch({ "websocket_success", URL, handle, n = 3 })
"#;

async fn printed(emulator: &Emulator, chunk: &str) -> String {
    let mut spec = running(12, chunk);
    spec.files.insert("sockets.lua".to_owned(), SOCKETS.to_owned());
    spec.files.insert("ids.lua".to_owned(), IDS.to_owned());
    ends(emulator, spec).await
}

async fn ends(emulator: &Emulator, spec: Spec) -> String {
    let computer = Computer::boot(emulator, spec).expect("it starts");
    assert_eq!(computer.exited(PATIENCE).await.expect("it ends"), Exit::Code(0), "{}", computer.last());
    computer.printed()
}

#[tokio::test]
async fn a_computer_turns_off_once_the_emulator_has_let_go_of_its_sockets() {
    let emulator = emulator(Kind::Embedded).await.expect("it is always there");
    let chunk = format!(
        r#"{HELD_SOCKET}
        local ending = coroutine.create(sockets.close)
        coroutine.resume(ending)
        print("asked to close", is_closed, coroutine.status(ending))
        coroutine.resume(ending, "websocket_closed", URL)
        print("closed", coroutine.status(ending))
        coroutine.resume(ending, "some_event")
        print("still held", coroutine.status(ending))
        is_held = false
        coroutine.resume(ending, "some_event")
        print("let go", coroutine.status(ending))"#
    );
    assert_eq!(
        printed(&emulator, &chunk).await,
        "asked to close\ttrue\tsuspended\nclosed\tsuspended\nstill held\tsuspended\nlet go\tdead\n"
    );
}

#[tokio::test]
async fn a_socket_that_was_closed_before_is_waited_for_too_and_an_open_one_is_left_alone() {
    let emulator = emulator(Kind::Embedded).await.expect("it is always there");
    let chunk = format!(
        r#"{HELD_SOCKET}
        sockets.watch({{ "some_event", n = 1 }})
        print("open", asked)
        handle.close()
        sockets.watch({{ "websocket_closed", URL, n = 2 }})
        print("closed", asked > 0)
        local ending = coroutine.create(sockets.close)
        coroutine.resume(ending)
        print("held", coroutine.status(ending))
        is_held = false
        coroutine.resume(ending, "some_event")
        print("let go", coroutine.status(ending))"#
    );
    assert_eq!(printed(&emulator, &chunk).await, "open\t0\nclosed\ttrue\nheld\tsuspended\nlet go\tdead\n");
}

#[tokio::test]
async fn a_socket_that_is_a_stub_is_closed_and_never_asked() {
    let emulator = emulator(Kind::Embedded).await.expect("it is always there");
    let held = HELD_SOCKET.replace("local is_stub = ...", "local is_stub = true");
    let chunk = format!(
        r#"{held}
        local ending = coroutine.create(sockets.close)
        coroutine.resume(ending)
        coroutine.resume(ending, "websocket_closed", URL)
        print(is_closed, asked, coroutine.status(ending))"#
    );
    assert_eq!(printed(&emulator, &chunk).await, "true\t0\tdead\n");
}

#[tokio::test]
async fn every_timer_that_runs_is_cancelled_and_none_that_rang() {
    let emulator = emulator(Kind::Embedded).await.expect("it is always there");
    let chunk = r#"
        local last, cancelled = 0, {}
        local function start() last = last + 1 return last end
        local function cancel(number) cancelled[#cancelled + 1] = number end
        local os = { startTimer = start, setAlarm = start, cancelTimer = cancel, cancelAlarm = cancel,
            queueEvent = function() end }
        local env = setmetatable({ os = os }, { __index = _ENV })
        local ids = assert(loadfile("/ids.lua", nil, env))({ takes_numbers = true })
        local tick = ids.start_tick(0.05)
        ids.watch({ "timer", tick, n = 2 })
        ids.start_tick(0.05)
        os.startTimer(10)
        ids.inside = true
        os.startTimer(1) os.setAlarm(6) os.startTimer(2)
        ids.translate({ "timer", 4, n = 2 })
        os.cancelTimer(3)
        ids.cancel_all()
        table.sort(cancelled)
        print(table.concat(cancelled, " "))"#;
    // The first tick and the timer of 1 s have rung; the alarm is not cancelled as if it were a timer.
    assert_eq!(printed(&emulator, chunk).await, "2 3 5 6\n");
}

/// A server that closes each link after its first message.
async fn closing_server() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    let address = listener.local_addr().expect("it listens");
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let Ok(mut link) = tokio_tungstenite::accept_async(stream).await else { continue };
            link.next().await;
            let _ = link.send(Message::Close(None)).await;
            while let Some(Ok(_)) = link.next().await {}
        }
    });
    address
}

#[tokio::test]
async fn craftos_pc_shows_that_it_has_let_go_of_a_socket() {
    let Some(emulator) = emulator(Kind::CraftosPc).await else { return };
    let chunk = format!(
        r#"
        local socket = assert(http.websocket("ws://{}/"))
        local probe = coroutine.create(socket.receive)
        coroutine.resume(probe)
        coroutine.resume(probe, "some_event")
        print("open", coroutine.status(probe), (select(2, pcall(socket.receive, false)):find("closed")))
        socket.send("hello")
        os.pullEvent("websocket_closed")
        print("closed", (select(2, pcall(socket.receive, false)):find("closed")) ~= nil)
        repeat
            sleep(0.01)
            coroutine.resume(probe, "some_event")
        until coroutine.status(probe) == "dead"
        print("let go")"#,
        closing_server().await
    );
    assert_eq!(ends(&emulator, running(12, &chunk)).await, "open\tsuspended\tnil\nclosed\ttrue\nlet go\n");
}
