//! What a tool asks the client: a sample of its model, something of its user, or its roots.
//!
//! A client of the handshake era is asked while its call is under way; one of the stateless era gets the questions as the
//! answer to its call, and calls again.

use std::sync::Arc;

use rmcp::model::{ClientCapabilities, CustomRequest, GetExtensions as _, InputRequest, ServerRequest};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServiceError};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::super::relay::is_stateless;
use super::super::sessions::RelatedTo;
use crate::computer::Computer;
use crate::link::frame::RequestId;
use crate::link::note::Asked;
use crate::questions::{Place, Questions, TOO_MUCH};
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
    /// Whether another one follows at once, where the computer says so.
    pub more: Option<bool>,
    /// Where a call asks it; a job's questions are bounded elsewhere.
    pub place: Option<Place>,
}

impl Question {
    pub fn new(asked: Asked) -> Result<Self, String> {
        let needs = capability(&asked.method)?;
        let (ask, key, more) = (asked.ask, key_of(&asked), asked.more);
        let Asked { method, params, .. } = asked;
        let request = serde_json::from_value(json!({ "method": method, "params": params }));
        let request = request.map_err(|_| format!("these are no parameters of `{method}`"))?;
        Ok(Self { ask, key, request, needs, more, place: None })
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
    serde_json::to_value(said).map_err(|error| format!("the client's answer is not valid: {error}"))
}

/// What one call asks, on its way to its client.
#[derive(Debug)]
pub struct Asking {
    pub computer: Arc<Computer>,
    pub request: RequestId,
    /// How much it may ask; nothing for a chunk, which is no tool.
    pub questions: Option<Questions>,
    /// Takes the questions for a client of the stateless era.
    pub put_aside: mpsc::Sender<Question>,
    /// The questions that a client of the handshake era has. They end with this: nobody waits for an answer after the
    /// tool's own.
    pub under_way: JoinSet<()>,
}

impl Asking {
    /// Takes up a question of so many bytes, or refuses it.
    pub fn take(&mut self, context: &RequestContext<RoleServer>, asked: Asked, bytes: usize) {
        let place = match &self.questions {
            Some(questions) => questions.place(bytes).ok_or(TOO_MUCH),
            None => Err("only a tool can ask the client"),
        };
        match place {
            Ok(place) if is_stateless(context) => self.put_aside(asked, place),
            Ok(place) => self.pass_on(context.clone(), asked, place),
            Err(problem) => self.computer.answer_ask(self.request, asked.ask, Err(problem), None),
        }
    }

    fn put_aside(&self, asked: Asked, place: Place) {
        let ask = asked.ask;
        match Question::new(asked) {
            // There is room for as many as there are places; where nobody takes it any more, the call has ended.
            Ok(question) => drop(self.put_aside.try_send(Question { place: Some(place), ..question })),
            Err(problem) => self.computer.answer_ask(self.request, ask, Err(&problem), Some(place)),
        }
    }

    fn pass_on(&mut self, context: RequestContext<RoleServer>, asked: Asked, place: Place) {
        // One that has ended takes memory until somebody looks.
        while self.under_way.try_join_next().is_some() {}
        let (computer, request) = (self.computer.clone(), self.request);
        self.under_way.spawn(async move {
            let said = ask(&context, &asked.method, asked.params).await;
            computer.answer_ask(request, asked.ask, said.as_ref().map_err(String::as_str), Some(place));
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Budget;
    use crate::limits::{QUESTIONS, QUESTIONS_BYTES};
    use crate::link::frame::Incoming;
    use crate::link::hello::Identity;

    struct Server;

    impl rmcp::ServerHandler for Server {}

    #[tokio::test]
    async fn questions_that_were_answered_are_not_kept() {
        let (stream, _client) = tokio::io::duplex(1024);
        let running = rmcp::service::serve_directly::<RoleServer, _, _, _, _>(Server, stream, None);
        let context = RequestContext::new(rmcp::model::RequestId::Number(1), running.peer().clone());
        let hello = Incoming::parse(r#"{"type":"hello","computerId":12}"#).expect("a frame");
        let identity = Identity::from_hello(&hello, None, false).expect("a hello");
        let mut asking = Asking {
            computer: Computer::new(1, identity, Budget::new(0)),
            request: 1,
            questions: Some(Questions::new(&Budget::new(QUESTIONS_BYTES))),
            put_aside: mpsc::channel(1).0,
            under_way: JoinSet::new(),
        };
        for ask in 0..10 * QUESTIONS as u64 {
            // Answered at once: no client can be asked for that.
            asking.take(
                &context,
                Asked { ask, key: None, method: "x".into(), params: Value::Null, more: None },
                1,
            );
            tokio::task::yield_now().await;
        }
        assert!(asking.under_way.len() <= QUESTIONS, "{}", asking.under_way.len());
    }
}
