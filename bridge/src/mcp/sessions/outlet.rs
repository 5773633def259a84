//! One stream of server messages: kept until it is read, so that a client whose connection broke can go on
//! where it stopped.

use std::collections::VecDeque;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use parking_lot::{Mutex, MutexGuard};
use rmcp::model::{ServerJsonRpcMessage, ServerNotification};
use rmcp::transport::streamable_http_server::session::ServerSseMessage;

/// Messages that are kept for a reader that is away or slow. Beyond that the oldest go: they are progress, or
/// repeat that a list has changed.
const KEPT: usize = 64;

/// Bytes of progress and logs that are kept in the same way: a screen of text is 2 KiB, and one message may be sixty times
/// that.
const KEPT_BYTES: usize = 256 * 1024;

/// The messages of one stream, and who reads them.
#[derive(Debug)]
pub struct Outlet {
    /// Stands in each event's id, so that a client's `Last-Event-ID` finds the stream again.
    pub number: u64,
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    /// Each with its weight.
    messages: VecDeque<(Arc<ServerJsonRpcMessage>, usize)>,
    bytes: usize,
    /// The index of the first message that is kept.
    first: u64,
    /// The index of the first message that no reader has had.
    unread: u64,
    ended: bool,
    /// The newest reader. Older ones get nothing more: a message goes to one stream only.
    reader: u64,
    waker: Option<Waker>,
}

impl Outlet {
    pub fn new(number: u64) -> Arc<Self> {
        Arc::new(Self { number, inner: Mutex::default() })
    }

    /// Adds a message; `last` ends the stream after it.
    pub fn push(&self, message: ServerJsonRpcMessage, last: bool) {
        let weight = weight(&message);
        let mut inner = self.inner.lock();
        inner.messages.push_back((Arc::new(message), weight));
        inner.bytes += weight;
        // Never the newest: that may be the answer.
        while inner.messages.len() > KEPT || inner.bytes > KEPT_BYTES && inner.messages.len() > 1 {
            inner.bytes -= inner.messages.pop_front().map_or(0, |(_, weight)| weight);
            inner.first += 1;
        }
        inner.ended |= last;
        wake(inner);
    }

    /// Ends the stream where it is.
    pub fn end(&self) {
        let mut inner = self.inner.lock();
        inner.ended = true;
        wake(inner);
    }

    /// Becomes the reader, from the message with this index on, or from the first that no reader has had.
    pub fn read(&self, next: Option<u64>) -> Position {
        let mut inner = self.inner.lock();
        inner.reader += 1;
        let position = Position { reader: inner.reader, next: next.unwrap_or(inner.unread) };
        // The older reader has to notice that it is none any more.
        wake(inner);
        position
    }

    /// Tells whether nothing more will come.
    pub fn is_ended(&self) -> bool {
        self.inner.lock().ended
    }

    /// Tells whether everything there will ever be has been handed to a reader.
    pub fn is_finished(&self) -> bool {
        let inner = self.inner.lock();
        inner.ended && inner.unread >= inner.first + inner.messages.len() as u64
    }

    /// Tells whether somebody waits for the next message.
    pub fn is_read(&self) -> bool {
        self.inner.lock().waker.is_some()
    }

    /// Tells whether a position is still the reader's.
    pub fn is_current(&self, position: &Position) -> bool {
        self.inner.lock().reader == position.reader
    }

    /// Waits until there is a message, or the end.
    pub fn poll_ready(&self, cx: &mut Context<'_>, position: &Position) -> Poll<()> {
        let mut inner = self.inner.lock();
        let there = position.next < inner.first + inner.messages.len() as u64;
        if there || inner.ended || inner.reader != position.reader {
            return Poll::Ready(());
        }
        inner.wait(cx);
        Poll::Pending
    }

    /// Reads the next message.
    pub fn poll_next(&self, cx: &mut Context<'_>, position: &mut Position) -> Poll<Option<ServerSseMessage>> {
        let mut inner = self.inner.lock();
        if inner.reader != position.reader {
            return Poll::Ready(None);
        }
        let index = position.next.max(inner.first);
        let at = usize::try_from(index - inner.first).expect("no more are kept than a usize counts");
        if let Some((message, _)) = inner.messages.get(at).cloned() {
            position.next = index + 1;
            inner.unread = inner.unread.max(position.next);
            let mut event = ServerSseMessage::default();
            event.event_id = Some(self.event_id(index));
            event.message = Some(message);
            return Poll::Ready(Some(event));
        }
        if inner.ended {
            return Poll::Ready(None);
        }
        inner.wait(cx);
        Poll::Pending
    }

    /// The id of an event: `<stream>-<index>`.
    pub fn event_id(&self, index: u64) -> String {
        format!("{}-{index}", self.number)
    }
}

impl Inner {
    fn wait(&mut self, cx: &mut Context<'_>) {
        if !self.waker.as_ref().is_some_and(|waker| waker.will_wake(cx.waker())) {
            self.waker = Some(cx.waker().clone());
        }
    }
}

/// Wakes the reader, with the lock let go.
fn wake(mut inner: MutexGuard<'_, Inner>) {
    let waker = inner.waker.take();
    drop(inner);
    if let Some(waker) = waker {
        waker.wake();
    }
}

/// What a message counts for that may come often: its text. An answer comes once.
fn weight(message: &ServerJsonRpcMessage) -> usize {
    let ServerJsonRpcMessage::Notification(note) = message else { return 0 };
    match &note.notification {
        ServerNotification::ProgressNotification(progress) => {
            progress.params.message.as_ref().map_or(0, String::len)
        }
        #[expect(
            deprecated,
            reason = "logging is deprecated from 2026-07-28 on, and part of the handshake era"
        )]
        ServerNotification::LoggingMessageNotification(log) => log.params.data.to_string().len(),
        _ => 0,
    }
}

/// Where a reader is.
#[derive(Debug)]
pub struct Position {
    reader: u64,
    next: u64,
}

/// Reads an event's id back into stream and index. `start`, and the SDK's own `0` for the stream that belongs to
/// no request, stand before the first event.
pub fn parse_event_id(id: &str) -> Option<(u64, Option<u64>)> {
    let (number, index) = id.split_once('-').unwrap_or((id, "start"));
    let number = number.parse().ok()?;
    if index == "start" {
        return Some((number, None));
    }
    Some((number, Some(index.parse().ok()?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rmcp::model::{RequestId, ServerResult};
    use std::task::Waker;

    fn message(id: i64) -> ServerJsonRpcMessage {
        ServerJsonRpcMessage::response(ServerResult::empty(()), RequestId::Number(id))
    }

    fn read(outlet: &Outlet, position: &mut Position) -> Poll<Option<String>> {
        let next = outlet.poll_next(&mut Context::from_waker(Waker::noop()), position);
        next.map(|event| event.map(|event| event.event_id.expect("each event has an id")))
    }

    #[test]
    fn a_reader_that_comes_back_goes_on_where_it_stopped() {
        let outlet = Outlet::new(7);
        let mut first = outlet.read(None);
        outlet.push(message(1), false);
        outlet.push(message(2), true);
        assert_eq!(read(&outlet, &mut first), Poll::Ready(Some("7-0".into())));
        assert!(!outlet.is_finished());
        let mut again = outlet.read(Some(1));
        assert_eq!(read(&outlet, &mut first), Poll::Ready(None), "a message goes to one stream only");
        assert_eq!(read(&outlet, &mut again), Poll::Ready(Some("7-1".into())));
        assert_eq!(read(&outlet, &mut again), Poll::Ready(None));
        assert!(outlet.is_finished());
        let mut from_the_start = outlet.read(Some(0));
        assert_eq!(read(&outlet, &mut from_the_start), Poll::Ready(Some("7-0".into())), "it is still there");
    }

    #[test]
    fn what_nobody_reads_is_bounded() {
        let outlet = Outlet::new(0);
        for id in 0..1000 {
            outlet.push(message(id), false);
        }
        let mut position = outlet.read(None);
        assert_eq!(read(&outlet, &mut position), Poll::Ready(Some(format!("0-{}", 1000 - KEPT))));
    }

    #[test]
    fn large_progress_that_nobody_reads_is_bounded_in_bytes_and_the_answer_is_kept() {
        use rmcp::model::{NumberOrString, ProgressNotification, ProgressNotificationParam, ProgressToken};
        let outlet = Outlet::new(0);
        for _ in 0..KEPT {
            let token = ProgressToken(NumberOrString::Number(1));
            let mut params = ProgressNotificationParam::new(token, 1.0);
            params.message = Some("x".repeat(KEPT_BYTES / 4));
            let note = ServerNotification::ProgressNotification(ProgressNotification::new(params));
            outlet.push(ServerJsonRpcMessage::notification(note), false);
        }
        outlet.push(message(7), true);
        let kept = {
            let inner = outlet.inner.lock();
            (inner.messages.len(), inner.bytes)
        };
        assert_eq!(kept, (5, KEPT_BYTES));
        let mut position = outlet.read(None);
        for index in KEPT - 4..=KEPT {
            assert_eq!(read(&outlet, &mut position), Poll::Ready(Some(format!("0-{index}"))));
        }
        assert_eq!(read(&outlet, &mut position), Poll::Ready(None));
    }

    #[test]
    fn event_ids_are_read_back() {
        assert_eq!(parse_event_id("7-3"), Some((7, Some(3))));
        assert_eq!(parse_event_id("7-start"), Some((7, None)));
        assert_eq!(parse_event_id("0"), Some((0, None)));
        // Nothing comes after the last of all indices, and asking for it does no harm.
        let outlet = Outlet::new(7);
        outlet.push(message(1), false);
        assert_eq!(read(&outlet, &mut outlet.read(Some(u64::MAX))), Poll::Pending);
        for wrong in ["", "x", "-", "7-", "7-x", "a-1"] {
            assert_eq!(parse_event_id(wrong), None, "{wrong:?}");
        }
    }
}
