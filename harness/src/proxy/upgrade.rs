//! The opening of a link: the computer's upgrade is read, and asked of the bridge.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::sync::mpsc;
use tokio_tungstenite::tungstenite::Error as WebSocketError;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};
use tokio_tungstenite::{WebSocketStream, client_async_with_config};

use super::Shared;
use super::link::{Link, Socket};
use crate::net::{Net, Stream};
use crate::record::{Event, held};

/// Most frames are small, and a thousand links have two of these each.
const READ_BUFFER: usize = 8 * 1024;

/// The head of an upgrade has a few hundred bytes.
const HEAD_BYTES: usize = 16 * 1024;

/// What either side has to say its part of the upgrade.
const UPGRADE: Duration = Duration::from_secs(10);

/// The status for a computer whose bridge is not there.
const BAD_GATEWAY: u16 = 502;

struct Head {
    target: String,
    key: String,
    authorization: Option<String>,
    rest: Vec<u8>,
}

pub(super) async fn serve(mut stream: Stream, shared: Arc<Shared>) {
    let Ok(Some(head)) = tokio::time::timeout(UPGRADE, read_head(&mut stream)).await else { return };
    let name = head.target.trim_start_matches('/').split(['/', '?']).next().unwrap_or_default().to_owned();
    let link = shared.record.begin(&name);
    let mut cut = shared.cut.subscribe();
    let bridge = tokio::time::timeout(UPGRADE, shared.bridge()).await.unwrap_or_default();
    let bridge = bridge.filter(|_| !cut.borrow_and_update().contains(&name));
    let upgraded = match bridge {
        Some(address) => tokio::time::timeout(UPGRADE, connect(&shared.net, address, &head))
            .await
            .unwrap_or(Err(BAD_GATEWAY)),
        None => Err(BAD_GATEWAY),
    };
    let to_bridge = match upgraded {
        Ok(socket) => socket,
        Err(status) => {
            shared.record.add(&name, link, Event::Refused(status));
            let answer =
                format!("HTTP/1.1 {status} Refused\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
            let _ = stream.write_all(answer.as_bytes()).await;
            return;
        }
    };
    let accept = derive_accept_key(head.key.as_bytes());
    let answer = format!(
        "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: {accept}\r\n\r\n"
    );
    if stream.write_all(answer.as_bytes()).await.is_err() {
        shared.record.add(&name, link, Event::Left);
        return;
    }
    let computer =
        WebSocketStream::from_partially_read(stream, head.rest, Role::Server, Some(unlimited())).await;
    shared.record.add(&name, link, Event::Opened);
    let (sender, orders) = mpsc::unbounded_channel();
    held(&shared.links).insert(name.clone(), sender);
    Link::new(shared, name, link, (computer, to_bridge), orders).pump(cut).await;
}

fn unlimited() -> WebSocketConfig {
    WebSocketConfig::default().max_message_size(None).max_frame_size(None).read_buffer_size(READ_BUFFER)
}

async fn connect(net: &Net, bridge: SocketAddr, head: &Head) -> Result<Socket, u16> {
    let stream = net.connect(bridge).await.map_err(|_| BAD_GATEWAY)?;
    let mut request =
        format!("ws://{bridge}{}", head.target).into_client_request().map_err(|_| BAD_GATEWAY)?;
    if let Some(value) = head.authorization.as_ref().and_then(|value| value.parse().ok()) {
        request.headers_mut().insert("authorization", value);
    }
    match client_async_with_config(request, stream, Some(unlimited())).await {
        Ok((socket, _)) => Ok(socket),
        Err(WebSocketError::Http(response)) => Err(response.status().as_u16()),
        Err(_) => Err(BAD_GATEWAY),
    }
}

/// Reads the head of an upgrade; nothing, where it is none.
async fn read_head(stream: &mut Stream) -> Option<Head> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break end + 4;
        }
        if bytes.len() > HEAD_BYTES || stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let rest = bytes.split_off(end);
    let mut headers = [httparse::EMPTY_HEADER; 64];
    let mut request = httparse::Request::new(&mut headers);
    request.parse(&bytes).ok()?;
    let target = request.path?.to_owned();
    let header = |name: &str| {
        let found = request.headers.iter().find(|header| header.name.eq_ignore_ascii_case(name))?;
        Some(String::from_utf8_lossy(found.value).into_owned())
    };
    Some(Head { target, key: header("sec-websocket-key")?, authorization: header("authorization"), rest })
}
