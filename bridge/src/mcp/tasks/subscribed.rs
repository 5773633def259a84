//! Status notifications of tasks, for clients of the stateless era that name them in `subscriptions/listen`.
//!
//! The SDK's filter has no `taskIds`. They are read from the body of the request, go to the handler in the extensions of
//! its head, and are put into the acknowledgement, which is the first event of the answer.

use std::collections::BTreeMap;

use axum::BoxError;
use axum::body::Body;
use axum::http::request::Parts;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use http_body_util::BodyExt as _;
use hyper::body::Bytes;
use rmcp::ErrorData;
use rmcp::model::{
    ClientCapabilities, GetMeta as _, InputRequests, RequestId, ServerNotification, TaskPayload, TaskStatus,
    TaskStatusNotification, TaskStatusNotificationParams,
};
use rmcp::service::SubscriptionContext;
use serde::Deserialize;
use serde_json::{Value, json};

use super::super::server::Settings;
use super::detailed;
use crate::jobs::Keeper;

/// The header in which a client of the stateless era names the method; the SDK refuses another than the body's.
const METHOD: &str = "mcp-method";
const LISTEN: &str = "subscriptions/listen";

/// The tasks that a request listens to.
#[derive(Debug, Clone, PartialEq)]
pub struct TaskIds(Vec<String>);

#[derive(Deserialize)]
struct Asked {
    id: RequestId,
    params: Params,
}

#[derive(Deserialize)]
struct Params {
    #[serde(rename = "_meta", default)]
    meta: Meta,
    notifications: Notifications,
}

#[derive(Deserialize, Default)]
struct Meta {
    #[serde(rename = "io.modelcontextprotocol/clientCapabilities", default)]
    client: ClientCapabilities,
}

#[derive(Deserialize)]
struct Notifications {
    #[serde(rename = "taskIds")]
    task_ids: Option<Vec<String>>,
}

/// Reads which tasks a request listens to, and leaves those that there are in its head.
pub fn read(head: &mut Parts, body: &[u8], jobs: &Keeper) -> Result<Option<TaskIds>, Box<Response>> {
    if head.headers.get(METHOD).is_none_or(|method| method != LISTEN) {
        return Ok(None);
    }
    // What is malformed is the SDK's to refuse.
    let Ok(Asked { id, params }) = serde_json::from_slice::<Asked>(body) else { return Ok(None) };
    let Some(mut ids) = params.notifications.task_ids else { return Ok(None) };
    if !params.meta.client.supports_tasks() {
        let needed = ClientCapabilities::builder().enable_tasks().build();
        let error = ErrorData::missing_required_client_capability(needed);
        let text = json!({ "jsonrpc": "2.0", "id": id, "error": error }).to_string();
        let kind = [(header::CONTENT_TYPE, "application/json")];
        return Err(Box::new((StatusCode::BAD_REQUEST, kind, text).into_response()));
    }
    ids.retain(|id| jobs.store.get(id).is_some());
    ids.sort();
    ids.dedup();
    let ids = TaskIds(ids);
    head.extensions.insert(ids.clone());
    Ok(Some(ids))
}

/// An answer whose first event, the acknowledgement, names these tasks as well.
pub fn acknowledging<B>(body: B, TaskIds(ids): TaskIds) -> Body
where
    B: hyper::body::Body<Data = Bytes, Error: Into<BoxError>> + Send + 'static,
{
    let mut first = Some(ids);
    Body::new(body.map_frame(move |frame| {
        frame.map_data(|event| match first.take() {
            Some(ids) => with_tasks(&event, &ids).unwrap_or(event),
            None => event,
        })
    }))
}

/// An event with the acknowledgement, with these tasks in it; nothing where it is something else, an error for one.
fn with_tasks(event: &[u8], ids: &[String]) -> Option<Bytes> {
    let event = str::from_utf8(event).ok()?;
    let start = event.find("data:")? + "data:".len();
    let end = start + event[start..].find('\n')?;
    let mut message: Value = serde_json::from_str(&event[start..end]).ok()?;
    message.get_mut("params")?.get_mut("notifications")?["taskIds"] = json!(ids);
    Some(format!("{} {message}{}", &event[..start], &event[end..]).into())
}

/// Tells a client of its tasks, each time that one has another state or asks something else; those that are at work when
/// it begins to listen are known to be.
pub async fn tell(settings: &Settings, context: &SubscriptionContext) {
    let request = context.request_context();
    let wanted = request.extensions.get::<Parts>().and_then(|head| head.extensions.get::<TaskIds>());
    let Some(TaskIds(ids)) = wanted else { return };
    let mut news = settings.jobs.store.news();
    let mut told: BTreeMap<&str, (TaskStatus, InputRequests)> =
        ids.iter().map(|id| (&**id, (TaskStatus::Working, InputRequests::new()))).collect();
    while !told.is_empty() {
        news.mark_unchanged();
        for id in told.keys().copied().collect::<Vec<_>>() {
            let Some(record) = settings.jobs.store.get(id) else {
                told.remove(id);
                continue;
            };
            let Ok(task) = detailed(settings, &record, request).await else { continue };
            let asks = match &task.payload {
                TaskPayload::InputRequired { input_requests } => input_requests.clone(),
                _ => InputRequests::new(),
            };
            let now = (task.status(), asks);
            if told.get(id) == Some(&now) {
                continue;
            }
            let mut note = ServerNotification::TaskStatusNotification(TaskStatusNotification::new(
                TaskStatusNotificationParams::new(task),
            ));
            note.get_meta_mut().set_subscription_id(context.sink().id().clone());
            if request.peer.send_notification(note).await.is_err() {
                return;
            }
            if now.0.is_terminal() {
                told.remove(id)
            } else {
                told.insert(id, now)
            };
        }
        if news.changed().await.is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_acknowledgement_is_changed() {
        let tasks = ["a".to_owned()];
        let event = "id: 1/0\ndata: {\"method\":\"m\",\"params\":{\"notifications\":{}}}\n\n";
        let said = with_tasks(event.as_bytes(), &tasks).expect("an acknowledgement");
        let expected =
            "id: 1/0\ndata: {\"method\":\"m\",\"params\":{\"notifications\":{\"taskIds\":[\"a\"]}}}\n\n";
        assert_eq!(said, expected);
        for other in ["data: {\"error\":{}}\n\n", "{\"error\":{}}", ":\n\n", "data: x"] {
            assert_eq!(with_tasks(other.as_bytes(), &tasks), None, "{other}");
        }
    }
}
