//! A proxy of the link that makes a right side wrong in one way: it passes every byte on, but for what it is told to change.

use std::net::SocketAddr;
use std::sync::Arc;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};

/// One WebSocket frame, unmasked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Frame {
    Text(String),
    Close(u16, String),
}

/// Who sent a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum From {
    Computer,
    Bridge,
}

/// What becomes of a frame of a connection, which has a number: nothing of it, itself, something else, or more than one.
pub type Change = Arc<dyn Fn(u64, From, Frame) -> Vec<Frame> + Send + Sync>;

/// The lines of the upgrade request that are left out, by what they begin with.
pub type Without = &'static str;

/// Listens where computers are to connect, and passes on to the bridge.
pub async fn start(bridge: String, without: Without, change: Change) -> SocketAddr {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("some port is free");
    let address = listener.local_addr().expect("it is bound");
    tokio::spawn(async move {
        let mut number = 0;
        while let Ok((computer, _)) = listener.accept().await {
            let Ok(other) = TcpStream::connect(&bridge).await else { continue };
            number += 1;
            let change = change.clone();
            let numbered = move |from, frame| change(number, from, frame);
            tokio::spawn(serve(computer, other, without, Arc::new(numbered)));
        }
    });
    address
}

/// The same for one connection.
type Numbered = Arc<dyn Fn(From, Frame) -> Vec<Frame> + Send + Sync>;

async fn serve(computer: TcpStream, bridge: TcpStream, without: Without, change: Numbered) {
    let _ = (computer.set_nodelay(true), bridge.set_nodelay(true));
    let (from_computer, to_computer) = computer.into_split();
    let (from_bridge, to_bridge) = bridge.into_split();
    let there = pass(from_computer, to_bridge, From::Computer, without, change.clone());
    let back = pass(from_bridge, to_computer, From::Bridge, "\0", change);
    // Either end of the connection is the end of both, once what was said has gone over.
    tokio::join!(there, back);
}

/// Passes one direction on: first the head of the upgrade, then frames.
async fn pass(
    mut read: OwnedReadHalf,
    mut write: OwnedWriteHalf,
    from: From,
    without: Without,
    change: Numbered,
) -> Option<()> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(at) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break at + 4;
        }
        if read.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let kept = head.split_inclusive("\r\n").filter(|line| !line.to_lowercase().starts_with(without));
    write.write_all(kept.collect::<String>().as_bytes()).await.ok()?;
    bytes.drain(..end);
    let refused = from == From::Bridge && !head.starts_with("HTTP/1.1 101");
    loop {
        while let Some((length, frame)) = next_frame(&bytes).filter(|_| !refused) {
            let raw: Vec<u8> = bytes.drain(..length).collect();
            let Some(frame) = frame else {
                write.write_all(&raw).await.ok()?;
                continue;
            };
            let changed = change(from, frame.clone());
            if changed == [frame] {
                write.write_all(&raw).await.ok()?;
                continue;
            }
            for frame in changed {
                write.write_all(&encode(&frame, from)).await.ok()?;
            }
        }
        if refused {
            write.write_all(&std::mem::take(&mut bytes)).await.ok()?;
        }
        if read.read_buf(&mut bytes).await.ok()? == 0 {
            let _ = write.shutdown().await;
            return None;
        }
    }
}

/// The length of the first frame, and the frame where it can be changed; nothing while it is not there as a whole.
fn next_frame(bytes: &[u8]) -> Option<(usize, Option<Frame>)> {
    let (first, second) = (*bytes.first()?, *bytes.get(1)?);
    let (size, mut at) = match second & 0x7f {
        126 => (usize::from(u16::from_be_bytes(bytes.get(2..4)?.try_into().ok()?)), 4),
        127 => (usize::try_from(u64::from_be_bytes(bytes.get(2..10)?.try_into().ok()?)).ok()?, 10),
        short => (usize::from(short), 2),
    };
    let mask = if second & 0x80 != 0 {
        at += 4;
        bytes.get(at - 4..at)?
    } else {
        &[0; 4]
    };
    let payload: Vec<u8> =
        bytes.get(at..at + size)?.iter().zip(mask.iter().cycle()).map(|(a, b)| a ^ b).collect();
    let frame = match first {
        0x81 => String::from_utf8(payload).ok().map(Frame::Text),
        0x88 if size >= 2 => {
            let reason = String::from_utf8_lossy(&payload[2..]).into_owned();
            Some(Frame::Close(u16::from_be_bytes([payload[0], payload[1]]), reason))
        }
        _ => None,
    };
    Some((at + size, frame))
}

fn encode(frame: &Frame, from: From) -> Vec<u8> {
    let (opcode, payload) = match frame {
        Frame::Text(text) => (0x81, text.clone().into_bytes()),
        Frame::Close(code, reason) => (0x88, [&code.to_be_bytes()[..], reason.as_bytes()].concat()),
    };
    let masked = if from == From::Computer { 0x80 } else { 0 };
    let mut bytes = vec![opcode];
    match payload.len() {
        size @ 0..126 => bytes.push(masked | u8::try_from(size).expect("below 126")),
        size @ 126..0x1_0000 => {
            bytes.push(masked | 0x7e);
            bytes.extend(u16::try_from(size).expect("below 65536").to_be_bytes());
        }
        size => {
            bytes.push(masked | 0x7f);
            bytes.extend((size as u64).to_be_bytes());
        }
    }
    if masked != 0 {
        // A mask of nothing is a mask.
        bytes.extend([0; 4]);
    }
    bytes.extend(payload);
    bytes
}
