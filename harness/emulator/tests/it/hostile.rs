//! Servers that send whatever they like: no answer of theirs hangs, crashes or fills a computer.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use base64::Engine as _;
use embedded_craftos::net::{self, Fetch, LinkEvent, LinkRequest, Rules};
use proptest::prelude::*;
use sha1::{Digest as _, Sha1};

use crate::context::TIMEOUT;

/// The largest body or message that is taken.
const LARGEST: usize = 4096;

/// Answers one connection with what `answer` makes of the request's head, then closes.
fn serve_once(answer: impl FnOnce(&str) -> Vec<u8> + Send + 'static) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let port = listener.local_addr().expect("it is bound").port();
    thread::spawn(move || -> std::io::Result<()> {
        let (mut stream, _) = listener.accept()?;
        let mut head = Vec::new();
        let mut bytes = [0; 1024];
        while !head.windows(4).any(|end| end == b"\r\n\r\n") {
            let count = stream.read(&mut bytes)?;
            if count == 0 {
                return Ok(());
            }
            head.extend_from_slice(&bytes[..count]);
        }
        stream.write_all(&answer(&String::from_utf8_lossy(&head)))
    });
    port
}

fn rules() -> Rules {
    Rules::new(&["*".to_owned()], &[])
}

fn fetch(answer: Vec<u8>) -> Option<Vec<u8>> {
    let port = serve_once(move |_| answer);
    let request = Fetch {
        url: format!("http://127.0.0.1:{port}/"),
        method: None,
        headers: Vec::new(),
        body: None,
        redirect: false,
        timeout: TIMEOUT,
        largest: Some(LARGEST),
    };
    let (sender, receiver) = mpsc::channel();
    net::spawn(async move {
        let fetched = net::fetch(request, &rules(), &mut net::Budget::new(usize::MAX).charge()).await;
        let _ = sender.send(fetched.ok().map(|response| response.body));
    });
    receiver.recv_timeout(TIMEOUT * 2).expect("every answer is the end of a request")
}

/// The sizes of the messages that came before the end.
fn link(frames: Vec<u8>) -> Vec<usize> {
    let port = serve_once(move |head| {
        let key = head.lines().find_map(|line| line.strip_prefix("Sec-WebSocket-Key: ")).unwrap_or_default();
        let hash =
            Sha1::new().chain_update(key).chain_update("258EAFA5-E914-47DA-95CA-C5AB0DC85B11").finalize();
        let accept = base64::engine::general_purpose::STANDARD.encode(hash);
        let upgrade = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n";
        let mut answer = format!("{upgrade}Sec-WebSocket-Accept: {accept}\r\n\r\n").into_bytes();
        answer.extend(frames);
        answer
    });
    let request = LinkRequest {
        url: format!("ws://127.0.0.1:{port}/"),
        headers: Vec::new(),
        timeout: TIMEOUT,
        largest: LARGEST,
    };
    let (sender, receiver) = mpsc::channel();
    let opening =
        net::open(request, rules(), move |event| event.is_none_or(|event| sender.send(event).is_ok()));
    drop(net::spawn(opening));
    let mut sizes = Vec::new();
    // The socket lives as long as its computer's end of it.
    let mut held = None;
    loop {
        match receiver.recv_timeout(TIMEOUT).expect("a socket whose peer has gone ends") {
            LinkEvent::Opened(link) => held = Some(link),
            LinkEvent::Message { bytes, .. } => sizes.push(bytes.len()),
            LinkEvent::Failed(_) | LinkEvent::Closed { .. } => break,
        }
    }
    drop(held);
    sizes
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn any_answer_ends_a_request(
        start in prop_oneof![
            Just("HTTP/1.1 200 OK\r\n"), Just("HTTP/1.1 200\r\n"), Just("HTTP/1.0 301 x\r\n"), Just("HTTP/9"), Just(""),
        ],
        headers in "((Content-Length: (0|5|99999999999999999999|-1)|Transfer-Encoding: chunked|Location: /|X: y)\r\n){0,3}",
        end in prop_oneof![Just("\r\n"), Just("")],
        body in prop_oneof![
            prop::collection::vec(any::<u8>(), 0..300),
            "([0-9a-f]{1,17}\r\n|[a-z]{0,20}|\r\n|;x){0,12}".prop_map(String::into_bytes),
            Just(vec![b'x'; 3 * LARGEST]),
        ],
    ) {
        let answer = [start.as_bytes(), headers.as_bytes(), end.as_bytes(), &body].concat();
        if let Some(body) = fetch(answer) {
            prop_assert!(body.len() <= LARGEST);
        }
    }

    #[test]
    fn any_frames_end_a_socket(
        frames in prop_oneof![
            prop::collection::vec(any::<u8>(), 0..300),
            prop::collection::vec((0_u8..=255, prop::collection::vec(any::<u8>(), 0..125)), 0..20).prop_map(|frames| {
                let encode = |(first, payload): (u8, Vec<u8>)| {
                    let length = u8::try_from(payload.len()).expect("it is short");
                    [vec![first & 0x8F, length], payload].concat()
                };
                frames.into_iter().flat_map(encode).collect()
            }),
        ],
    ) {
        for size in link(frames) {
            prop_assert!(size <= LARGEST);
        }
    }
}

#[test]
fn a_server_that_says_nothing_is_given_up() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let port = listener.local_addr().expect("it is bound").port();
    let request = Fetch {
        url: format!("http://127.0.0.1:{port}/"),
        method: None,
        headers: Vec::new(),
        body: None,
        redirect: true,
        timeout: Duration::from_millis(50),
        largest: None,
    };
    let (sender, receiver) = mpsc::channel();
    net::spawn(async move {
        let _ = sender.send(net::fetch(request, &rules(), &mut net::Budget::new(usize::MAX).charge()).await);
    });
    let answer = receiver.recv_timeout(TIMEOUT).expect("it ends");
    assert_eq!(answer.expect_err("nobody answered").to_string(), "Timed out");
}
