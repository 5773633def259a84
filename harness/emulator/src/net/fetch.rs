//! One request over HTTP/1.1, with its redirects.
//!
//! Header names keep the case in which they were sent, in both directions: programs compare them. That is why
//! messages are written and read here and not by a library that folds them.

use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use url::Url;

use super::connect::{NetError, Stream, connect};
use super::{Charge, Rules, USER_AGENT};

/// More hops than any page needs.
const MOST_REDIRECTS: usize = 16;
/// Larger heads than servers send.
const LARGEST_HEAD: usize = 64 * 1024;
const MOST_HEADERS: usize = 256;
/// Room for what one call of the system brings.
const PIECE: usize = 16 * 1024;

/// A request.
#[derive(Debug, Clone)]
pub struct Fetch {
    pub url: String,
    pub method: Option<String>,
    pub headers: Vec<(Vec<u8>, Vec<u8>)>,
    pub body: Option<Vec<u8>>,
    pub redirect: bool,
    pub timeout: Duration,
    /// The largest body to take, if there is a limit.
    pub largest: Option<usize>,
}

/// A response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetched {
    pub status: u16,
    pub reason: String,
    pub headers: Vec<(Vec<u8>, Vec<u8>)>,
    pub body: Vec<u8>,
}

/// Whether a percent sign does not begin two digits; in a query it may stand alone.
pub(super) fn has_bad_escape(text: &str) -> bool {
    let (text, fragment) = text.split_once('#').unwrap_or((text, ""));
    let path = text.split('?').next().unwrap_or(text);
    [path, fragment].into_iter().any(|part| {
        part.split('%').skip(1).any(|after| {
            let digits = after.as_bytes();
            digits.len() < 2 || !digits[..2].iter().all(u8::is_ascii_hexdigit)
        })
    })
}

/// Reads a URL for requests; its messages are those of the reference.
pub fn parse(text: &str) -> Result<Url, NetError> {
    let Some((scheme, rest)) = text.split_once(':') else {
        return Err(NetError::NoScheme);
    };
    if !scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-".contains(&byte)) {
        return Err(NetError::NoScheme);
    }
    let Some(rest) = rest.strip_prefix("//") else {
        return Err(NetError::Malformed);
    };
    if !matches!(scheme, "http" | "https") {
        return Err(NetError::Protocol(scheme.to_owned()));
    }
    if rest.is_empty() || rest.starts_with('/') {
        return Err(NetError::NotFound);
    }
    if has_bad_escape(text) {
        return Err(NetError::Malformed);
    }
    Url::parse(text).map_err(|_| NetError::Malformed)
}

/// Sends a request and follows where it is led; `charge` pays for the body.
pub async fn fetch(request: Fetch, rules: &Rules, charge: &mut Charge) -> Result<Fetched, NetError> {
    let timeout = request.timeout;
    let work = follow(request, rules, charge);
    if timeout.is_zero() {
        return work.await;
    }
    tokio::time::timeout(timeout, work).await.unwrap_or(Err(NetError::TimedOut))
}

async fn follow(mut request: Fetch, rules: &Rules, charge: &mut Charge) -> Result<Fetched, NetError> {
    // Here the reference looks at that before anything else.
    if has_bad_escape(&request.url) {
        return Err(NetError::Malformed);
    }
    let mut url = parse(&request.url)?;
    for _ in 0..=MOST_REDIRECTS {
        charge.clear();
        let response = exchange(&request, &url, rules, charge).await?;
        let Some(target) = redirected(&request, &response, &url) else {
            return Ok(response);
        };
        let target = target?;
        if target.origin() != url.origin() {
            // What was meant for one server is not for another.
            request.headers.retain(|(name, _)| {
                !name.eq_ignore_ascii_case(b"authorization") && !name.eq_ignore_ascii_case(b"cookie")
            });
        }
        if response.status == 303 || (matches!(response.status, 301 | 302) && request.body.is_some()) {
            request.method = None;
            request.body = None;
        }
        url = target;
    }
    Err(NetError::Redirects)
}

fn redirected(request: &Fetch, response: &Fetched, url: &Url) -> Option<Result<Url, NetError>> {
    if !request.redirect || !matches!(response.status, 301 | 302 | 303 | 307 | 308) {
        return None;
    }
    let location = header(&response.headers, b"location")?;
    let target = str::from_utf8(location).ok().and_then(|location| url.join(location).ok());
    Some(match target {
        Some(target) if matches!(target.scheme(), "http" | "https") => Ok(target),
        Some(target) => Err(NetError::Protocol(target.scheme().to_owned())),
        None => Err(NetError::Malformed),
    })
}

fn header<'a>(headers: &'a [(Vec<u8>, Vec<u8>)], name: &[u8]) -> Option<&'a [u8]> {
    headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| &value[..])
}

/// The `Host` header of a URL.
pub fn host_header(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

/// The path and query of a URL.
pub fn target(url: &Url) -> String {
    url.query().map_or_else(|| url.path().to_owned(), |query| format!("{}?{query}", url.path()))
}

/// Whether a name or value could break out of its line.
pub fn is_broken(text: &[u8]) -> bool {
    text.iter().any(|byte| matches!(byte, b'\r' | b'\n' | 0))
}

fn head(request: &Fetch, url: &Url) -> Result<Vec<u8>, NetError> {
    let method = request.method.as_deref().unwrap_or(if request.body.is_some() { "POST" } else { "GET" });
    if method.is_empty() || !method.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
    {
        return Err(NetError::Io("Unsupported HTTP method".to_owned()));
    }
    let mut head = format!("{method} {} HTTP/1.1\r\n", target(url)).into_bytes();
    let mut line = |name: &[u8], value: &[u8]| head.extend([name, b": ", value, b"\r\n"].concat());
    for (name, value) in &request.headers {
        if name.is_empty() || is_broken(name) || is_broken(value) || name.contains(&b':') {
            return Err(NetError::Malformed);
        }
        // How the message is framed is decided here.
        let framing: [&[u8]; 3] = [b"content-length", b"transfer-encoding", b"connection"];
        if !framing.iter().any(|own| name.eq_ignore_ascii_case(own)) {
            line(name, value);
        }
    }
    let given = |name: &[u8]| header(&request.headers, name).is_some();
    if !given(b"user-agent") {
        line(b"User-Agent", USER_AGENT.as_bytes());
    }
    if !given(b"accept-charset") {
        line(b"Accept-Charset", b"UTF-8");
    }
    if let Some(body) = &request.body {
        line(b"Content-Length", body.len().to_string().as_bytes());
        if !given(b"content-type") {
            line(b"Content-Type", b"application/x-www-form-urlencoded; charset=utf-8");
        }
    }
    line(b"Connection", b"Close");
    if !given(b"host") {
        line(b"Host", host_header(url).as_bytes());
    }
    head.extend(b"\r\n");
    Ok(head)
}

async fn exchange(
    request: &Fetch,
    url: &Url,
    rules: &Rules,
    charge: &mut Charge,
) -> Result<Fetched, NetError> {
    let head = head(request, url)?;
    let mut stream = connect(url, rules).await?;
    stream.write_all(&head).await?;
    if let Some(body) = &request.body {
        // A server may answer and close before it has read everything: its answer counts.
        let _ = stream.write_all(body).await;
    }
    let _ = stream.flush().await;
    loop {
        let (mut response, rest) = read_head(&mut stream).await?;
        if (100..200).contains(&response.status) && response.status != 101 {
            continue;
        }
        let bodiless = request.method.as_deref() == Some("HEAD") || matches!(response.status, 204 | 304);
        if !bodiless {
            let mut body = Body { bytes: Vec::new(), largest: request.largest.unwrap_or(usize::MAX), charge };
            body.read(&mut stream, &response.headers, rest).await?;
            response.body = body.bytes;
        }
        return Ok(response);
    }
}

/// Reads up to the end of a response's head; what came after it is returned too.
pub async fn read_head(stream: &mut Stream) -> Result<(Fetched, Vec<u8>), NetError> {
    let mut bytes = Vec::new();
    loop {
        if stream.read_buf(&mut bytes).await? == 0 {
            return Err(NetError::NoAnswer);
        }
        let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
        let mut parsed = httparse::Response::new(&mut headers);
        match parsed.parse(&bytes) {
            Ok(httparse::Status::Complete(end)) => {
                let headers = parsed
                    .headers
                    .iter()
                    .map(|header| (header.name.as_bytes().to_vec(), header.value.to_vec()));
                let response = Fetched {
                    status: parsed.code.unwrap_or(0),
                    reason: parsed.reason.unwrap_or_default().to_owned(),
                    headers: headers.collect(),
                    body: Vec::new(),
                };
                return Ok((response, bytes.split_off(end)));
            }
            Ok(httparse::Status::Partial) if bytes.len() < LARGEST_HEAD => {}
            _ => return Err(NetError::Io("Malformed response".to_owned())),
        }
    }
}

/// A body that is being read.
struct Body<'a> {
    bytes: Vec<u8>,
    largest: usize,
    charge: &'a mut Charge,
}

impl Body<'_> {
    async fn read(
        &mut self,
        stream: &mut Stream,
        headers: &[(Vec<u8>, Vec<u8>)],
        start: Vec<u8>,
    ) -> Result<(), NetError> {
        let mut reader = start.chain_with(stream);
        if header(headers, b"transfer-encoding")
            .is_some_and(|value| value.to_ascii_lowercase().ends_with(b"chunked"))
        {
            return self.read_chunks(&mut reader).await;
        }
        let length = header(headers, b"content-length")
            .and_then(|value| str::from_utf8(value).ok()?.trim().parse::<usize>().ok());
        match length {
            Some(length) => self.read_part(&mut reader, length).await,
            None => self.read_to_end(&mut reader).await,
        }
    }

    async fn read_chunks(&mut self, reader: &mut (impl AsyncRead + Unpin)) -> Result<(), NetError> {
        loop {
            let line = read_line(reader).await?;
            let size = line.split(';').next().unwrap_or_default().trim();
            let size =
                usize::from_str_radix(size, 16).map_err(|_| NetError::Io("Malformed response".to_owned()))?;
            if size == 0 {
                while !read_line(reader).await?.is_empty() {}
                return Ok(());
            }
            self.read_part(reader, size).await?;
            read_line(reader).await?;
        }
    }

    /// Reads exactly so much.
    async fn read_part(
        &mut self,
        reader: &mut (impl AsyncRead + Unpin),
        length: usize,
    ) -> Result<(), NetError> {
        let whole = self.bytes.len().saturating_add(length);
        if whole > self.largest {
            return Err(NetError::TooLarge);
        }
        self.read_to_end(&mut reader.take(length as u64)).await?;
        if self.bytes.len() < whole { Err(NetError::NoAnswer) } else { Ok(()) }
    }

    async fn read_to_end(&mut self, reader: &mut (impl AsyncRead + Unpin)) -> Result<(), NetError> {
        loop {
            self.bytes.reserve(PIECE);
            let count = reader.read_buf(&mut self.bytes).await?;
            if count == 0 {
                return Ok(());
            }
            if self.bytes.len() > self.largest || !self.charge.grow(count) {
                return Err(NetError::TooLarge);
            }
        }
    }
}

async fn read_line(reader: &mut (impl AsyncRead + Unpin)) -> Result<String, NetError> {
    let mut line = Vec::new();
    loop {
        match reader.read_u8().await? {
            b'\n' => break,
            byte => line.push(byte),
        }
        if line.len() > LARGEST_HEAD {
            return Err(NetError::Io("Malformed response".to_owned()));
        }
    }
    if line.last() == Some(&b'\r') {
        line.pop();
    }
    String::from_utf8(line).map_err(|_| NetError::Io("Malformed response".to_owned()))
}

trait ChainWith {
    fn chain_with<R: AsyncRead + Unpin>(
        self,
        rest: R,
    ) -> tokio::io::BufReader<tokio::io::Chain<std::io::Cursor<Vec<u8>>, R>>;
}

impl ChainWith for Vec<u8> {
    /// What was read already, then the rest of the stream.
    fn chain_with<R: AsyncRead + Unpin>(
        self,
        rest: R,
    ) -> tokio::io::BufReader<tokio::io::Chain<std::io::Cursor<Self>, R>> {
        tokio::io::BufReader::new(std::io::Cursor::new(self).chain(rest))
    }
}

/// The usual text for a status; what the server wrote, where there is none.
pub fn reason(status: u16, written: &str) -> String {
    let usual = match status {
        400 => "Bad Request",
        401 => "Unauthorized",
        402 => "Payment Required",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        406 => "Not Acceptable",
        407 => "Proxy Authentication Required",
        408 => "Request Time-out",
        409 => "Conflict",
        410 => "Gone",
        411 => "Length Required",
        412 => "Precondition Failed",
        413 => "Request Entity Too Large",
        414 => "Request-URI Too Large",
        415 => "Unsupported Media Type",
        416 => "Requested Range Not Satisfiable",
        417 => "Expectation Failed",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        501 => "Not Implemented",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        504 => "Gateway Time-out",
        505 => "HTTP Version Not Supported",
        _ => written,
    };
    usual.to_owned()
}
