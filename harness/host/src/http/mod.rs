//! A server that is an address: rmcp's streamable HTTP, with what a host adds to it: headers, TLS, bounds.

pub mod bounded;
pub mod events;

use std::collections::HashMap;

use http::{HeaderName, HeaderValue};
use reqwest::redirect::{Action, Attempt, Policy};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use thiserror::Error;
use url::{Host, Url};

use self::bounded::Bounded;
use crate::spec::RemoteSpec;

/// More hops than this are a loop.
const REDIRECTS: usize = 5;

/// Why an address cannot even be tried.
#[derive(Debug, Error)]
pub enum HttpError {
    #[error("failed to set up HTTP")]
    Client(#[source] reqwest::Error),
    #[error("the header `{0}` cannot be sent")]
    Header(String),
}

/// Prepares the transport; nothing is sent yet.
pub fn transport(spec: &RemoteSpec) -> Result<StreamableHttpClientTransport<Bounded>, HttpError> {
    // Whoever has chosen a provider for this process before keeps it.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut client = reqwest::Client::builder().redirect(Policy::custom(redirect));
    if is_loopback(&spec.url) {
        client = client.no_proxy();
    }
    let client = client.build().map_err(HttpError::Client)?;
    let mut headers = HashMap::new();
    for (name, value) in &spec.headers {
        let wrong = || HttpError::Header(name.clone());
        let mut held = HeaderValue::try_from(value.reveal()).map_err(|_| wrong())?;
        held.set_sensitive(true);
        headers.insert(HeaderName::try_from(name).map_err(|_| wrong())?, held);
    }
    let config = StreamableHttpClientTransportConfig::with_uri(spec.url.clone()).custom_headers(headers);
    Ok(StreamableHttpClientTransport::with_client(Bounded(client), config))
}

/// Follows a redirect that repeats the request at the same server, and no other: headers hold secrets, and a call must
/// not become a GET.
fn redirect(attempt: Attempt<'_>) -> Action {
    let from = attempt.previous().last().map(Url::origin);
    let repeats = matches!(attempt.status().as_u16(), 307 | 308);
    if repeats && from == Some(attempt.url().origin()) && attempt.previous().len() <= REDIRECTS {
        attempt.follow()
    } else {
        attempt.stop()
    }
}

/// What is on this machine is not asked for through a proxy.
fn is_loopback(url: &str) -> bool {
    let parsed = Url::parse(url);
    match parsed.as_ref().ok().and_then(Url::host) {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_is_told() {
        for url in ["http://127.0.0.1:3000/mcp", "http://localhost/mcp", "http://[::1]:1/"] {
            assert!(is_loopback(url), "{url}");
        }
        for url in ["https://example.com/mcp", "http://10.0.0.1/", "nonsense"] {
            assert!(!is_loopback(url), "{url}");
        }
    }
}
