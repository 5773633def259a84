//! Many at once: the promised fifteen thousand links, idle sockets, floods. Bounded, and on loopback only.

use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;

use crate::support::bridge::hello;
use crate::support::client::together;
use crate::support::{FakeComputer, TestBridge};

/// One at a time: the files that a process may open would not do for all of them together.
static TURN: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

/// What one process needs for both ends of a link, less what the machine allows.
fn affordable(links: u64) -> u64 {
    let files = rlimit::increase_nofile_limit(links * 2 + 512).unwrap_or(1024);
    links.min((files - 512) / 2)
}

#[tokio::test]
async fn five_thousand_computers_link_and_answer() {
    let _turn = TURN.lock().await;
    let links = affordable(5000);
    assert!(links >= 5000, "the machine allows only {links} links: raise `ulimit -n`");
    let bridge = TestBridge::with(|config| config.probe_timeout = Duration::from_secs(60)).await;
    together((0..links).map(|id| bridge.computer(id, "load"))).await;
    let answers = bridge.client().await.probe().await;
    let expected: Vec<String> = (0..links).map(|id| format!("pong from {id} (Label: load)")).collect();
    assert_eq!(answers, expected);
}

/// The bridge is a process of its own: one alone may not open the files for both ends.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn fifteen_thousand_computers_link_from_one_address_and_answer() {
    const COMPUTERS: u64 = 15_000;
    let _turn = TURN.lock().await;
    let files = rlimit::increase_nofile_limit(COMPUTERS + 512).unwrap_or(1024);
    assert!(files >= COMPUTERS + 512, "the machine allows only {files} files: raise `ulimit -n` to 20000");
    let mut command = crate::program::command();
    command.env("CC_PROBE_TIMEOUT_MS", "120000").env("RUST_LOG", "error");
    let running = crate::program::start(&mut command).await;
    let link = running.link();
    together(
        (0..COMPUTERS).map(|id| async move { FakeComputer::link(link, &hello(id, "load")).await.serve() }),
    )
    .await;
    let url = running.ready["mcp"].as_str().expect("a URL");
    let http = reqwest::Client::builder().no_proxy().build().expect("a client");
    let health = http.get(url.replace("/mcp", "/health")).send().await.expect("the bridge answers");
    assert_eq!(health.text().await.expect("a body"), r#"{"ok":true,"computers":15000}"#);
    let client = crate::support::Client::connect(url, crate::support::Era::Stateless).await;
    let one = client.exec(14_999, "return 7").await;
    assert_eq!(one.structured.expect("structured")["returns"][0]["value"], 7.0);
    let answers = client.probe().await;
    assert!(answers.iter().enumerate().all(|(id, line)| *line == format!("pong from {id} (Label: load)")));
    assert_eq!(answers.len() as u64, COMPUTERS);
}

#[tokio::test]
async fn idle_sockets_on_either_port_starve_nobody() {
    let _turn = TURN.lock().await;
    let bridge = TestBridge::start().await;
    bridge.computer(12, "served").await;
    let mcp = bridge.base_url().trim_start_matches("http://").parse().expect("an address");
    let sockets = affordable(3000);
    let mut idle = Vec::new();
    for address in [bridge.link_address(), mcp] {
        for _ in 0..sockets / 2 {
            idle.push(TcpStream::connect(address).await.expect("the bridge listens"));
        }
    }
    bridge.computer(13, "late").await;
    let lines = bridge.client().await.probe().await;
    assert_eq!(lines, ["pong from 12 (Label: served)", "pong from 13 (Label: late)"]);
}

#[tokio::test]
async fn a_flood_of_hellos_leaves_one_link_and_a_living_bridge() {
    let _turn = TURN.lock().await;
    let bridge = TestBridge::start().await;
    bridge.computer(12, "neighbour").await;
    // The same id from two hundred sockets: each replaces the one before.
    let flood = together((0..200).map(|_| FakeComputer::link(bridge.link_address(), &FLOOD))).await;
    // And ten thousand on one socket.
    let mut one = FakeComputer::link(bridge.link_address(), &hello(7, "flood")).await;
    let (mut sink, mut stream) = one.socket.split();
    let (sent, answered) = tokio::join!(
        async {
            for _ in 0..10_000 {
                sink.feed(Message::text(hello(7, "flood"))).await.expect("the bridge reads");
            }
            sink.flush().await.expect("the bridge reads");
            10_000
        },
        async {
            let mut answered = 0;
            while answered < 10_000 {
                match crate::support::within("an answer", stream.next()).await {
                    Some(Ok(Message::Text(_))) => answered += 1,
                    Some(Ok(_)) => {}
                    other => panic!("{other:?}"),
                }
            }
            answered
        }
    );
    assert_eq!(sent, answered);
    drop(flood);
    bridge.linked(2).await;
    one.socket = sink.reunite(stream).expect("the two halves of one socket");
    one.serve();
    let lines = bridge.client().await.probe().await;
    assert_eq!(lines, ["pong from 7 (Label: flood)", "pong from 12 (Label: neighbour)"]);
}

static FLOOD: std::sync::LazyLock<String> = std::sync::LazyLock::new(|| hello(99, "flood"));

#[tokio::test]
async fn clients_that_never_say_goodbye_do_not_keep_others_out() {
    let _turn = TURN.lock().await;
    let bridge = TestBridge::start().await;
    // One more than there is room for.
    let abandoned = together((0..=1024).map(|_| bridge.client())).await;
    drop(abandoned);
    assert_eq!(bridge.client().await.probe().await, ["No computers connected."]);
}

#[tokio::test]
async fn sockets_that_say_nothing_make_place_for_those_that_do() {
    let _turn = TURN.lock().await;
    let bridge = TestBridge::start().await;
    bridge.computer(12, "served").await;
    // One more than the port holds: the first of them is given up, and the client is let in.
    let mcp: std::net::SocketAddr =
        bridge.base_url().trim_start_matches("http://").parse().expect("an address");
    assert!(affordable(4200) >= 4200, "the machine allows too few files: raise `ulimit -n`");
    let mut idle = Vec::new();
    for _ in 0..4096 {
        idle.push(TcpStream::connect(mcp).await.expect("the bridge listens"));
    }
    assert_eq!(bridge.client().await.probe().await, ["pong from 12 (Label: served)"]);
    let mut byte = [0];
    let given_up = crate::support::within("the first to be closed", idle[0].read(&mut byte)).await;
    assert!(matches!(given_up, Ok(0) | Err(_)), "{given_up:?}");
}

#[tokio::test]
async fn requests_that_are_never_finished_keep_nobody_out() {
    let _turn = TURN.lock().await;
    let bridge = TestBridge::start().await;
    let mcp: std::net::SocketAddr =
        bridge.base_url().trim_start_matches("http://").parse().expect("an address");
    assert!(affordable(4200) >= 4200, "the machine allows too few files: raise `ulimit -n`");
    let mut begun = Vec::new();
    for _ in 0..4096 {
        let mut stream = TcpStream::connect(mcp).await.expect("the bridge listens");
        stream
            .write_all(b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n")
            .await
            .expect("sent");
        begun.push(stream);
    }
    assert_eq!(bridge.client().await.probe().await, ["No computers connected."]);
}

#[tokio::test]
async fn a_client_that_says_again_and_again_that_it_is_there_is_told_once() {
    let bridge = TestBridge::start().await;
    let client = bridge.client().await;
    for _ in 0..50 {
        client.send(&serde_json::json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
    }
    let mut stream = client.listen(None).await;
    bridge.computer(12, "a").await;
    assert_eq!(stream.next().await.expect("news")["method"], "notifications/resources/list_changed");
    bridge.computer(13, "b").await;
    // The next one is of the second computer, and there are no others before it.
    assert_eq!(stream.next().await.expect("news")["method"], "notifications/resources/list_changed");
    bridge.shutdown().await;
    assert_eq!(stream.next().await, None);
}
