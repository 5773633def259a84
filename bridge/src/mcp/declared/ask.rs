//! What a tool asks the client: a sample of its model, or something of its user.

use rmcp::model::{CustomRequest, GetExtensions as _, ServerRequest};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServiceError};
use serde_json::Value;

use super::super::sessions::RelatedTo;
use super::relay::is_stateless;
use crate::text::shown;

const SAMPLE: &str = "sampling/createMessage";
const ELICIT: &str = "elicitation/create";

/// Asks, and waits for as long as the tool does. What the client says comes back as it is.
pub async fn ask(context: &RequestContext<RoleServer>, method: &str, params: Value) -> Result<Value, String> {
    let capabilities = context.client_capabilities().unwrap_or_default();
    let (able, what) = match method {
        SAMPLE => (capabilities.sampling.is_some(), "sampling"),
        ELICIT => (capabilities.elicitation.is_some(), "elicitation"),
        other => return Err(format!("a client cannot be asked for `{}`", shown(other))),
    };
    if is_stateless(context) {
        return Err("this client speaks 2026-07-28, in which a server cannot ask".to_owned());
    }
    if !able {
        return Err(format!("this client has no `{what}`"));
    }
    // Not the SDK's own types: they would drop what they do not know of a schema.
    let mut request = ServerRequest::CustomRequest(CustomRequest::new(method, Some(params)));
    request.extensions_mut().insert(RelatedTo(context.id.clone()));
    let said = context.peer.send_request(request).await.map_err(|error| match error {
        ServiceError::McpError(error) => format!("the client refused: {}", shown(&error.message)),
        other => format!("the client did not answer: {other}"),
    })?;
    serde_json::to_value(said).map_err(|error| format!("the client's answer is none: {error}"))
}
