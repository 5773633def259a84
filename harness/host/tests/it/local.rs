//! Servers that are programs, and misbehave.

use std::time::Duration;

use mcp_host::{Settings, State};
use rstest::rstest;
use serde_json::json;

use crate::support::{Log, SOON, host, host_with, json, message, server, settings, until, with_variable};

#[tokio::test]
async fn a_tool_is_called_by_the_name_of_its_server() {
    let host = host([server("one", "good"), server("two", "good")]);
    let called = host.call("one__echo", json!({ "text": "hello" })).await.expect("it answers");
    assert_eq!(called.text(), "hello");
    assert!(!called.is_error());
    let failed = host.call("one__fail", json!({})).await.expect("it answers");
    assert!(failed.is_error());
    let states: Vec<&str> = host.statuses().iter().map(|status| status.state.word()).collect();
    assert_eq!(states, ["ready", "idle"], "only what is needed is started");
    host.shutdown().await;
    let states: Vec<&str> = host.statuses().iter().map(|status| status.state.word()).collect();
    assert_eq!(states, ["stopped", "stopped"]);
}

#[tokio::test]
async fn names_that_are_not_there_are_told() {
    let host = host([server("one", "good")]);
    let unknown = message(host.call("two__echo", json!({})).await);
    assert!(unknown.contains("does not begin with the name of a server"), "{unknown}");
    assert!(unknown.contains("there are `one`"), "{unknown}");
    let mistyped = message(host.call("one__ecko", json!({})).await);
    assert!(mistyped.contains("`one` has no tool `ecko`\nhint: did you mean `echo`?"), "{mistyped}");
    let wrong = message(host.call("one__echo", json!([1])).await);
    assert!(wrong.contains("a JSON object, not an array"), "{wrong}");
    host.shutdown().await;
}

#[tokio::test]
async fn a_name_with_the_separator_in_it_is_found() {
    let host = host([server("a", "good"), server("a__b", "good")]);
    let called = host.call("a__b__echo", json!({ "text": "x" })).await.expect("it answers");
    assert_eq!(called.server, "a__b");
    host.shutdown().await;
}

#[tokio::test]
async fn a_server_that_never_answers_times_out_at_its_start() {
    let impatient = Settings { start_timeout: Some(SOON), ..settings() };
    let host = host_with([server("silent", "silent"), server("good", "good")], impatient);
    let error = message(host.call("silent__echo", json!({})).await);
    assert!(error.contains("failed to start `silent`"), "{error}");
    assert!(error.contains("the handshake within 300 ms (the start timeout)"), "{error}");
}

#[tokio::test]
async fn a_server_that_never_lists_its_tools_times_out_at_its_start() {
    let impatient = Settings { start_timeout: Some(Duration::from_secs(2)), ..settings() };
    let host = host_with([server("slow", "no-list")], impatient);
    let error = message(host.call("slow__echo", json!({})).await);
    assert!(error.contains("its list of tools within 2 s (the start timeout)"), "{error}");
}

#[tokio::test]
async fn a_call_that_is_never_answered_times_out_and_the_server_goes_on() {
    let log = Log::new();
    let impatient = Settings { call_timeout: Some(Duration::from_secs(2)), ..settings() };
    let host = host_with([log.of(server("one", "good"))], impatient);
    let error = message(host.call("one__hang", json!({})).await);
    assert!(
        error.contains("no answer from `one` to the call of `hang` within 2 s (the call timeout)"),
        "{error}"
    );
    assert!(host.call("one__echo", json!({})).await.is_ok());
    assert_eq!(log.count("started"), 1, "a timeout is no reason to start it again");
    host.shutdown().await;
}

#[tokio::test]
async fn nonsense_on_stdout_is_passed_over() {
    let host = host([server("one", "nonsense")]);
    let called = host.call("one__echo", json!({ "text": "still here" })).await.expect("it answers");
    assert_eq!(called.text(), "still here");
    host.shutdown().await;
}

#[rstest]
#[case::lines("flood")]
#[case::one_line("flood-line")]
#[tokio::test]
async fn a_flood_of_nonsense_is_ended(#[case] mode: &str) {
    let host = host([server("flood", mode), server("good", "good")]);
    let error = message(host.call("flood__echo", json!({})).await);
    assert!(error.contains("it printed more than 32 MiB that are no messages"), "{error}");
    assert!(host.call("good__echo", json!({})).await.is_ok());
    host.shutdown().await;
}

#[tokio::test]
async fn a_flood_on_stderr_hinders_nothing() {
    let host = host([server("one", "flood-stderr")]);
    for _ in 0..10 {
        host.call("one__echo", json!({})).await.expect("it answers");
    }
    host.shutdown().await;
}

#[tokio::test]
async fn a_flood_of_notifications_hinders_nothing() {
    let host = host([server("one", "flood-notes")]);
    for _ in 0..3 {
        host.call("one__echo", json!({})).await.expect("it answers");
    }
    host.shutdown().await;
}

#[tokio::test]
async fn a_server_that_asks_and_never_reads_is_ended() {
    let host = host([server("deaf", "deaf-later")]);
    let error = message(host.call("deaf__echo", json!({})).await);
    assert!(error.contains("it does not read its stdin"), "{error}");
    host.shutdown().await;
}

#[tokio::test]
async fn a_server_that_never_reads_times_out_at_its_start() {
    let host = host_with([server("deaf", "deaf")], Settings { start_timeout: Some(SOON), ..settings() });
    let error = message(host.call("deaf__echo", json!({})).await);
    assert!(error.contains("(the start timeout)"), "{error}");
}

#[tokio::test]
async fn a_server_that_ends_at_once_is_broken_with_its_last_words() {
    let host = host([server("broken", "broken"), server("good", "good")]);
    let error = message(host.call("broken__echo", json!({})).await);
    assert!(error.contains("it ended (exit code 3) before the handshake was finished"), "{error}");
    assert!(error.contains("its stderr ends:\n  cannot open the database \\u{1b}[31mred"), "{error}");
    let listing = host.tools().await;
    assert!(listing.tools.iter().any(|tool| tool.name() == "good__echo"));
    assert_eq!(listing.failures.len(), 1);
    assert_eq!(listing.failures[0].0, "broken");
    host.shutdown().await;
}

#[rstest]
#[case::a_name("no-such-program-anywhere")]
#[case::a_path("./no/such/program")]
#[tokio::test]
async fn a_program_that_is_not_there_is_told(#[case] program: &str) {
    let host = host([mcp_host::ServerSpec::local("none", [program])]);
    let error = message(host.call("none__echo", json!({})).await);
    assert!(error.contains(&format!("the program `{program}` was not found\nhint: ")), "{error}");
}

#[tokio::test]
async fn a_server_that_dies_between_two_calls_is_started_again() {
    let log = Log::new();
    let host = host([log.of(server("one", "good"))]);
    let first = json(&host.call("one__where", json!({})).await.expect("it answers"));
    host.call("one__leave", json!({})).await.expect("it answers before it leaves");
    until("it was started again", || host.statuses()[0].restarts == 1).await;
    let second = json(&host.call("one__where", json!({})).await.expect("it answers"));
    assert_ne!(first["id"], second["id"]);
    assert_eq!(log.count("started"), 2);
    host.shutdown().await;
}

#[tokio::test]
async fn a_call_during_which_a_server_dies_is_told_and_not_repeated() {
    let log = Log::new();
    let host = host([log.of(server("one", "good"))]);
    let error = message(host.call("one__crash", json!({})).await);
    assert!(error.contains("`one` was lost during the call of `crash`: it ended (exit code 7)"), "{error}");
    assert!(error.contains("panicked at the disco"), "{error}");
    assert!(host.call("one__echo", json!({})).await.is_ok());
    assert_eq!(log.count("called crash"), 1);
    host.shutdown().await;
}

#[tokio::test]
async fn a_server_that_keeps_dying_is_given_up() {
    let log = Log::new();
    let host = host_with([log.of(server("one", "good"))], Settings { deaths: 3, ..settings() });
    for death in 1..=3 {
        host.call("one__leave", json!({})).await.expect("it answers before it leaves");
        let noticed = || host.statuses()[0].restarts == death || host.statuses()[0].state.word() == "broken";
        until("its death was noticed", noticed).await;
    }
    let State::Broken(why) = host.statuses()[0].state.clone() else { panic!("it is broken") };
    assert_eq!(why, "`one` died 3 times in a row; the last time it ended (exit code 0)");
    assert_eq!(log.count("started"), 3);
    host.shutdown().await;
}

#[tokio::test]
async fn a_broken_server_is_tried_again_when_it_is_needed_but_not_at_once() {
    let log = Log::new();
    let patient = Settings {
        backoff: Duration::from_secs(3600),
        backoff_most: Duration::from_secs(3600),
        ..settings()
    };
    let host = host_with([log.of(server("slow", "broken"))], patient);
    for _ in 0..3 {
        assert!(host.call("slow__echo", json!({})).await.is_err());
    }
    assert_eq!(log.count("started"), 1, "nothing can have changed so soon");
    let again =
        host_with([log.of(server("soon", "broken"))], Settings { backoff: Duration::ZERO, ..settings() });
    for _ in 0..2 {
        assert!(again.call("soon__echo", json!({})).await.is_err());
    }
    assert_eq!(log.count("started"), 3);
}

#[tokio::test]
async fn twenty_servers_start_at_once_and_answer() {
    let host = host((0..20).map(|number| server(&format!("s{number}"), "good")));
    let listing = host.tools().await;
    assert_eq!(listing.failures.len(), 0);
    assert_eq!(listing.tools.len(), 20 * 13);
    let call = |number: usize| {
        let host = &host;
        async move { host.call(&format!("s{number}__echo"), json!({ "text": number.to_string() })).await }
    };
    for (number, called) in futures_util::future::join_all((0..20).map(call)).await.into_iter().enumerate() {
        assert_eq!(called.expect("it answers").text(), number.to_string());
    }
    host.shutdown().await;
}

#[tokio::test]
async fn many_calls_at_once_on_one_server_are_kept_apart() {
    let host = host([server("one", "good")]);
    let call = |number: usize| host.call("one__echo", json!({ "text": number.to_string() }));
    for (number, called) in futures_util::future::join_all((0..200).map(call)).await.into_iter().enumerate() {
        assert_eq!(called.expect("it answers").text(), number.to_string());
    }
    host.shutdown().await;
}

#[tokio::test]
async fn changed_tools_are_followed() {
    let host = host([server("one", "good")]);
    let before = host.tools().await.tools.len();
    host.call("one__grow", json!({})).await.expect("it answers");
    assert_eq!(host.tools().await.tools.len(), before + 1);
    assert_eq!(host.call("one__grown-1", json!({})).await.expect("it is there now").text(), "grown-1");
    host.shutdown().await;
}

#[tokio::test]
async fn progress_is_kept_with_the_call() {
    let host = host([server("one", "good")]);
    let called = host.call("one__progress", json!({})).await.expect("it answers");
    assert_eq!(called.text(), "done");
    assert_eq!(called.progress, ["step 1", "step 2", "step 3"]);
    host.shutdown().await;
}

#[tokio::test]
async fn large_results_come_whole() {
    let host = host([server("one", "good")]);
    let called = host.call("one__big", json!({ "bytes": 8 * 1024 * 1024 })).await.expect("it fits");
    assert_eq!(called.text().len(), 8 * 1024 * 1024);
    host.shutdown().await;
}

#[tokio::test]
async fn a_result_that_is_too_large_is_told_and_the_server_goes_on() {
    let host = host([server("one", "good")]);
    let error = message(host.call("one__big", json!({ "bytes": 17 * 1024 * 1024 })).await);
    assert!(error.contains("`one` refused the call of `big`: the answer has more than 16 MiB"), "{error}");
    assert!(host.call("one__echo", json!({})).await.is_ok());
    host.shutdown().await;
}

#[tokio::test]
async fn an_answer_that_is_none_is_told() {
    let host = host([server("one", "good")]);
    let error = message(host.call("one__odd", json!({})).await);
    assert!(error.contains("`one` answered the call of `odd` with something else"), "{error}");
    host.shutdown().await;
}

#[tokio::test]
async fn pages_without_an_end_are_an_error() {
    let host = host([server("one", "pages")]);
    let error = message(host.call("one__echo", json!({})).await);
    assert!(error.contains("pages without an end"), "{error}");
}

#[tokio::test]
async fn both_eras_are_spoken_and_a_refusal_is_told() {
    let host = host([server("old", "good"), server("new", "stateless"), server("neither", "refuses")]);
    host.start().await;
    let statuses = host.statuses();
    let era = |at: usize| statuses[at].era.as_ref().map(ToString::to_string);
    assert_eq!(era(0).as_deref(), Some("handshake 2025-11-25"));
    assert_eq!(era(1).as_deref(), Some("stateless 2026-07-28"));
    let State::Broken(why) = &statuses[2].state else { panic!("it refuses") };
    assert!(why.contains("it refused the handshake: not\\u{7} today (-32601)"), "{why}");
    assert_eq!(host.call("new__echo", json!({ "text": "x" })).await.expect("it answers").text(), "x");
    host.ping("old").await.expect("it lives");
    host.ping("new").await.expect("it lives");
    host.shutdown().await;
}

#[tokio::test]
async fn the_folder_and_the_environment_are_given() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut spec = with_variable(server("one", "good"), "MCP_TEST_VARIABLE", "value");
    let mcp_host::TransportSpec::Local(local) = &mut spec.transport else { panic!("it is local") };
    local.folder = folder.path().to_owned();
    let host = host([spec]);
    let told = json(&host.call("one__where", json!({})).await.expect("it answers"));
    assert_eq!(told["variable"], "value");
    let given = folder.path().canonicalize().expect("it is there");
    assert_eq!(told["folder"].as_str().map(std::path::Path::new), Some(given.as_path()));
    host.shutdown().await;
}
