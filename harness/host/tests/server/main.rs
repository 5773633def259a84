//! A server for the tests, on stdin and stdout, written by hand so that it can misbehave: `mcp-test-server MODE`.
//!
//! `MCP_TEST_LOG` names a file that it appends a line to at each step of its life.

mod tools;

use std::io::{BufRead as _, Write as _};
use std::process::exit;

use serde_json::{Value, json};

/// How it behaves; most modes are good but for one thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    Good,
    /// Never answers.
    Silent,
    /// Prints what is no message around every message.
    Nonsense,
    /// Prints lines for ever.
    Flood,
    /// Prints one line that never ends.
    FloodLine,
    /// Is good, and writes to stderr for ever.
    FloodStderr,
    /// Is good, and sends notifications for ever.
    FloodNotes,
    /// Asks for ever, and reads nothing.
    Deaf,
    /// The same, once it has listed its tools.
    DeafLater,
    /// Says why on stderr, and ends.
    Broken,
    /// Ends neither when its stdin is closed nor when it is asked to.
    Stubborn,
    /// Knows only the stateless era.
    Stateless,
    /// Refuses both eras.
    Refuses,
    /// Never lists its tools.
    NoList,
    /// Lists pages without an end.
    Pages,
}

fn main() {
    let mode = match std::env::args().nth(1).as_deref() {
        None | Some("good") => Mode::Good,
        Some("silent") => Mode::Silent,
        Some("nonsense") => Mode::Nonsense,
        Some("flood") => Mode::Flood,
        Some("flood-line") => Mode::FloodLine,
        Some("flood-stderr") => Mode::FloodStderr,
        Some("flood-notes") => Mode::FloodNotes,
        Some("deaf") => Mode::Deaf,
        Some("deaf-later") => Mode::DeafLater,
        Some("broken") => Mode::Broken,
        Some("stubborn") => Mode::Stubborn,
        Some("stateless") => Mode::Stateless,
        Some("refuses") => Mode::Refuses,
        Some("no-list") => Mode::NoList,
        Some("pages") => Mode::Pages,
        // What a server leaves behind: something that holds its pipes and sleeps.
        Some("child") => loop {
            std::thread::park();
        },
        Some(other) => panic!("`{other}` is no mode"),
    };
    log("started");
    match mode {
        Mode::Flood => flood(b"this is not a message, and there is no end to it\n"),
        Mode::FloodLine => flood(b"this line never ends "),
        Mode::Broken => {
            eprintln!("cannot open the database \u{1b}[31mred");
            exit(3);
        }
        Mode::FloodStderr => drop(std::thread::spawn(|| {
            loop {
                let _ = std::io::stderr().write_all(b"still here, still here, still here, still here\n");
            }
        })),
        Mode::Stubborn => ignore_term(),
        Mode::Deaf => ask_for_ever(),
        _ => {}
    }
    serve(mode);
    log("stdin closed");
    if mode == Mode::Stubborn {
        loop {
            std::thread::park();
        }
    }
}

fn serve(mode: Mode) {
    let mut tools = tools::Tools::default();
    for line in std::io::stdin().lock().lines() {
        let Ok(line) = line else { return };
        let Ok(message) = serde_json::from_str::<Value>(&line) else { continue };
        if mode == Mode::Nonsense {
            print!("Listening on stdio…\n\u{1b}[2J\n42\n{{}}\n{{\"jsonrpc\":\"2.0\"\n[]\n");
            send(&json!({ "jsonrpc": "2.0", "id": "made up", "result": { "tools": [] } }));
        }
        let (Some(id), Some(method)) = (message.get("id"), message["method"].as_str()) else { continue };
        match answer(mode, method, &message["params"], &mut tools) {
            None => {}
            Some(Ok(result)) => send(&json!({ "jsonrpc": "2.0", "id": id, "result": result })),
            Some(Err((code, text))) => {
                send(&json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": text } }));
            }
        }
        if tools.leaving {
            exit(0);
        }
        if mode == Mode::DeafLater && method == "tools/list" {
            ask_for_ever();
        }
        if mode == Mode::FloodNotes && method == "tools/list" {
            let note = json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" });
            drop(std::thread::spawn(move || {
                loop {
                    send(&note);
                }
            }));
        }
    }
}

type Answer = Option<Result<Value, (i32, &'static str)>>;

fn answer(mode: Mode, method: &str, params: &Value, tools: &mut tools::Tools) -> Answer {
    let capabilities = json!({ "tools": { "listChanged": true } });
    let info = json!({ "name": "mcp-test-server", "version": "1.0.0" });
    match (mode, method) {
        (Mode::Silent, _) | (Mode::NoList, "tools/list") => None,
        (Mode::Refuses, _) | (Mode::Stateless, "initialize") => Some(Err((-32601, "not\u{7} today"))),
        (Mode::Stateless, "server/discover") => Some(Ok(json!({
            "resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": capabilities,
            "_meta": { "io.modelcontextprotocol/serverInfo": info }, "ttlMs": 0, "cacheScope": "private",
        }))),
        (_, "initialize") => Some(Ok(json!({
            "protocolVersion": params["protocolVersion"], "capabilities": capabilities, "serverInfo": info,
        }))),
        (Mode::Pages, "tools/list") => Some(Ok(json!({ "tools": [], "nextCursor": "more" }))),
        (_, "tools/list") => Some(Ok(tools.list())),
        (_, "tools/call") => tools.call(params),
        (_, "ping") => Some(Ok(json!({}))),
        (_, _) => Some(Err((-32601, "method not found"))),
    }
}

/// Sends a message, in one piece.
pub fn send(message: &Value) {
    let mut stdout = std::io::stdout().lock();
    let sent = writeln!(stdout, "{message}").and_then(|()| stdout.flush());
    if sent.is_err() {
        exit(0);
    }
}

fn ask_for_ever() -> ! {
    let mut id = 0;
    loop {
        id += 1;
        send(&json!({ "jsonrpc": "2.0", "id": id, "method": "ping" }));
    }
}

fn flood(text: &[u8]) -> ! {
    let text = text.repeat(1000);
    while std::io::stdout().write_all(&text).is_ok() {}
    exit(0);
}

/// Appends a line to the log, where there is one.
pub fn log(line: &str) {
    let Some(path) = std::env::var_os("MCP_TEST_LOG") else { return };
    let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
    writeln!(file.expect("the test has made its folder"), "{line}").expect("the test has made its folder");
}

#[cfg(unix)]
fn ignore_term() {
    std::thread::spawn(|| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            use tokio::signal::unix::{SignalKind, signal};
            let mut terms = signal(SignalKind::terminate()).expect("a signal can be caught");
            log("ready for TERM");
            loop {
                terms.recv().await;
                log("TERM");
            }
        });
    });
}

#[cfg(not(unix))]
fn ignore_term() {}
