//! `http`: requests, and checks of URLs. Sockets are in [`super::sockets`].
//!
//! Natives return at once; what comes of a request arrives as an event.

use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::task::AbortHandle;

use super::{Arguments, Host, file_methods, sockets};
use crate::fs::{FileHandle, Mode};
use crate::lua::{Call, Handle, Native, NativeResult, Raise, Table, Value};
use crate::net::{self, Budget, Charge, Fetch, Fetched, NetError};
use crate::world::Queued;

/// Sending starts this many tasks at most before old ones are forgotten about.
const TIDY_AFTER: usize = 64;

/// Requests that may wait for their turn or their answer; each holds its body.
const MOST_REQUESTS: usize = 256;

/// The network as one computer uses it.
#[derive(Debug)]
pub struct Network {
    tasks: Vec<AbortHandle>,
    /// Requests that may run at once; the others wait.
    turns: Arc<Semaphore>,
    pub sockets: sockets::Sockets,
    /// Lives as long as the computer runs: what is still under way then asks it.
    alive: Arc<()>,
    /// What requests and responses may take, which are not in Lua's memory.
    budget: Budget,
}

impl Network {
    /// With so many requests at once, and so many bytes for all that they send and bring.
    pub fn new(most_requests: usize, memory: usize) -> Self {
        Self {
            tasks: Vec::new(),
            turns: Arc::new(Semaphore::new(most_requests.clamp(1, 1024))),
            sockets: sockets::Sockets::default(),
            alive: Arc::new(()),
            budget: Budget::new(memory),
        }
    }

    /// Tells whether the computer that asked still runs.
    pub fn alive(&self) -> Weak<()> {
        Arc::downgrade(&self.alive)
    }

    /// How many requests have no answer yet.
    fn under_way(&mut self) -> usize {
        if self.tasks.len() >= MOST_REQUESTS {
            self.tasks.retain(|task| !task.is_finished());
        }
        self.tasks.len()
    }

    /// Ends a task when the computer stops.
    pub fn keep(&mut self, task: AbortHandle) {
        if self.tasks.len() >= TIDY_AFTER {
            self.tasks.retain(|task| !task.is_finished());
        }
        self.tasks.push(task);
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        for task in &self.tasks {
            task.abort();
        }
    }
}

/// What is known of a response besides its body.
#[derive(Debug, Clone)]
pub struct Response {
    status: u16,
    headers: Vec<(Vec<u8>, Vec<u8>)>,
}

/// A field of a request that is given as a table.
fn field(options: &Table, name: &str, expected: &'static str) -> Result<Value, Raise> {
    let value = options.get(name);
    match (value, expected) {
        (Value::Nil, _) => Ok(Value::Nil),
        (Value::Number(number), "string") => Ok(Value::from(crate::lua::format_number(*number))),
        (value, _) if value.type_name() == expected => Ok(value.clone()),
        (value, _) => {
            Err(Raise::new(format!("bad field '{name}' ({expected} expected, got {})", value.type_name())))
        }
    }
}

pub fn header_list(value: &Value) -> Vec<(Vec<u8>, Vec<u8>)> {
    let Value::Table(table) = value else {
        return Vec::new();
    };
    let text = |value: &Value| match value {
        Value::String(bytes) => Some(bytes.clone()),
        Value::Number(number) => Some(crate::lua::format_number(*number).into_bytes()),
        _ => None,
    };
    let mut headers: Vec<_> =
        table.entries.iter().filter_map(|(name, value)| Some((text(name)?, text(value)?))).collect();
    // The order of a table is not the program's: sent in one order, requests can be compared.
    headers.sort();
    headers
}

fn string_of(value: Value) -> Option<Vec<u8>> {
    if let Value::String(bytes) = value { Some(bytes) } else { None }
}

fn timeout_of(host: &Host, value: &Value) -> Duration {
    match value {
        Value::Number(seconds) if *seconds > 0.0 => {
            Duration::try_from_secs_f64(*seconds).unwrap_or(Duration::ZERO)
        }
        _ => host.settings().milliseconds("http_timeout"),
    }
}

/// The request of a call.
struct Asked {
    request: Fetch,
    /// The URL as the program wrote it, by which it knows the answer.
    url: Vec<u8>,
    /// Whether the body is to be read as bytes.
    binary: bool,
}

fn request_of(host: &Host, call: &Call<'_>) -> Result<Asked, Raise> {
    let largest = Some(host.settings().size("http_max_download")).filter(|&limit| limit > 0);
    if call.type_name(1) == "table" {
        let Value::Table(options) = call.value(1)? else {
            return Err(call.unexpected(1, "table"));
        };
        let url = string_of(field(&options, "url", "string")?)
            .ok_or_else(|| Raise::new("bad field 'url' (string expected, got nil)"))?;
        let request = Fetch {
            url: host.url_text(&url),
            method: string_of(field(&options, "method", "string")?)
                .map(|method| String::from_utf8_lossy(&method).into_owned()),
            headers: header_list(&field(&options, "headers", "table")?),
            body: string_of(field(&options, "body", "string")?),
            redirect: field(&options, "redirect", "boolean")? != Value::Bool(false),
            timeout: timeout_of(host, &field(&options, "timeout", "number")?),
            largest,
        };
        let binary = field(&options, "binary", "boolean")? == Value::Bool(true);
        return Ok(Asked { request, url, binary });
    }
    let url = call.bytes(1).ok_or_else(|| call.unexpected(1, "string or table"))?;
    let body = call.text_or_nil(2)?;
    if !call.is_nil(3) && call.type_name(3) != "table" {
        return Err(call.unexpected(3, "table"));
    }
    let request = Fetch {
        url: host.url_text(&url),
        method: None,
        headers: header_list(&call.value(3)?),
        body,
        redirect: true,
        timeout: timeout_of(host, &Value::Nil),
        largest,
    };
    Ok(Asked { request, url, binary: call.truthy(4) })
}

fn request(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    // Responses that nobody closed are held until Lua looks for what nobody uses, and it does not know how large they are.
    if host.network.budget.is_low() && !call.has_collected() {
        return Ok(());
    }
    let Asked { request, url, binary } = request_of(host, call)?;
    let limit = host.settings().size("http_max_upload");
    let sent: usize = request.headers.iter().map(|(name, value)| name.len() + value.len()).sum();
    if limit > 0 && sent + request.body.as_ref().map_or(0, Vec::len) > limit {
        call.push(false);
        call.push("Request body is too large");
        return Ok(());
    }
    if host.network.under_way() >= MOST_REQUESTS {
        call.push(false);
        call.push("Too many ongoing HTTP requests");
        return Ok(());
    }
    if host.refuses_request() {
        let refused = NetError::Refused.to_string();
        host.queue_event(vec!["http_failure".into(), Value::String(url), refused.into()]);
        call.push(true);
        return Ok(());
    }
    let (mut outgoing, mut charge) = (host.network.budget.charge(), host.network.budget.charge());
    if !outgoing.grow(2 * url.len() + sent + request.body.as_ref().map_or(0, Vec::len)) {
        call.push(false);
        call.push("Request body is too large");
        return Ok(());
    }
    let rules = host.rules();
    let (shared, turns) = (host.shared.clone(), host.network.turns.clone());
    let joined = host.joins_headers();
    let task = host.world.spawn(async move {
        let _turn = turns.acquire().await;
        let answer = net::fetch(request, &rules, &mut charge).await;
        drop(outgoing);
        shared.queue(answered(url, answer.map(|response| (response, charge)), binary, joined));
    });
    host.network.keep(task);
    call.push(true);
    Ok(())
}

/// The event for an answer.
fn answered(url: Vec<u8>, answer: Result<(Fetched, Charge), NetError>, binary: bool, joined: bool) -> Queued {
    let url = Value::String(url);
    match answer {
        Err(error) => Queued::Event(vec!["http_failure".into(), url, error.to_string().into()]),
        Ok((response, charge)) if response.status >= 400 => Queued::make("http_failure", move |host| {
            let reason = net::reason(response.status, &response.reason);
            let handle = response_handle(host, response, charge, binary, joined);
            vec!["http_failure".into(), url, reason.into(), handle]
        }),
        Ok((response, charge)) => Queued::make("http_success", move |host| {
            let handle = response_handle(host, response, charge, binary, joined);
            vec!["http_success".into(), url, handle]
        }),
    }
}

fn response_handle(host: &mut Host, response: Fetched, charge: Charge, binary: bool, joined: bool) -> Value {
    let id = host.next_handle();
    let mode = if binary { Mode::parse(b"rb").expect("it is a mode") } else { Mode::READ };
    host.files.insert(id, FileHandle::owned(response.body, charge, mode));
    let mut headers: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
    for (name, value) in response.headers {
        match headers.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) if joined => {
                known.push(b',');
                known.extend(value);
            }
            Some((_, known)) => *known = value,
            None => headers.push((name, value)),
        }
    }
    host.responses.insert(id, Response { status: response.status, headers });
    let mut methods = file_methods::READING.to_vec();
    methods.extend_from_slice(RESPONSE);
    Value::Handle(Handle { methods, id })
}

fn response<'a>(host: &'a Host, call: &Call<'_>) -> Result<&'a Response, Raise> {
    host.responses.get(&call.handle()).ok_or_else(|| Raise::new("attempt to use a closed file"))
}

fn get_response_code(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    let status = response(host, call)?.status;
    call.push(f64::from(status));
    Ok(())
}

fn get_response_headers(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    let headers = response(host, call)?.headers.clone();
    let entries =
        headers.into_iter().map(|(name, value)| (Value::String(name), Value::String(value))).collect();
    call.push(Value::Table(Table { entries }));
    Ok(())
}

fn close(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    host.files.remove(&call.handle());
    host.responses.remove(&call.handle());
    Ok(())
}

fn check_url(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    let given = Value::String(call.text(1)?);
    let url = host.url_text(given.as_bytes().unwrap_or_default());
    let mut charge = host.network.budget.charge();
    if host.network.under_way() >= MOST_REQUESTS || !charge.grow(2 * url.len()) {
        call.push(false);
        call.push("Too many ongoing HTTP requests");
        return Ok(());
    }
    let rules = host.rules();
    let shared = host.shared.clone();
    let task = host.world.spawn(async move {
        let checked = match net::parse(&url) {
            Ok(parsed) => net::check(&parsed, &rules).await,
            // The reference looks at the host only when it connects.
            Err(NetError::NotFound) => Ok(()),
            Err(error) => Err(error),
        };
        let problem = checked.err().map(|error| error.to_string());
        drop(charge);
        shared.queue(Queued::Event(vec![
            "http_check".into(),
            given,
            problem.is_none().into(),
            problem.into(),
        ]));
    });
    host.network.keep(task);
    call.push(true);
    Ok(())
}

/// Computers cannot listen on ports of the host.
fn no_server(_: &mut Host, _: &mut Call<'_>) -> NativeResult {
    Err(Raise::new("HTTP servers are not supported"))
}

pub const RESPONSE: &[Native] = &[
    Native { name: "close", run: close },
    Native { name: "getResponseCode", run: get_response_code },
    Native { name: "getResponseHeaders", run: get_response_headers },
    Native { name: "seek", run: file_methods::seek },
];

pub const NATIVES: &[Native] = &[
    Native { name: "addListener", run: no_server },
    Native { name: "checkURL", run: check_url },
    Native { name: "removeListener", run: no_server },
    Native { name: "request", run: request },
    Native { name: "websocket", run: sockets::websocket },
    Native { name: "websocketServer", run: no_server },
];
