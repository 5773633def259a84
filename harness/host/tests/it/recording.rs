//! A connection that is recorded: every message in order, nothing that was not asked for, and calls that are cancelled.

use std::sync::{Arc, Mutex};

use mcp_host::client::{Recorder, Way, connect, open};
use mcp_host::{Protocol, Settings, StartError};
use serde_json::{Map, Value};

use crate::support::{Log, server, settings, until};

/// The messages so far: which way each went, and its method or `answer`.
type Messages = Arc<Mutex<Vec<(Way, Value)>>>;

fn recorded(version: &str) -> (Settings, Messages) {
    let messages = Messages::default();
    let kept = messages.clone();
    let recorder = Recorder::new(move |way, message| kept.lock().expect("it is held").push((way, message)));
    let protocol: Protocol = version.parse().expect("it is a version");
    (Settings { protocol, recorder: Some(recorder), ..settings() }, messages)
}

fn told(messages: &Messages) -> Vec<String> {
    let messages = messages.lock().expect("it is held");
    let tell = |(way, message): &(Way, Value)| {
        let what = message["method"].as_str().unwrap_or("answer");
        match way {
            Way::ToServer => format!("> {what}"),
            Way::ToClient => format!("< {what}"),
        }
    };
    messages.iter().map(tell).collect()
}

#[tokio::test]
async fn every_message_is_recorded_in_order_and_nothing_is_sent_that_was_not_asked_for() {
    let (settings, messages) = recorded("2025-11-25");
    let opened = connect(&server("a", "good"), &settings).await.expect("it is up");
    let called = opened.connection.call("progress", Map::new()).await.expect("it answers");
    assert_eq!(called.progress, ["step 1", "step 2", "step 3"]);
    opened.close().await;
    let progress = "< notifications/progress";
    assert_eq!(
        told(&messages),
        [
            "> initialize",
            "< answer",
            "> notifications/initialized",
            "> tools/call",
            progress,
            progress,
            progress,
            "< answer"
        ]
    );
    let (_, answer) = messages.lock().expect("it is held").last().cloned().expect("there are some");
    assert_eq!(answer["result"]["content"][0]["text"], "done");
}

#[tokio::test]
async fn the_stateless_era_is_as_quiet() {
    let (settings, messages) = recorded("2026-07-28");
    let opened = connect(&server("a", "stateless"), &settings).await.expect("it is up");
    opened.connection.call("echo", Map::new()).await.expect("it answers");
    opened.close().await;
    assert_eq!(told(&messages), ["> server/discover", "< answer", "> tools/call", "< answer"]);
}

#[tokio::test]
async fn a_connection_that_is_opened_asks_for_the_tools() {
    let (settings, messages) = recorded("2025-11-25");
    let opened = open(&server("a", "good"), &settings).await.expect("it is up");
    opened.close().await;
    assert!(told(&messages).contains(&"> tools/list".to_owned()), "{messages:?}");
}

#[tokio::test]
async fn progress_past_what_is_kept_is_left_out() {
    let (mut settings, _) = recorded("2025-11-25");
    settings.kept_progress = (2, usize::MAX);
    let opened = connect(&server("a", "good"), &settings).await.expect("it is up");
    let called = opened.connection.call("progress", Map::new()).await.expect("it answers");
    assert_eq!(called.progress, ["step 1", "step 2"]);
    opened.close().await;
}

#[tokio::test]
async fn a_call_that_is_cancelled_is_no_longer_waited_for_and_the_server_is_told_why() {
    let (settings, messages) = recorded("2025-11-25");
    let log = Log::new();
    let opened = connect(&log.of(server("a", "good")), &settings).await.expect("it is up");
    let cancel = async {
        until("the server has the call", || log.count("called hang") == 1).await;
        "enough".to_owned()
    };
    let called = opened.connection.call_unless("hang", Map::new(), cancel).await.expect("it is cancelled");
    assert!(called.is_none(), "{called:?}");
    opened.close().await;
    let messages = messages.lock().expect("it is held");
    let of = |method: &str| messages.iter().find(|(_, message)| message["method"] == method).cloned();
    let (_, call) = of("tools/call").expect("it was sent");
    let (_, cancelled) = of("notifications/cancelled").expect("it was sent");
    assert_eq!(cancelled["params"]["requestId"], call["id"]);
    assert_eq!(cancelled["params"]["reason"], "enough");
}

#[tokio::test]
async fn a_server_of_another_era_is_said_to_be_one() {
    let (settings, _) = recorded("2026-07-28");
    let error = connect(&server("a", "refuses"), &settings).await.expect_err("it refuses");
    let StartError::Refused { speaks: Some(speaks), .. } = &error else { panic!("{error:?}") };
    assert!(speaks.contains("versions with a handshake"), "{speaks}");
    let (settings, _) = recorded("2025-11-25");
    let error = connect(&server("a", "refuses"), &settings).await.expect_err("it refuses");
    assert!(matches!(error, StartError::Refused { speaks: None, .. }), "{error:?}");
}
