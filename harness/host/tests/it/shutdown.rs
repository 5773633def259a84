//! How servers end: in order, and nothing of them is left.

use serde_json::json;

use crate::support::{Log, host, server};

#[tokio::test]
async fn a_good_server_ends_when_its_stdin_is_closed() {
    let log = Log::new();
    let host = host([log.of(server("one", "good"))]);
    host.call("one__echo", json!({})).await.expect("it answers");
    host.shutdown().await;
    assert_eq!(log.lines(), ["started", "called echo", "stdin closed"]);
    let error = host.call("one__echo", json!({})).await.expect_err("it was shut down").to_string();
    assert_eq!(error, "`one` was shut down");
}

#[cfg(target_os = "linux")]
mod processes {
    use std::time::Duration;

    use mcp_host::Settings;

    use super::*;
    use crate::support::{host_with, settings, until};

    fn is_there(process: u64) -> bool {
        let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        stat.rsplit(')').next().is_some_and(|rest| !rest.is_empty() && !rest.trim_start().starts_with('Z'))
    }

    #[tokio::test]
    async fn a_stubborn_server_is_asked_and_then_killed() {
        let log = Log::new();
        let brief = Settings { grace: Duration::from_millis(300), ..settings() };
        let host = host_with([log.of(server("one", "stubborn"))], brief);
        let told = crate::support::json(&host.call("one__where", json!({})).await.expect("it answers"));
        until("it is ready for TERM", || log.count("ready for TERM") == 1).await;
        host.shutdown().await;
        let lines = log.lines();
        let order: Vec<&str> =
            lines.iter().map(String::as_str).filter(|line| *line != "ready for TERM").collect();
        assert_eq!(order, ["started", "called where", "stdin closed", "TERM"]);
        assert!(!is_there(told["id"].as_u64().expect("a number")));
    }

    #[tokio::test]
    async fn what_a_server_leaves_behind_is_killed_with_it() {
        let host = host([server("one", "good")]);
        let child = host.call("one__child", json!({})).await.expect("it answers").text();
        let child: u64 = child.parse().expect("a number");
        assert!(is_there(child));
        host.shutdown().await;
        until("the child is gone", || !is_there(child)).await;
    }

    #[tokio::test]
    async fn a_host_that_is_dropped_leaves_nothing() {
        let host = host([server("one", "stubborn")]);
        let told = crate::support::json(&host.call("one__where", json!({})).await.expect("it answers"));
        let child: u64 =
            host.call("one__child", json!({})).await.expect("it answers").text().parse().expect("a number");
        drop(host);
        let server = told["id"].as_u64().expect("a number");
        until("both are gone", || !is_there(server) && !is_there(child)).await;
    }

    #[tokio::test]
    async fn a_server_that_is_still_starting_is_ended_too() {
        let log = Log::new();
        let host = host([log.of(server("one", "silent"))]);
        let ending = async {
            until("it was started", || log.count("started") == 1).await;
            host.shutdown().await;
        };
        tokio::join!(host.start(), ending);
        assert_eq!(host.statuses()[0].state.word(), "stopped");
    }
}
