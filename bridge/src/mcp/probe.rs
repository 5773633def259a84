//! The tool `probe-computers`: one `ping` to every computer, one line from each.

use std::fmt::Write as _;

use rmcp::model::CallToolResult;
use tokio_util::sync::CancellationToken;

use super::call::{Call, CallError, error_text};
use super::server::{Settings, text_result};
use crate::computer::named;
use crate::link::frame::{Answer, text_of, whole_digits};
use crate::text::{Named, label, shown};

/// What is said when there is nobody to ask.
const NOBODY: &str = "No computers connected.";

/// Asks all at once and waits for all together, so that a hundred silent ones cost no more time than one.
pub async fn probe(settings: &Settings, cancelled: &CancellationToken) -> CallToolResult {
    let computers = settings.registry.all();
    if computers.is_empty() {
        return text_result(NOBODY.into());
    }
    let timeout = settings.probe_timeout;
    let asked: Vec<Result<Call, CallError>> = computers
        .into_iter()
        .map(|computer| {
            let sent = computer.ping(settings.registry.next_request());
            Call::begin(computer, timeout, sent)
        })
        .collect();
    // The usual line has some 40 characters.
    let mut text = String::with_capacity(asked.len() * 48);
    let all = async {
        for call in asked {
            if !text.is_empty() {
                text.push('\n');
            }
            add_line(&mut text, call).await;
        }
    };
    tokio::select! {
        biased;
        () = all => {}
        () = cancelled.cancelled() => {}
    }
    text_result(text)
}

async fn add_line(text: &mut String, call: Result<Call, CallError>) {
    let error = match call {
        Ok(mut call) => match call.answer().await {
            // The label is taken after the wait: one that came in the meantime is the right one.
            Ok(answer) => return write_answer(text, named(&call.computer.identity()), &answer),
            Err(end) => CallError::before(&call.computer, end),
        },
        Err(error) => error,
    };
    let _ = write!(text, "{error}");
}

fn write_answer(line: &mut String, who: Named<'_>, answer: &Answer) {
    let _ = match answer {
        Answer::Done { result } => {
            let raw = result.as_deref();
            match raw.and_then(text_of) {
                Some(pong) if is_pong(&pong, who.id) => write_pong(line, &pong),
                Some(other) => write!(line, "error from {who}: unexpected answer \"{}\"", label(&other)),
                None => {
                    let other = raw.map_or("null", |raw| raw.get());
                    write!(line, "error from {who}: unexpected answer \"{}\"", label(other))
                }
            }
        }
        Answer::Failed { error, .. } => {
            write!(line, "error from {who}: {}", error_text(error.as_deref()))
        }
        Answer::Broken(error) => write!(line, "error from {who}: {error}"),
    };
}

fn is_pong(answer: &str, id: u64) -> bool {
    let rest = answer.strip_prefix("pong from ").and_then(|rest| rest.split_once(' '));
    rest.and_then(|(number, _)| whole_digits(number)) == Some(id)
}

/// Writes the computer's own line, its label cut as every label is.
fn write_pong(line: &mut String, pong: &str) -> std::fmt::Result {
    let parts = pong.split_once(" (Label: ").and_then(|(head, rest)| Some((head, rest.strip_suffix(')')?)));
    match parts {
        Some((head, own)) => write!(line, "{} (Label: {})", label(head), label(own)),
        None => write!(line, "{}", shown(pong)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::frame::Incoming;
    use crate::text::Stranger;
    use rstest::rstest;

    #[rstest]
    #[case::pong(
        r#""ok":true,"result":"pong from 12 (Label: base-turtle)""#,
        "pong from 12 (Label: base-turtle)"
    )]
    #[case::own_label(r#""ok":true,"result":"pong from 12 (Label: new)""#, "pong from 12 (Label: new)")]
    #[case::other_id(
        r#""ok":true,"result":"pong from 13 (Label: x)""#,
        r#"error from 12 (Label: base-turtle): unexpected answer "pong from 13 (Label: x)""#
    )]
    #[case::longer_id(
        r#""ok":true,"result":"pong from 123 (Label: x)""#,
        r#"error from 12 (Label: base-turtle): unexpected answer "pong from 123 (Label: x)""#
    )]
    #[case::bare(
        r#""ok":true,"result":"pong from 12""#,
        r#"error from 12 (Label: base-turtle): unexpected answer "pong from 12""#
    )]
    #[case::forged(
        r#""ok":true,"result":"pong from 12 (Label: x)\npong from 13 (Label: y)""#,
        r"pong from 12 (Label: x)\npong from 13 (Label: y)"
    )]
    #[case::no_string(
        r#""ok":true,"result":{"a":1}"#,
        r#"error from 12 (Label: base-turtle): unexpected answer "{"a":1}""#
    )]
    #[case::nothing(r#""ok":true"#, r#"error from 12 (Label: base-turtle): unexpected answer "null""#)]
    #[case::failed(
        r#""ok":false,"error":"unknown method""#,
        "error from 12 (Label: base-turtle): unknown method"
    )]
    #[case::failed_oddly(r#""ok":false,"error":[1]"#, "error from 12 (Label: base-turtle): [1]")]
    #[case::failed_silently(r#""ok":null"#, "error from 12 (Label: base-turtle): no reason given")]
    fn a_line_for_each_answer(#[case] fields: &str, #[case] line: &str) {
        let frame = format!(r#"{{"type":"response","id":"req-1",{fields}}}"#);
        let answer = Incoming::parse(&frame).expect("a frame").answer();
        let mut text = String::new();
        write_answer(&mut text, Named { id: 12, label: Some(&Stranger::new("base-turtle")) }, &answer);
        assert_eq!(text, line);
    }

    #[test]
    fn a_long_label_in_a_pong_is_cut() {
        let mut text = String::new();
        write_pong(&mut text, &format!("pong from 12 (Label: {})", "x".repeat(1000))).expect("written");
        assert_eq!(text, format!("pong from 12 (Label: {})", "x".repeat(64)));
    }
}
