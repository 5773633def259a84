//! The figures of this machine: `just bench`. A bridge in its own process, computers and clients in this one.
//!
//! Each figure stands beside the same frames on a bare WebSocket, measured in the same run: these machines are noisy,
//! and only the ratio says something.

#[path = "../tests/it/support/mod.rs"]
#[expect(dead_code, reason = "the tests use all of it")]
mod support;

use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::json;
use support::bridge::hello;
use support::client::together;
use support::{Client, Era, FakeComputer};
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{accept_async, client_async};

const SIZES: [u64; 4] = [1, 10, 100, 1000];
const LINKS: u64 = 2000;
const CLIENTS: u64 = 32;

/// Up to as many computers as are promised, so that one sees how everything grows with them.
const MANY: [u64; 3] = [5_000, 10_000, 15_000];

/// Probes and calls of each of these sizes: a probe of fifteen thousand takes a while.
const MANY_ROUNDS: usize = 10;
const EACH: Duration = Duration::from_secs(2);

struct BridgeProcess {
    child: Child,
    mcp: String,
    link: SocketAddr,
    _directory: tempfile::TempDir,
}

impl BridgeProcess {
    async fn start() -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let ready = directory.path().join("ready.json");
        let child = Command::new(env!("CARGO_BIN_EXE_mcp-bridge"))
            .args(["--mcp-port", "0", "--cc-link-port", "0", "--cc-link-host", "127.0.0.1"])
            .args(["--cc-probe-timeout-ms", "60000", "--ready-file"])
            .arg(&ready)
            .env("RUST_LOG", "error")
            .stdin(Stdio::null())
            .spawn()
            .expect("the bridge starts");
        let text = support::within("the ready file", async {
            loop {
                match std::fs::read_to_string(&ready) {
                    Ok(text) => return text,
                    Err(_) => tokio::time::sleep(Duration::from_millis(5)).await,
                }
            }
        })
        .await;
        let ready: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let link = ready["link"].as_str().expect("an address").trim_start_matches("ws://");
        Self {
            child,
            mcp: ready["mcp"].as_str().expect("an address").to_owned(),
            link: link.parse().expect("an address"),
            _directory: directory,
        }
    }

    async fn client(&self) -> Client {
        Client::connect(&self.mcp, Era::Handshake("2025-11-25")).await
    }

    async fn link(&self, ids: std::ops::Range<u64>) {
        together(ids.map(async |id| FakeComputer::link(self.link, &hello(id, "bench")).await.serve())).await;
    }

    /// Resident memory, where the system tells.
    fn resident_kib(&self) -> Option<f64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
        line.split_whitespace().nth(1)?.parse().ok()
    }
}

impl Drop for BridgeProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Times of one kind of call, in microseconds.
struct Times(Vec<f64>);

impl Times {
    fn at(&mut self, share: f64) -> f64 {
        self.0.sort_by(f64::total_cmp);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "an index"
        )]
        let index = ((self.0.len() - 1) as f64 * share) as usize;
        self.0[index]
    }
}

async fn time<F: Future>(mut call: impl FnMut() -> F) -> Times {
    let mut times = Vec::new();
    for _ in 0..20 {
        call().await;
    }
    let start = Instant::now();
    while start.elapsed() < EACH / 2 {
        let one = Instant::now();
        call().await;
        times.push(one.elapsed().as_secs_f64() * 1e6);
    }
    Times(times)
}

fn row(name: &str, value: f64, unit: &str, bare: Option<f64>) {
    let ratio = bare.map_or_else(String::new, |bare| format!("{:>8.2} x bare", value / bare));
    println!("{name:<34} {value:>12.1} {unit:<8}{ratio}");
}

/// Sockets that echo frames, with nothing in between: what the machine itself costs.
async fn bare(count: u64) -> Vec<tokio_tungstenite::WebSocketStream<TcpStream>> {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("bound");
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let _ = stream.set_nodelay(true);
            tokio::spawn(async move {
                let mut socket = accept_async(stream).await.expect("a WebSocket");
                while let Some(Ok(message)) = socket.next().await {
                    if message.is_text() && socket.send(message).await.is_err() {
                        return;
                    }
                }
            });
        }
    });
    together((0..count).map(async |_| {
        let stream = TcpStream::connect(address).await.expect("it listens");
        stream.set_nodelay(true).expect("a TCP socket");
        client_async(format!("ws://{address}/"), stream).await.expect("a WebSocket").0
    }))
    .await
}

async fn bare_fan(sockets: &mut [tokio_tungstenite::WebSocketStream<TcpStream>]) {
    for socket in &mut *sockets {
        socket.send(Message::text(r#"{"type":"request","id":"req-1","method":"ping"}"#)).await.expect("sent");
    }
    for socket in sockets {
        socket.next().await.expect("an echo").expect("an echo");
    }
}

async fn round_trips() {
    let mut sockets = bare(1).await;
    let mut bare_times = Vec::new();
    let start = Instant::now();
    while start.elapsed() < EACH / 2 {
        let one = Instant::now();
        bare_fan(&mut sockets).await;
        bare_times.push(one.elapsed().as_secs_f64() * 1e6);
    }
    let floor = Times(bare_times).at(0.5);
    row("bare WebSocket, p50", floor, "us", None);
    let bridge = BridgeProcess::start().await;
    bridge.link(1..2).await;
    let client = bridge.client().await;
    let mut times = time(|| client.exec(1, "return 7")).await;
    row("exec-lua, p50", times.at(0.5), "us", Some(floor));
    row("exec-lua, p99", times.at(0.99), "us", Some(floor));
}

async fn throughput() {
    let bridge = BridgeProcess::start().await;
    bridge.link(0..CLIENTS).await;
    let clients = together((0..CLIENTS).map(|_| bridge.client())).await;
    let start = Instant::now();
    let counts = together(clients.iter().enumerate().map(async |(at, client)| {
        let mut count = 0_u32;
        while start.elapsed() < EACH {
            let called = client.exec(at as u64, "return 7").await;
            assert!(!called.is_error, "{}", called.text);
            count += 1;
        }
        count
    }))
    .await;
    let calls: u32 = counts.into_iter().sum();
    row("exec-lua, 32 clients", f64::from(calls) / start.elapsed().as_secs_f64(), "calls/s", None);
}

async fn fan_out() {
    let bridge = BridgeProcess::start().await;
    let client = bridge.client().await;
    let mut linked = 0;
    for size in SIZES {
        bridge.link(linked..size).await;
        linked = size;
        let mut sockets = bare(size).await;
        let mut bare_times = Vec::new();
        for _ in 0..20 {
            let one = Instant::now();
            bare_fan(&mut sockets).await;
            bare_times.push(one.elapsed().as_secs_f64() * 1e6);
        }
        drop(sockets);
        let mut times = time(async || {
            let lines = client.probe().await;
            assert!(
                lines.len() as u64 == size && lines.iter().all(|line| line.starts_with("pong")),
                "{lines:?}"
            );
        })
        .await;
        row(
            &format!("probe-computers, {size} linked, p50"),
            times.at(0.5),
            "us",
            Some(Times(bare_times).at(0.5)),
        );
    }
}

async fn links() {
    let bridge = BridgeProcess::start().await;
    let client = bridge.client().await;
    bridge.link(0..50).await;
    client.probe().await;
    let before = bridge.resident_kib();
    let start = Instant::now();
    bridge.link(50..50 + LINKS).await;
    #[expect(clippy::cast_precision_loss, reason = "two thousand")]
    let count = LINKS as f64;
    row("links", count / start.elapsed().as_secs_f64(), "links/s", None);
    client.call("list-computers", json!({})).await;
    if let (Some(before), Some(after)) = (before, bridge.resident_kib()) {
        row("memory for each linked computer", (after - before) / count, "KiB", None);
    }
}

/// Memory, linking, a probe of all and one call among them, with as many computers as are promised.
async fn many() {
    let bridge = BridgeProcess::start().await;
    let client = bridge.client().await;
    bridge.link(0..50).await;
    client.probe().await;
    let before = bridge.resident_kib();
    let mut linked = 50;
    for size in MANY {
        let start = Instant::now();
        bridge.link(linked..size).await;
        #[expect(clippy::cast_precision_loss, reason = "some thousands")]
        let (more, all) = ((size - linked) as f64, (size - 50) as f64);
        row(&format!("links, up to {size}"), more / start.elapsed().as_secs_f64(), "links/s", None);
        linked = size;
        let (mut probes, mut calls) = (Vec::new(), Vec::new());
        for _ in 0..MANY_ROUNDS {
            let one = Instant::now();
            let lines = client.probe().await;
            probes.push(one.elapsed().as_secs_f64() * 1e3);
            assert!(lines.len() as u64 == size && lines.iter().all(|line| line.starts_with("pong")));
            let one = Instant::now();
            let called = client.exec(size / 2, "return 7").await;
            calls.push(one.elapsed().as_secs_f64() * 1e6);
            assert!(!called.is_error, "{}", called.text);
        }
        row(&format!("probe-computers, {size} linked, p50"), Times(probes).at(0.5), "ms", None);
        row(&format!("exec-lua among {size}, p50"), Times(calls).at(0.5), "us", None);
        if let (Some(before), Some(after)) = (before, bridge.resident_kib()) {
            row(&format!("memory for each of {size}"), (after - before) / all, "KiB", None);
        }
    }
}

#[tokio::main]
async fn main() {
    // `cargo test --benches` only asks whether it builds.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let _ = rlimit::increase_nofile_limit(20_000);
    round_trips().await;
    throughput().await;
    fan_out().await;
    links().await;
    many().await;
}
