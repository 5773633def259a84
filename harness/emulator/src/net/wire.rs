//! The bytes of an open socket. A computer's own thread may write them itself: handing each message to the network's
//! thread would wake that thread first.

use std::io;
use std::sync::Arc;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::sync::Mutex;

use super::connect::Stream;
use super::frames::KEPT_ROOM;
use super::sockets::{OwnedReadHalf, OwnedWriteHalf};
use crate::surroundings::Duplex;

/// The network's end of an open socket.
pub enum Wire {
    Plain {
        read: OwnedReadHalf,
        writer: Arc<Mutex<Writer>>,
    },
    /// Which only the network's tasks write to.
    Whole(Box<dyn Duplex>),
}

/// What writes to a plain connection. Whoever holds it writes whole frames, and what was left before them.
#[derive(Debug)]
pub struct Writer {
    /// None once the connection has ended: the computer may hold its end of it for longer.
    half: Option<OwnedWriteHalf>,
    /// The end of a frame that the connection has not taken yet.
    rest: Vec<u8>,
}

/// The computer's own way to write.
#[derive(Debug)]
pub struct Direct(Arc<Mutex<Writer>>);

/// What became of bytes that a computer wrote itself.
#[derive(Debug, PartialEq, Eq)]
pub enum Written {
    All,
    /// The network's thread has to write the end.
    Begun,
    /// The network's thread has to write them.
    Nothing,
}

impl Wire {
    pub fn new(stream: Stream) -> (Self, Option<Direct>) {
        match stream {
            Stream::Plain(stream) => {
                let (read, half) = stream.into_split();
                let writer = Arc::new(Mutex::new(Writer { half: Some(half), rest: Vec::new() }));
                (Self::Plain { read, writer: writer.clone() }, Some(Direct(writer)))
            }
            Stream::Other(stream) => (Self::Whole(stream), None),
        }
    }

    /// Reads what has come; 0 at the end.
    pub async fn read(&mut self, into: &mut Vec<u8>) -> io::Result<usize> {
        into.reserve(KEPT_ROOM);
        match self {
            Self::Plain { read, .. } => read.read_buf(into).await,
            Self::Whole(stream) => stream.read_buf(into).await,
        }
    }

    /// Writes whole frames, or none to write only what was left of an earlier one.
    pub async fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Plain { writer, .. } => {
                let mut writer = writer.lock().await;
                let rest = std::mem::take(&mut writer.rest);
                let half = writer.half.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
                half.write_all(&rest).await?;
                half.write_all(bytes).await
            }
            Self::Whole(stream) => {
                stream.write_all(bytes).await?;
                stream.flush().await
            }
        }
    }

    /// Says that nothing more is written.
    pub async fn shutdown(&mut self) -> io::Result<()> {
        match self {
            Self::Plain { writer, .. } => match writer.lock().await.half.as_mut() {
                Some(half) => half.shutdown().await,
                None => Ok(()),
            },
            Self::Whole(stream) => stream.shutdown().await,
        }
    }

    /// Ends the connection, also where the computer still holds its end.
    pub async fn end(self) {
        if let Self::Plain { writer, .. } = self {
            writer.lock().await.half = None;
        }
    }
}

impl Direct {
    /// Writes a whole frame as far as the connection takes it at once, unless somebody else is writing.
    pub fn write(&self, frame: &[u8]) -> Written {
        let Ok(mut writer) = self.0.try_lock() else { return Written::Nothing };
        if !writer.rest.is_empty() {
            return Written::Nothing;
        }
        let Some(half) = &writer.half else { return Written::Nothing };
        match half.try_write(frame) {
            Ok(count) if count == frame.len() => Written::All,
            Ok(count) => {
                frame[count..].clone_into(&mut writer.rest);
                Written::Begun
            }
            // What is wrong with the connection the network's thread finds out, too, and reports.
            Err(_) => Written::Nothing,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::net::{TcpListener, TcpStream};

    /// A connection, and its other side.
    async fn connected() -> (Wire, Direct, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("bound");
        let (stream, accepted) = tokio::join!(TcpStream::connect(address), listener.accept());
        let (wire, direct) = Wire::new(Stream::Plain(stream.expect("it listens")));
        (wire, direct.expect("it is not encrypted"), accepted.expect("it connects").0)
    }

    #[tokio::test]
    async fn frames_stay_whole_and_in_order_whoever_writes_them() {
        let (mut wire, direct, mut other) = connected().await;
        let mut expected = Vec::new();
        // Until the connection takes no more: the last of these has gone out in part.
        for number in 0_u8.. {
            let frame = vec![number; 100_000];
            let written = direct.write(&frame);
            if written == Written::Nothing {
                break;
            }
            expected.extend(frame);
            if written == Written::Begun {
                break;
            }
        }
        assert_eq!(direct.write(b"too early"), Written::Nothing, "nothing overtakes the rest of a frame");
        expected.extend(b"last");
        let mut read = vec![0; expected.len()];
        let (written, all) = tokio::join!(wire.write(b"last"), other.read_exact(&mut read));
        written.expect("the other side reads");
        all.expect("all of it comes");
        assert!(read == expected, "the bytes came in another order");
        assert_eq!(direct.write(b"again"), Written::All);
    }

    #[tokio::test]
    async fn the_end_of_the_connection_does_not_wait_for_the_computer() {
        let (wire, direct, mut other) = connected().await;
        wire.end().await;
        assert_eq!(other.read(&mut [0; 8]).await.expect("an end and no error"), 0);
        assert_eq!(direct.write(b"late"), Written::Nothing);
    }
}
