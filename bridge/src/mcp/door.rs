//! Who may ask over HTTP, decided by the head of a request alone: path, token, `Host` and `Origin`. Before that not a
//! byte of its body is kept.

use axum::http::request::Parts;
use axum::http::uri::{Authority, Uri};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

use crate::config::Allowed;
use crate::secret::Secret;

/// The path of the MCP endpoint.
pub const ENDPOINT: &str = "/mcp";

/// The path that tells how many computers are linked; it needs no token.
const HEALTH: &str = "/health";

const NOT_HERE: &str =
    "There is nothing here: the MCP endpoint is `/mcp`, and `/health` tells how many computers are linked.\n";

const NO_TOKEN: &str = "This bridge wants a token: send `Authorization: Bearer TOKEN`, with the token that the bridge \
     was given as `MCP_TOKEN`.\n";

const WRONG_TOKEN: &str = "The token is wrong: `Authorization: Bearer TOKEN` wants the token that the bridge was given \
     as `MCP_TOKEN`.\n";

/// What a request must have to be let in.
#[derive(Debug)]
pub struct Door {
    token: Option<Secret>,
    /// Nothing for every host.
    hosts: Option<Vec<(String, Option<u16>)>>,
    /// Nothing for every origin.
    origins: Option<Vec<Origin>>,
}

/// An origin, or several that differ in the port.
#[derive(Debug, PartialEq, Eq)]
enum Origin {
    Null,
    Of {
        scheme: String,
        host: String,
        /// Nothing for every port.
        port: Option<u16>,
    },
}

impl Door {
    pub fn new(token: Option<Secret>, hosts: Allowed, origins: Allowed) -> Self {
        let hosts = match hosts {
            Allowed::Any => None,
            Allowed::Only(list) => Some(list.iter().map(|entry| host_and_port(entry)).collect()),
        };
        let origins = match origins {
            Allowed::Any => None,
            Allowed::Only(list) => Some(list.iter().filter_map(|entry| Origin::allowed(entry)).collect()),
        };
        Self { token, hosts, origins }
    }

    /// Lets a request in, or gives the answer that it gets instead. The token is taken out of it: what comes after has
    /// no use for it, and cannot log it.
    pub fn admit(&self, head: &mut Parts) -> Result<(), Refusal> {
        let given = head.headers.remove(header::AUTHORIZATION);
        match head.uri.path() {
            ENDPOINT => {}
            HEALTH => return Ok(()),
            _ => return Err(Refusal(StatusCode::NOT_FOUND, NOT_HERE)),
        }
        if let Some(token) = &self.token {
            let Some(given) = given else { return Err(Refusal(StatusCode::UNAUTHORIZED, NO_TOKEN)) };
            if !given.to_str().is_ok_and(|given| token.matches_bearer(given)) {
                return Err(Refusal(StatusCode::UNAUTHORIZED, WRONG_TOKEN));
            }
        }
        self.check_host(head)?;
        self.check_origin(head)
    }

    fn check_host(&self, head: &Parts) -> Result<(), Refusal> {
        let authority = match head.headers.get(header::HOST) {
            Some(host) => Authority::try_from(host.as_bytes()).ok(),
            None => head.uri.authority().cloned(),
        };
        let Some(authority) = authority else {
            return Err(Refusal(StatusCode::BAD_REQUEST, "The request has no `Host`, or a malformed one.\n"));
        };
        let Some(hosts) = &self.hosts else { return Ok(()) };
        let (host, port) = (plain_host(authority.host()), authority.port_u16());
        let fits = |(name, only): &(String, Option<u16>)| {
            *name == host && only.is_none_or(|only| port == Some(only))
        };
        if hosts.iter().any(fits) {
            return Ok(());
        }
        Err(Refusal(StatusCode::FORBIDDEN, "This `Host` is not served; `MCP_ALLOWED_HOSTS` adds others.\n"))
    }

    fn check_origin(&self, head: &Parts) -> Result<(), Refusal> {
        let (Some(origins), Some(given)) = (&self.origins, head.headers.get(header::ORIGIN)) else {
            return Ok(());
        };
        let given = given.to_str().ok().and_then(Origin::read);
        if given.is_some_and(|given| origins.iter().any(|allowed| allowed.admits(&given))) {
            return Ok(());
        }
        let text = "This `Origin` is not served; `MCP_ALLOWED_ORIGINS` adds others.\n";
        Err(Refusal(StatusCode::FORBIDDEN, text))
    }
}

impl Origin {
    /// Reads an origin as a browser sends it: without a port it has that of its scheme.
    fn read(text: &str) -> Option<Self> {
        if text.trim().eq_ignore_ascii_case("null") {
            return Some(Self::Null);
        }
        let uri: Uri = text.trim().parse().ok()?;
        let (scheme, authority) = (uri.scheme_str()?.to_ascii_lowercase(), uri.authority()?);
        let port = authority.port_u16().or(match scheme.as_str() {
            "http" => Some(80),
            "https" => Some(443),
            _ => None,
        });
        Some(Self::Of { host: plain_host(authority.host()), port: Some(port?), scheme })
    }

    /// Reads an entry of `MCP_ALLOWED_ORIGINS`: an origin, with `:*` for every port.
    fn allowed(entry: &str) -> Option<Self> {
        let Some(base) = entry.trim().strip_suffix(":*") else { return Self::read(entry) };
        let uri: Uri = base.parse().ok()?;
        let (scheme, authority) = (uri.scheme_str()?.to_ascii_lowercase(), uri.authority()?);
        Some(Self::Of { scheme, host: plain_host(authority.host()), port: None })
    }

    fn admits(&self, given: &Self) -> bool {
        match (self, given) {
            (Self::Null, Self::Null) => true,
            (Self::Of { scheme, host, port }, Self::Of { scheme: other, host: name, port: given }) => {
                scheme == other && host == name && (port.is_none() || port == given)
            }
            _ => false,
        }
    }
}

/// An entry of `MCP_ALLOWED_HOSTS`: without a port it admits every one.
fn host_and_port(entry: &str) -> (String, Option<u16>) {
    match Authority::try_from(entry.trim()) {
        Ok(authority) => (plain_host(authority.host()), authority.port_u16()),
        Err(_) => (plain_host(entry.trim()), None),
    }
}

fn plain_host(host: &str) -> String {
    host.trim_start_matches('[').trim_end_matches(']').to_ascii_lowercase()
}

/// Why a request is not let in, for whoever sent it.
#[derive(Debug)]
pub struct Refusal(StatusCode, &'static str);

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let mut response = (self.0, self.1).into_response();
        if self.0 == StatusCode::UNAUTHORIZED {
            response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::Request;
    use rstest::rstest;

    fn admits(door: &Door, headers: &[(&'static str, &str)]) -> StatusCode {
        let mut request = Request::builder().uri("/mcp");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let mut head = request.body(()).expect("a request").into_parts().0;
        door.admit(&mut head).map_or_else(|refusal| refusal.0, |()| StatusCode::OK)
    }

    fn door(hosts: &[&str], origins: &[&str]) -> Door {
        let list = |entries: &[&str]| Allowed::Only(entries.iter().map(ToString::to_string).collect());
        Door::new(None, list(hosts), list(origins))
    }

    #[rstest]
    #[case("https://app.example", true)]
    #[case("https://app.example:443", true)]
    #[case("HTTPS://App.Example", true)]
    #[case("https://app.example:8443", false)]
    #[case("http://app.example", false)]
    #[case("https://app.example.evil", false)]
    #[case("http://any.example:1", true)]
    #[case("http://any.example", true)]
    #[case("https://any.example", false)]
    #[case("http://[::1]:8080", true)]
    #[case("http://[::1]", false)]
    #[case("null", false)]
    #[case("", false)]
    #[case("app.example", false)]
    #[case("moz-extension://app.example", false)]
    fn an_origin_is_admitted_with_its_port(#[case] origin: &str, #[case] admitted: bool) {
        let door =
            door(&["localhost"], &["https://app.example", "http://any.example:*", "http://[::1]:8080"]);
        let status = if admitted { StatusCode::OK } else { StatusCode::FORBIDDEN };
        assert_eq!(admits(&door, &[("host", "localhost"), ("origin", origin)]), status, "{origin}");
    }

    #[rstest]
    #[case("localhost", StatusCode::OK)]
    #[case("LOCALHOST:9", StatusCode::OK)]
    #[case("b.example:8080", StatusCode::OK)]
    #[case("b.example", StatusCode::FORBIDDEN)]
    #[case("b.example:81", StatusCode::FORBIDDEN)]
    #[case("[::1]:3000", StatusCode::OK)]
    #[case("evil.example", StatusCode::FORBIDDEN)]
    #[case("a b", StatusCode::BAD_REQUEST)]
    fn a_host_is_admitted_with_any_port_unless_one_is_named(#[case] host: &str, #[case] status: StatusCode) {
        assert_eq!(admits(&door(&["localhost", "b.example:8080", "::1"], &[]), &[("host", host)]), status);
        assert_eq!(admits(&door(&[], &[]), &[]), StatusCode::BAD_REQUEST);
    }

    #[test]
    fn the_token_does_not_go_further() {
        let secret = Secret::new("s3cret");
        for token in [secret, None] {
            let door = Door::new(token, Allowed::Any, Allowed::Any);
            let request =
                Request::builder().uri("http://localhost/mcp").header("authorization", "Bearer s3cret");
            let mut head = request.body(()).expect("a request").into_parts().0;
            door.admit(&mut head).expect("the right token, or none is needed");
            assert!(!format!("{head:?}").contains("s3cret"));
        }
    }
}
