//! The opening of a `WebSocket`: an HTTP request that asks to speak another protocol.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha1::{Digest, Sha1};
use tokio::io::AsyncWriteExt;
use url::Url;

use super::connect::{NetError, Stream, connect};
use super::fetch::{has_bad_escape, host_header, is_broken, read_head, target};
use super::{Rules, USER_AGENT};

/// The protocol's own text, which a server must have hashed into its answer.
const MAGIC: &[u8] = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/// Reads a URL for sockets; its messages are those of the reference.
pub fn parse(text: &str) -> Result<Url, NetError> {
    let (scheme, rest) = text.split_once("://").unwrap_or(("", text));
    if has_bad_escape(rest) {
        return Err(NetError::Malformed);
    }
    if !matches!(scheme, "ws" | "wss") {
        return Err(NetError::Scheme(scheme.to_owned()));
    }
    if rest.is_empty() || rest.starts_with('/') {
        return Err(NetError::NotFound);
    }
    Url::parse(text).map_err(|_| NetError::Malformed)
}

/// Random bytes: keys and masks must not be guessed by what relays them.
pub fn random<const COUNT: usize>() -> [u8; COUNT] {
    let mut bytes = [0; COUNT];
    getrandom::fill(&mut bytes).expect("the system gives random bytes");
    bytes
}

fn accept_for(key: &str) -> String {
    STANDARD.encode(Sha1::new().chain_update(key).chain_update(MAGIC).finalize())
}

/// Connects and asks for the protocol; what the server sent already comes with the stream.
pub async fn open(
    url: &Url,
    headers: &[(Vec<u8>, Vec<u8>)],
    rules: &Rules,
) -> Result<(Stream, Vec<u8>), NetError> {
    let key = STANDARD.encode(random::<16>());
    let mut head = format!("GET {} HTTP/1.1\r\n", target(url)).into_bytes();
    let mut line = |name: &[u8], value: &[u8]| head.extend([name, b": ", value, b"\r\n"].concat());
    let own: [&[u8]; 6] = [
        b"connection",
        b"upgrade",
        b"sec-websocket-version",
        b"sec-websocket-key",
        b"content-length",
        b"transfer-encoding",
    ];
    for (name, value) in headers {
        if name.is_empty() || is_broken(name) || is_broken(value) || name.contains(&b':') {
            return Err(NetError::Malformed);
        }
        if !own.iter().any(|own| name.eq_ignore_ascii_case(own)) {
            line(name, value);
        }
    }
    let given = |name: &[u8]| headers.iter().any(|(key, _)| key.eq_ignore_ascii_case(name));
    if !given(b"user-agent") {
        line(b"User-Agent", USER_AGENT.as_bytes());
    }
    if !given(b"accept-charset") {
        line(b"Accept-Charset", b"UTF-8");
    }
    line(b"Connection", b"Upgrade");
    line(b"Upgrade", b"websocket");
    line(b"Sec-WebSocket-Version", b"13");
    line(b"Sec-WebSocket-Key", key.as_bytes());
    if !given(b"host") {
        line(b"Host", host_header(url).as_bytes());
    }
    head.extend(b"\r\n");

    let connected = connect(url, rules).await.map_err(|error| match error {
        NetError::NotFound => NetError::NotFoundName(url.host_str().unwrap_or_default().to_owned()),
        error => error,
    });
    let mut stream = connected?;
    stream.write_all(&head).await?;
    stream.flush().await?;
    let (response, rest) = read_head(&mut stream).await?;
    let refused = |text: &str| Err(NetError::WebSocket(text.to_owned()));
    match response.status {
        101 => {}
        200..=299 => return refused("The server does not understand the WebSocket protocol"),
        _ => {
            return refused(&format!("Cannot upgrade to WebSocket connection: {}", response.reason));
        }
    }
    let find = |name: &[u8]| {
        response.headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    };
    if !find(b"upgrade").is_some_and(|value| value.eq_ignore_ascii_case(b"websocket")) {
        return refused("No Upgrade: websocket header in handshake response");
    }
    if find(b"sec-websocket-accept").is_none_or(|value| value != accept_for(&key).as_bytes()) {
        return refused("Invalid or missing Sec-WebSocket-Accept header in handshake response");
    }
    Ok((stream, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_to_a_key_is_that_of_the_standard() {
        assert_eq!(accept_for("dGhlIHNhbXBsZSBub25jZQ=="), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
    }

    #[test]
    fn urls_are_refused_in_the_words_of_the_reference() {
        let message = |text: &str| parse(text).expect_err("it is refused").to_string();
        assert_eq!(message("notaurl"), "Invalid scheme ''");
        assert_eq!(message("http://a/b"), "Invalid scheme 'http'");
        assert_eq!(message("ws://"), "Host not found");
        assert_eq!(message("%d"), "URL malformed");
        assert_eq!(message("a%zz://x"), "Invalid scheme 'a%zz'");
    }
}
