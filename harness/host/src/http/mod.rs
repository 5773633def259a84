//! A server that is an address: rmcp's streamable HTTP, with what a host adds to it: headers, TLS, bounds.

pub mod bounded;
pub mod connector;
pub mod events;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use http::{HeaderName, HeaderValue};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::common::client_side_sse::ExponentialBackoff;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use thiserror::Error;

use self::bounded::Bounded;
use self::connector::{Connector, Dialer};
use crate::spec::RemoteSpec;

/// How often a server is asked for the rest of a stream that broke, at intervals of 1, 2, 4, 8 and 16 s. rmcp asks for ever:
/// whoever waits for an answer of a server that is gone would never hear that there is none.
const RESUMES: usize = 5;

/// Why an address cannot even be tried.
#[derive(Debug, Error)]
pub enum HttpError {
    #[error("failed to set up TLS")]
    Tls(#[source] rustls::Error),
    #[error("the header `{0}` cannot be sent")]
    Header(String),
}

fn client(dialer: Option<&Dialer>) -> Result<Bounded, HttpError> {
    let connector = match dialer {
        Some(dialer) => Connector::Given(dialer.clone()),
        None => Connector::Network(network()?),
    };
    Ok(Bounded(Client::builder(TokioExecutor::new()).build(connector)))
}

fn network() -> Result<HttpsConnector<HttpConnector>, HttpError> {
    let connector = HttpsConnectorBuilder::new()
        .with_provider_and_webpki_roots(rustls::crypto::ring::default_provider())
        .map_err(HttpError::Tls)?
        .https_or_http()
        .enable_http1()
        .build();
    Ok(connector)
}

/// Asks an address with GET and tells whether it answers with success in this time.
pub async fn answers(url: &str, within: Duration) -> bool {
    let (Ok(url), Ok(client)) = (url.parse(), client(None)) else { return false };
    let answer = tokio::time::timeout(within, client.0.get(url)).await;
    answer.is_ok_and(|answer| answer.is_ok_and(|answer| answer.status().is_success()))
}

/// Prepares the transport; nothing is sent yet.
pub fn transport(
    spec: &RemoteSpec,
    dialer: Option<&Dialer>,
) -> Result<StreamableHttpClientTransport<Bounded>, HttpError> {
    let client = client(dialer)?;
    let mut headers = HashMap::new();
    for (name, value) in &spec.headers {
        let wrong = || HttpError::Header(name.clone());
        let mut held = HeaderValue::try_from(value.reveal()).map_err(|_| wrong())?;
        held.set_sensitive(true);
        headers.insert(HeaderName::try_from(name).map_err(|_| wrong())?, held);
    }
    let mut config = StreamableHttpClientTransportConfig::with_uri(spec.url.clone()).custom_headers(headers);
    let mut again = ExponentialBackoff::default();
    again.max_times = Some(RESUMES);
    config.retry_config = Arc::new(again);
    Ok(StreamableHttpClientTransport::with_client(client, config))
}
