//! What a tool asks the client: a sample of its model, something of its user, or its roots.
//!
//! A client of the handshake era is asked while its call is under way; one of the stateless era gets the questions as the
//! answer to its call, and calls again.

use rmcp::model::{ClientCapabilities, CustomRequest, GetExtensions as _, InputRequest, ServerRequest};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServiceError};
use serde_json::{Value, json};

use super::super::sessions::RelatedTo;
use crate::link::note::Asked;
use crate::text::shown;

/// What a client may be able to do, by the method that asks for it.
const METHODS: [(&str, &str); 3] =
    [("sampling/createMessage", "sampling"), ("elicitation/create", "elicitation"), ("roots/list", "roots")];

/// Something that a tool asks, for a client of the stateless era.
#[derive(Debug)]
pub struct Question {
    /// The number that the tool waits for.
    pub ask: u64,
    /// What the client knows it by.
    pub key: String,
    pub request: InputRequest,
    pub needs: &'static str,
}

impl Question {
    pub fn new(asked: Asked) -> Result<Self, String> {
        let needs = capability(&asked.method)?;
        let (ask, key) = (asked.ask, key_of(&asked));
        let Asked { method, params, .. } = asked;
        let request = serde_json::from_value(json!({ "method": method, "params": params }));
        let request = request.map_err(|_| format!("these are no parameters of `{method}`"))?;
        Ok(Self { ask, key, request, needs })
    }
}

/// What a client knows a question by.
pub fn key_of(asked: &Asked) -> String {
    asked.key.clone().unwrap_or_else(|| format!("ask-{}", asked.ask))
}

fn capability(method: &str) -> Result<&'static str, String> {
    let known = METHODS.iter().find(|(name, _)| *name == method);
    known.map(|(_, needs)| *needs).ok_or_else(|| format!("a client cannot be asked for `{}`", shown(method)))
}

/// What the client of a call can do, of what it can be asked for.
pub fn client_can(context: &RequestContext<RoleServer>) -> Vec<&'static str> {
    let capabilities = context.client_capabilities().unwrap_or_default();
    let has = |needs: &str| match needs {
        "sampling" => capabilities.sampling.is_some(),
        "elicitation" => capabilities.elicitation.is_some(),
        _ => capabilities.roots.is_some(),
    };
    METHODS.iter().map(|(_, needs)| *needs).filter(|needs| has(needs)).collect()
}

/// The error for questions that the client did not say it can answer.
pub fn missing(questions: &[Question], context: &RequestContext<RoleServer>) -> Option<ErrorData> {
    let able = client_can(context);
    let mut required = ClientCapabilities::default();
    let mut lacking =
        questions.iter().map(|question| question.needs).filter(|needs| !able.contains(needs)).peekable();
    lacking.peek()?;
    for needs in lacking {
        match needs {
            "sampling" => required.sampling = Some(rmcp::model::SamplingCapability::default()),
            "elicitation" => required.elicitation = Some(rmcp::model::ElicitationCapability::default()),
            _ => required.roots = Some(rmcp::model::RootsCapabilities::default()),
        }
    }
    Some(ErrorData::missing_required_client_capability(required))
}

/// Asks a client of the handshake era, and waits for as long as the tool does. What it says comes back as it is.
pub async fn ask(context: &RequestContext<RoleServer>, method: &str, params: Value) -> Result<Value, String> {
    let needs = capability(method)?;
    if !client_can(context).contains(&needs) {
        return Err(format!("this client has no `{needs}`"));
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
