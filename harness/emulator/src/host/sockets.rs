//! `http.websocket`, and the methods of an open socket.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::http::header_list;
use super::{Arguments, Host};
use crate::lua::{Call, Handle, Native, NativeResult, Raise, Value};
use crate::net::{self, Link, LinkEvent, LinkRequest, NetError, Sent};
use crate::world::Queued;

/// How long a server has to accept a socket, as in the reference.
const OPEN_TIMEOUT: Duration = Duration::from_secs(60);
/// A computer with more events waiting than this gets no more messages until it has caught up.
const CROWDED: usize = 512;
/// Longer URLs and headers than servers take.
const LARGEST_HEAD: usize = 64 * 1024;
/// No timer has this number.
const NO_TIMER: f64 = 0.0;

/// The sockets of one computer.
#[derive(Debug, Default)]
pub struct Sockets {
    open: HashMap<u64, Socket>,
    /// Sockets that are open or opening.
    count: Arc<AtomicUsize>,
}

impl Sockets {
    pub fn release(&mut self, handle: u64) {
        self.open.remove(&handle);
    }
}

#[derive(Debug)]
struct Socket {
    link: Link,
    url: Vec<u8>,
}

/// Counts a socket for as long as it lives.
struct Counted(Arc<AtomicUsize>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

pub fn websocket(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    let (url, headers, timeout) = arguments(call)?;
    let (enabled, most, largest) = {
        let settings = host.settings();
        (
            settings.flag("http_websocket_enabled"),
            settings.size("http_max_websockets"),
            settings.size("http_max_websocket_message"),
        )
    };
    let size = url.len() + headers.iter().map(|(name, value)| name.len() + value.len()).sum::<usize>();
    if size > LARGEST_HEAD {
        return Err(Raise::new("URL malformed"));
    }
    let count = host.network.sockets.count.clone();
    if !enabled || (most > 0 && count.load(Ordering::Acquire) >= most) {
        let reason =
            if enabled { "Too many websockets already open" } else { "Websocket connections are disabled" };
        return Err(Raise::new(reason));
    }
    if host.refuses_request() {
        host.shared.queue(event_of(url, LinkEvent::Failed(NetError::Refused)));
        call.push(true);
        return Ok(());
    }
    count.fetch_add(1, Ordering::AcqRel);
    let counted = Counted(count);
    let request = LinkRequest {
        url: host.url_text(&url),
        headers,
        timeout,
        largest: if largest > 0 { largest } else { host.settings().size("memoryLimit") },
    };
    let rules = host.rules();
    let shared = host.shared.clone();
    let alive = host.network.alive();
    let opening = net::open(request, rules, move |event| {
        let _ = &counted;
        // A socket that nobody takes is closed by being dropped.
        let runs = alive.strong_count() > 0;
        if let Some(event) = event.filter(|_| runs) {
            shared.queue(event_of(url.clone(), event));
        }
        !runs || shared.has_room(CROWDED)
    });
    drop(host.world.spawn(opening));
    call.push(true);
    Ok(())
}

type OpenArguments = (Vec<u8>, Vec<(Vec<u8>, Vec<u8>)>, Duration);

fn arguments(call: &Call<'_>) -> Result<OpenArguments, Raise> {
    match call.type_name(1) {
        "string" => {
            if !call.is_nil(2) && call.type_name(2) != "table" {
                return Err(call.unexpected(2, "table"));
            }
            Ok((call.text(1)?, header_list(&call.value(2)?), OPEN_TIMEOUT))
        }
        "table" => {
            let Value::Table(options) = call.value(1)? else {
                return Err(call.unexpected(1, "table"));
            };
            let Value::String(url) = options.get("url") else {
                let got = options.get("url").type_name();
                return Err(Raise::new(format!("bad field 'url' (expected string, got {got})")));
            };
            let timeout = match options.get("timeout") {
                Value::Number(seconds) => Duration::try_from_secs_f64(*seconds).unwrap_or(OPEN_TIMEOUT),
                _ => OPEN_TIMEOUT,
            };
            Ok((url.clone(), header_list(options.get("headers")), timeout))
        }
        "no value" | "nil" | "number" => {
            Err(Raise::new("function has been replaced with http.websocketServer"))
        }
        _ => Err(call.unexpected(1, "string, table, number, or nil")),
    }
}

fn event_of(url: Vec<u8>, event: LinkEvent) -> Queued {
    let url_value = Value::String(url.clone());
    match event {
        LinkEvent::Opened(link) => Queued::make("websocket_success", move |host| {
            let id = host.next_handle();
            host.network.sockets.open.insert(id, Socket { link, url });
            vec![
                "websocket_success".into(),
                url_value,
                Value::Handle(Handle { methods: METHODS.to_vec(), id }),
            ]
        }),
        LinkEvent::Failed(error) => {
            Queued::Event(vec!["websocket_failure".into(), url_value, error.to_string().into()])
        }
        LinkEvent::Message { bytes, binary } => {
            Queued::Event(vec!["websocket_message".into(), url_value, Value::String(bytes), binary.into()])
        }
        LinkEvent::Closed { reason, code } => {
            let mut values = vec!["websocket_closed".into(), url_value];
            if let Some(code) = code {
                values.push(reason.filter(|reason| !reason.is_empty()).map_or(Value::Nil, Value::String));
                values.push(f64::from(code).into());
            }
            Queued::Event(values)
        }
    }
}

fn closed() -> Raise {
    Raise::new("attempt to use a closed file")
}

fn socket<'a>(host: &'a Host, call: &Call<'_>) -> Result<&'a Socket, Raise> {
    host.network.sockets.open.get(&call.handle()).filter(|socket| socket.link.is_open()).ok_or_else(closed)
}

fn send(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    let socket = socket(host, call)?;
    let bytes = call.text(1)?;
    let largest = host.settings().size("http_max_websocket_message");
    if largest > 0 && bytes.len() > largest {
        return Err(Raise::new("Message is too large"));
    }
    match socket.link.send(&bytes, call.truthy(2), &|| call.time_is_up()) {
        Sent::Done => Ok(()),
        Sent::Closed => Err(closed()),
        Sent::Stopped => Err(Raise::new("Too long without yielding")),
    }
}

fn close(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    if let Some(socket) = host.network.sockets.open.remove(&call.handle()) {
        socket.link.close();
    }
    Ok(())
}

/// Waits for a message. While it waits it sees every event, and lets those that are not its own pass.
fn receive(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    if !call.resumed() {
        socket(host, call)?;
        let timer = if call.is_nil(1) {
            NO_TIMER
        } else {
            let seconds = call.float(1)?.max(0.0);
            let delay = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
            host.start_timer("timer", delay).into()
        };
        call.wait(timer);
        return Ok(());
    }
    let timer = call.kept();
    let mine = |call: &Call<'_>| {
        let url = host.network.sockets.open.get(&call.handle()).map(|socket| &socket.url);
        url.is_some() && call.bytes(2).as_ref() == url
    };
    let done = match call.bytes(1).as_deref() {
        Some(b"websocket_message") if mine(call) => {
            let (message, binary) = (call.value(3)?, call.value(4)?);
            call.push(message);
            call.push(binary);
            true
        }
        Some(b"websocket_closed") if mine(call) => {
            call.push(Value::Nil);
            true
        }
        Some(b"timer") if call.number(2) == Some(timer) => {
            call.push(Value::Nil);
            return Ok(());
        }
        Some(b"terminate") => {
            return Err(Raise { message: b"Terminated".to_vec(), bare: true });
        }
        _ => false,
    };
    if !done {
        call.wait(timer);
    } else if timer > NO_TIMER {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "it is a timer's number"
        )]
        host.timers.cancel(timer as u32);
    }
    Ok(())
}

pub const METHODS: &[Native] = &[
    Native { name: "close", run: close },
    Native { name: "receive", run: receive },
    Native { name: "send", run: send },
];
