//! A socket whose end is heard: before it closes it reads on for a moment, because a close on top of unread bytes is a
//! reset, and a reset takes the answer with it that the peer has not read yet. A peer that takes nothing of what is written
//! to it is waited for, and not for ever.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// How long a peer may take nothing of what is written to it: longer than any network hesitates, and than a computer that
/// is silent is kept.
const STALLED: Duration = Duration::from_secs(60);

/// How long a peer may go on sending what nobody wants.
const DRAIN: Duration = Duration::from_secs(1);

/// What is read and thrown away at once.
const SINK_BYTES: usize = 4096;

/// Bytes that a peer may go on sending; more than the largest request, so that every honest client hears the answer.
const DRAIN_BYTES: usize = 8 * 1024 * 1024;

/// A stream that drains what its peer still sends when it is shut down, and ends where its peer stops reading.
#[derive(Debug)]
pub struct Lingering<S> {
    stream: S,
    end: Option<Draining>,
    /// Made when the peer takes nothing.
    stalled: Option<Pin<Box<Sleep>>>,
}

#[derive(Debug)]
struct Draining {
    until: Pin<Box<Sleep>>,
    drained: usize,
}

impl<S> Lingering<S> {
    pub fn new(stream: S) -> Self {
        Self { stream, end: None, stalled: None }
    }

    /// What came of writing; an error where the peer has taken nothing for too long.
    fn written<T>(&mut self, cx: &mut Context<'_>, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.stalled = None;
            return written;
        }
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(sleep(STALLED)));
        ready!(stalled.as_mut().poll(cx));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Lingering<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Lingering<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.written(cx, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, slices);
        self.written(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if this.end.is_none() {
            ready!(Pin::new(&mut this.stream).poll_shutdown(cx))?;
        }
        let end = this.end.get_or_insert_with(|| Draining { until: Box::pin(sleep(DRAIN)), drained: 0 });
        let mut sink = [0; SINK_BYTES];
        while end.until.as_mut().poll(cx).is_pending() && end.drained < DRAIN_BYTES {
            let mut buffer = ReadBuf::new(&mut sink);
            match ready!(Pin::new(&mut this.stream).poll_read(cx, &mut buffer)) {
                Ok(()) if !buffer.filled().is_empty() => end.drained += buffer.filled().len(),
                _ => break,
            }
        }
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::time::Instant;

    #[tokio::test(start_paused = true)]
    async fn a_peer_that_takes_nothing_is_waited_for_and_not_for_ever() {
        let (own, mut peer) = tokio::io::duplex(1);
        let (mut stream, began) = (Lingering::new(own), Instant::now());
        let reads = async {
            sleep(STALLED / 2).await;
            peer.read_u8().await
        };
        let (written, read) = tokio::join!(stream.write_all(b"abc"), reads);
        assert_eq!(read.expect("what was written"), b'a');
        assert_eq!(written.expect_err("it has stopped reading").kind(), io::ErrorKind::TimedOut);
        assert_eq!(began.elapsed(), 3 * STALLED / 2, "each time that it reads it is waited for anew");
    }
}
