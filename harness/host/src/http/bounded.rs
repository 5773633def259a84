//! rmcp's HTTP client with a bound on every body. rmcp's own reads a body that is no stream to its end, however long.

use std::collections::HashMap;
use std::sync::Arc;

use futures_util::StreamExt as _;
use futures_util::stream::BoxStream;
use http::header::{ACCEPT, CONTENT_TYPE, WWW_AUTHENTICATE};
use http::{HeaderName, HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper_util::client::legacy::{Client, Error as ClientError};
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::common::http_header::{EVENT_STREAM_MIME_TYPE, HEADER_SESSION_ID, JSON_MIME_TYPE};
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, SseError, StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse,
};
use sse_stream::{Sse, SseStream};
use thiserror::Error;

use super::connector::Connector;
use super::events::EventBound;
use crate::stdio::lines::LONGEST;
use crate::text::{chain, headline};

/// What of an answer that is an error is read: enough to quote it.
const QUOTED: usize = 64 * 1024;

/// Why a request has no answer.
#[derive(Debug, Error)]
pub enum BodyError {
    #[error("{}", chain(.0))]
    Send(ClientError),
    #[error("{}", chain(.0))]
    Receive(hyper::Error),
    #[error("this cannot be sent: {0}")]
    Request(http::Error),
    #[error("the answer has more than {} MiB", LONGEST >> 20)]
    TooLarge,
}

type Failure = StreamableHttpError<BodyError>;

impl BodyError {
    /// Tells whether nobody answered.
    pub fn is_unreachable(&self) -> bool {
        matches!(self, Self::Send(_) | Self::Receive(_))
    }
}

/// A client whose answers are bounded. It speaks HTTP/1.1, with TLS where the address asks for it, and follows no
/// redirect: headers hold secrets, and a call must not be sent twice.
#[derive(Debug, Clone)]
pub struct Bounded(pub Client<Connector, Full<Bytes>>);

impl Bounded {
    async fn send(
        &self,
        method: Method,
        uri: &str,
        body: Vec<u8>,
        session: Option<Arc<str>>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<Response<Incoming>, Failure> {
        let accepted = format!("{EVENT_STREAM_MIME_TYPE}, {JSON_MIME_TYPE}");
        let mut request = Request::builder().method(method).uri(uri).header(ACCEPT, accepted);
        if !body.is_empty() {
            request = request.header(CONTENT_TYPE, JSON_MIME_TYPE);
        }
        if let Some(session) = session {
            request = request.header(HEADER_SESSION_ID, session.as_ref());
        }
        for (name, value) in headers {
            request = request.header(name, value);
        }
        let request =
            request.body(Full::from(body)).map_err(|error| Failure::Client(BodyError::Request(error)))?;
        let response = self.0.request(request).await;
        let response = response.map_err(|error| Failure::Client(BodyError::Send(error)))?;
        let challenge = response.headers().get(WWW_AUTHENTICATE).and_then(|value| value.to_str().ok());
        match (response.status(), challenge) {
            (StatusCode::UNAUTHORIZED, Some(challenge)) => {
                Err(Failure::AuthRequired(AuthRequiredError::new(challenge.to_owned())))
            }
            _ => Ok(response),
        }
    }
}

impl StreamableHttpClient for Bounded {
    type Error = BodyError;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        _: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        let had_session = session.is_some();
        let sent = serde_json::to_vec(&message)?;
        let response = self.send(Method::POST, &uri, sent, session, headers).await?;
        let status = response.status();
        if matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        if status == StatusCode::NOT_FOUND && had_session {
            return Err(Failure::SessionExpired);
        }
        let session = response.headers().get(HEADER_SESSION_ID).and_then(|value| value.to_str().ok());
        let session = session.map(ToOwned::to_owned);
        let is = |mime: &str| content_type(&response).is_some_and(|found| found.starts_with(mime));
        let (is_stream, is_json) = (is(EVENT_STREAM_MIME_TYPE), is(JSON_MIME_TYPE));
        if status.is_success() && is_stream {
            return Ok(StreamableHttpPostResponse::Sse(events(response), session));
        }
        let asks = matches!(message, ClientJsonRpcMessage::Request(_));
        let body = body(response, if status.is_success() { LONGEST } else { QUOTED }).await;
        if !status.is_success() {
            // A refusal may be a message; one for want of rights is told as such.
            let body = body.unwrap_or_default();
            let refused = matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN);
            return match serde_json::from_slice(&body) {
                Ok(message @ ServerJsonRpcMessage::Error(_)) if is_json && !refused => {
                    Ok(StreamableHttpPostResponse::Json(message, session))
                }
                _ => Err(unexpected(format!("HTTP {status}: {}", quote(&body)))),
            };
        }
        match (is_json, serde_json::from_slice(&body?)) {
            (true, Ok(message)) => Ok(StreamableHttpPostResponse::Json(message, session)),
            // What nobody waits for need not be understood.
            _ if !asks => Ok(StreamableHttpPostResponse::Accepted),
            (true, Err(error)) => Err(unexpected(format!("it answered with what is no message: {error}"))),
            (false, _) => Err(unexpected("it answered with neither JSON nor events".to_owned())),
        }
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last_event: Option<String>,
        _: Option<String>,
        mut headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, Failure> {
        let resumes = last_event.is_some();
        if let Some(last_event) = last_event.and_then(|event| HeaderValue::try_from(event).ok()) {
            headers.insert(HeaderName::from_static("last-event-id"), last_event);
        }
        let response = self.send(Method::GET, &uri, Vec::new(), session, headers).await?;
        // A server that does not know the session has no more of a stream that broke: it was started anew. rmcp would ask
        // for ever, and whoever waits for an answer would never hear that there is none.
        let is_gone = resumes && response.status() == StatusCode::NOT_FOUND;
        if is_gone || response.status() == StatusCode::METHOD_NOT_ALLOWED {
            return Err(Failure::ServerDoesNotSupportSse);
        }
        if !response.status().is_success() {
            return Err(unexpected(format!("HTTP {}", response.status())));
        }
        match content_type(&response) {
            Some(found) if found.starts_with(EVENT_STREAM_MIME_TYPE) => Ok(events(response)),
            found => Err(Failure::UnexpectedContentType(found.map(|found| headline(found, 100)))),
        }
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        _: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<(), Failure> {
        // Not every server lets a client end its session; the answer changes nothing here.
        self.send(Method::DELETE, &uri, Vec::new(), Some(session), headers).await.map(drop)
    }
}

fn content_type(response: &Response<Incoming>) -> Option<&str> {
    response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok())
}

fn unexpected(message: String) -> Failure {
    Failure::UnexpectedServerResponse(message.into())
}

fn quote(body: &[u8]) -> String {
    headline(&String::from_utf8_lossy(body), 300)
}

async fn body(response: Response<Incoming>, most: usize) -> Result<Vec<u8>, Failure> {
    let mut body = Vec::new();
    let mut chunks = response.into_body().into_data_stream();
    while let Some(chunk) = chunks.next().await {
        body.extend_from_slice(&chunk.map_err(|error| Failure::Client(BodyError::Receive(error)))?);
        if body.len() > most {
            return Err(Failure::Client(BodyError::TooLarge));
        }
    }
    Ok(body)
}

fn events(response: Response<Incoming>) -> BoxStream<'static, Result<Sse, SseError>> {
    let mut bound = EventBound::new(LONGEST);
    let chunks = response.into_body().into_data_stream().map(move |chunk| {
        let chunk = chunk.map_err(BodyError::Receive)?;
        if bound.take(&chunk) { Ok(chunk) } else { Err(BodyError::TooLarge) }
    });
    SseStream::from_bytes_stream(chunks).boxed()
}
