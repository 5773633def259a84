//! Bodies of requests and responses that keep something until they were read, and show signs of life while nothing comes.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Body;
use hyper::body::{Bytes, Frame, SizeHint};
use tokio::time::{Sleep, sleep};

/// How long a stream of events may be silent: a proxy gives up after a minute, and many after half of one. The SDK has
/// such a timer too, on the system's clock, which a clock that is paused does not move.
const SILENCE: Duration = Duration::from_secs(15);

/// An event without anything in it, which clients pass over.
const SIGN_OF_LIFE: &[u8] = b":\n\n";

/// A body that keeps something until it was read, or nobody wants it any more.
pub fn holding<B, T>(body: B, kept: T) -> Body
where
    B: hyper::body::Body<Data = Bytes, Error: Into<axum::BoxError>> + Send + Unpin + 'static,
    T: Send + Unpin + 'static,
{
    Body::new(Holding { body, _kept: kept, is_stream: false, silence: None })
}

/// The same for a stream of events.
pub fn streaming<B, T>(body: B, kept: T) -> Body
where
    B: hyper::body::Body<Data = Bytes, Error: Into<axum::BoxError>> + Send + Unpin + 'static,
    T: Send + Unpin + 'static,
{
    Body::new(Holding { body, _kept: kept, is_stream: true, silence: None })
}

struct Holding<B, T> {
    body: B,
    _kept: T,
    is_stream: bool,
    /// Made when there is something to wait for: nearly every answer is there at once.
    silence: Option<Pin<Box<Sleep>>>,
}

impl<B, T> hyper::body::Body for Holding<B, T>
where
    B: hyper::body::Body<Data = Bytes> + Unpin,
    T: Unpin,
{
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let this = self.get_mut();
        let next = Pin::new(&mut this.body).poll_frame(cx);
        if next.is_ready() || !this.is_stream {
            this.silence = None;
            return next;
        }
        let silence = this.silence.get_or_insert_with(|| Box::pin(sleep(SILENCE)));
        if silence.as_mut().poll(cx).is_pending() {
            return Poll::Pending;
        }
        this.silence = None;
        Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(SIGN_OF_LIFE)))))
    }

    // `is_end_stream` is never true: hyper would let go of this with the last frame, and not when that has gone out.

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http_body_util::BodyExt as _;
    use tokio::time::Instant;

    /// A body from which nothing ever comes.
    struct Nothing;

    impl hyper::body::Body for Nothing {
        type Data = Bytes;
        type Error = std::convert::Infallible;

        fn poll_frame(
            self: Pin<&mut Self>,
            _: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
            Poll::Pending
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_stream_shows_signs_of_life_and_another_body_does_not() {
        let began = Instant::now();
        let mut body = streaming(Nothing, ());
        for times in 1..3 {
            let frame = body.frame().await.expect("it goes on").expect("a frame");
            assert_eq!(frame.into_data().expect("data"), SIGN_OF_LIFE);
            assert_eq!(began.elapsed(), SILENCE * times);
        }
        let mut body = holding(Nothing, ());
        assert!(tokio::time::timeout(SILENCE * 10, body.frame()).await.is_err());
    }

    #[tokio::test]
    async fn what_is_kept_goes_with_the_body() {
        let kept = std::sync::Arc::new(());
        let body = holding(http_body_util::Full::new(Bytes::from_static(b"x")), kept.clone());
        assert_eq!(std::sync::Arc::strong_count(&kept), 2);
        drop(body);
        assert_eq!(std::sync::Arc::strong_count(&kept), 1);
    }
}
