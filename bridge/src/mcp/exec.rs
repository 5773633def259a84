//! The tool `exec-lua`: a chunk of Lua to one computer, and what became of it.

use rmcp::RoleServer;
use rmcp::model::CallToolResult;
use rmcp::service::RequestContext;
use serde_json::{Map, Value, json};

use super::arguments::Exec;
use super::call::{Call, error_text, unless_stopped};
use super::relay::Relay;
use super::server::{Settings, error_result, structured};
use crate::computer::named;
use crate::link::frame::{Answer, text_of};
use crate::link::hello::Identity;
use crate::link::returned;
use crate::text::{label, some_of};

/// What sets how long a call waits.
const LONGER: &str = "a larger `timeoutMs`";

/// The fields of the structured content.
const FIELDS: usize = 5;

/// Runs a chunk and waits for its end, its deadline, the link's end or the client's change of mind.
pub async fn exec(
    settings: &Settings,
    arguments: Exec,
    context: &RequestContext<RoleServer>,
) -> CallToolResult {
    let Some(computer) = settings.registry.get(arguments.computer) else {
        return error_result(not_connected(settings, arguments.computer));
    };
    let timeout = arguments.timeout.unwrap_or(settings.exec_timeout);
    let token = context.meta.get_progress_token();
    let sent = computer.exec(settings.registry.next_request(), &arguments.code, timeout, token.is_some());
    drop(arguments);
    let mut call = match Call::begin(computer, timeout, sent) {
        Ok(call) => call,
        Err(error) => return error.into_result(LONGER),
    };
    let relay = token.is_some().then(|| Relay::for_chunk(context, &call).start(&mut call, settings));
    let answer = unless_stopped(settings, context, call.answer()).await;
    // Before the last progress: a chunk that goes on printing must not put off its own cancel.
    call.request.cancel();
    if let Some(relay) = relay {
        relay.finish().await;
    }
    match answer {
        Ok(answer) => result(&call.identity, &answer),
        Err(end) => call.error(end).into_result(LONGER),
    }
}

pub fn not_connected(settings: &Settings, id: u64) -> String {
    let connected = some_of(settings.registry.all().iter().map(|computer| computer.id));
    format!("computer {id} is not connected (connected: {connected})")
}

/// The result: its structured content, and the JSON of that as text.
fn result(identity: &Identity, answer: &Answer) -> CallToolResult {
    let mut outcome = Map::with_capacity(FIELDS);
    outcome.insert("computerId".to_owned(), identity.id.into());
    outcome.insert("label".to_owned(), json!(identity.label));
    let ok = match answer {
        Answer::Done { result } => match returned::read(result.as_deref()) {
            Ok((returns, output)) => {
                outcome.insert("ok".to_owned(), true.into());
                outcome.insert("returns".to_owned(), returns);
                outcome.insert("output".to_owned(), Value::String(output));
                true
            }
            Err(odd) => {
                let who = named(identity);
                return error_result(format!("error from {who}: unexpected answer \"{}\"", label(odd)));
            }
        },
        Answer::Failed { error, output } => {
            outcome.insert("ok".to_owned(), false.into());
            outcome.insert("error".to_owned(), json!(error_text(error.as_deref())));
            let output = output.as_deref().and_then(text_of).unwrap_or_default().into_owned();
            outcome.insert("output".to_owned(), Value::String(output));
            false
        }
        Answer::Broken(error) => return error_result(format!("error from {}: {error}", named(identity))),
    };
    structured(Value::Object(outcome), !ok)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::frame::Incoming;
    use rstest::rstest;

    fn text_for(fields: &str) -> (String, Option<bool>, Option<Value>) {
        let hello = r#"{"type":"hello","computerId":12,"computerLabel":"base-turtle"}"#;
        let identity =
            Identity::from_hello(&Incoming::parse(hello).expect("a frame"), None, false).expect("a hello");
        let frame = format!(r#"{{"type":"response","id":"req-1",{fields}}}"#);
        let result = result(&identity, &Incoming::parse(&frame).expect("a frame").answer());
        let text = result.content[0].as_text().expect("text").text.clone();
        (text, result.is_error, result.structured_content)
    }

    #[rstest]
    #[case::number(
        r#"{"returns":[{"type":"number","value":2}],"output":""}"#,
        r#""returns":[{"type":"number","value":2}],"output":"""#
    )]
    #[case::nil_in_the_middle(
        r#"{"returns":[{"type":"nil"},{"type":"boolean","value":false}],"output":"a\nb"}"#,
        r#""returns":[{"type":"nil"},{"type":"boolean","value":false}],"output":"a\nb""#
    )]
    #[case::nothing_as_lua_writes_it(r#"{"returns":{},"output":""}"#, r#""returns":[],"output":"""#)]
    #[case::nothing_at_all(r"{}", r#""returns":[],"output":"""#)]
    #[case::bytes_and_nan(
        r#"{"returns":[{"type":"string","base64":"/w=="},{"type":"number","repr":"nan"}],"output":""}"#,
        r#""returns":[{"type":"string","base64":"/w=="},{"type":"number","repr":"nan"}],"output":"""#
    )]
    #[case::strange_fields(
        r#"{"returns":[{"type":"nil","x":[1]}],"output":"","y":2}"#,
        r#""returns":[{"type":"nil"}],"output":"""#
    )]
    fn what_ran_is_described(#[case] result: &str, #[case] rest: &str) {
        let (text, is_error, structured) = text_for(&format!(r#""ok":true,"result":{result}"#));
        assert_eq!(text, format!(r#"{{"computerId":12,"label":"base-turtle","ok":true,{rest}}}"#));
        assert_eq!(is_error, Some(false));
        assert_eq!(structured.map(|value| value.to_string()), Some(text));
    }

    #[test]
    fn what_failed_is_an_error_with_its_output() {
        let (text, is_error, structured) =
            text_for(r#""ok":false,"error":"mcp-exec:1: boom","output":"before""#);
        let expected = r#"{"computerId":12,"label":"base-turtle","ok":false,"error":"mcp-exec:1: boom","output":"before"}"#;
        assert_eq!((text.as_str(), is_error), (expected, Some(true)));
        assert!(structured.is_some());
    }

    #[rstest]
    #[case(r#""ok":true,"result":"yes""#)]
    #[case(r#""ok":true"#)]
    #[case(r#""ok":true,"result":{"returns":{"a":1}}"#)]
    #[case(r#""ok":true,"result":{"returns":[{"value":1}]}"#)]
    #[case(r#""ok":true,"result":{"returns":[{"type":"number","value":1e999}]}"#)]
    #[case(r#""ok":true,"result":{"returns":[{"type":"table","value":{}}]}"#)]
    fn an_answer_that_is_none_is_reported_and_not_passed_on(#[case] fields: &str) {
        let (text, is_error, structured) = text_for(fields);
        assert!(text.starts_with("error from 12 (Label: base-turtle): unexpected answer \""), "{text}");
        assert_eq!((is_error, structured), (Some(true), None));
    }
}
