//! MCP on a child's stdin and stdout. Lines that are no messages are kept for messages, and bounded; so is what waits
//! to be written to a server that does not read.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use child_processes::Kept;
use rmcp::RoleClient;
use rmcp::model::{
    ErrorCode, ErrorData, JsonRpcMessage, RequestId, ServerJsonRpcMessage, ServerNotification,
};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::Value;
use tokio::io::AsyncWriteExt as _;
use tokio::process::{ChildStdin, ChildStdout};
use tokio_util::sync::CancellationToken;

use super::lines::{LONGEST, Line, Lines};

/// What a server may print that is no message, before a message comes: past that it is not a server that logs to the
/// wrong stream but one that never stops.
pub const NONSENSE_BYTES: usize = 32 * 1024 * 1024;

/// Messages that wait for a server to read its stdin. A host asks for a handful; the rest answer what it asked.
const UNREAD_MESSAGES: usize = 256;

/// Why there will be no more messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PipeEnd {
    /// Its stdout was closed.
    Closed,
    Flood,
    Deaf,
}

/// What the transport and the rest of the host share.
#[derive(Debug, Default)]
pub struct Pipe {
    /// What it wrote to stderr.
    pub stderr: Kept,
    /// What it wrote to stdout that is no message.
    pub nonsense: Kept,
    /// Set as soon as the server says that its tools have changed; taken by who lists them.
    pub changed: AtomicBool,
    end: OnceLock<PipeEnd>,
    ended: CancellationToken,
    unread: AtomicUsize,
}

impl Pipe {
    /// Waits until there will be no more messages.
    pub async fn ended(&self) -> PipeEnd {
        self.ended.cancelled().await;
        *self.end.get().expect("it is set before it is told")
    }

    /// How it ended; closed, where it has not.
    pub fn how_ended(&self) -> PipeEnd {
        self.end.get().copied().unwrap_or(PipeEnd::Closed)
    }

    fn end(&self, end: PipeEnd) {
        let _ = self.end.set(end);
        self.ended.cancel();
    }
}

/// The transport that rmcp's client runs on.
#[derive(Debug)]
pub struct StdioTransport {
    lines: Lines<ChildStdout>,
    stdin: Arc<tokio::sync::Mutex<Option<ChildStdin>>>,
    pipe: Arc<Pipe>,
    /// Printed since the last message.
    nonsense: usize,
    /// The highest number of a request that was sent: an answer to a later one is made up.
    asked: Option<i64>,
    /// Ends a write to a server that does not read, so that stdin can be closed.
    closing: CancellationToken,
}

impl StdioTransport {
    pub fn new(stdin: ChildStdin, stdout: ChildStdout, pipe: Arc<Pipe>) -> Self {
        Self {
            lines: Lines::new(stdout),
            stdin: Arc::new(tokio::sync::Mutex::new(Some(stdin))),
            pipe,
            nonsense: 0,
            asked: None,
            closing: CancellationToken::new(),
        }
    }
}

impl Transport<RoleClient> for StdioTransport {
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        if let JsonRpcMessage::Request(request) = &item
            && let RequestId::Number(number) = request.id
        {
            self.asked = self.asked.max(Some(number));
        }
        let (stdin, closing) = (self.stdin.clone(), self.closing.clone());
        let (unread, pipe) = (Unread::one(self.pipe.clone()), self.pipe.clone());
        async move {
            let _unread = unread;
            let mut message = serde_json::to_vec(&item)?;
            message.push(b'\n');
            let mut stdin = stdin.lock().await;
            let Some(writer) = stdin.as_mut() else {
                return Err(io::ErrorKind::NotConnected.into());
            };
            let written = tokio::select! {
                written = writer.write_all(&message) => written,
                () = closing.cancelled() => Err(io::ErrorKind::NotConnected.into()),
                // Nobody would hear the answer.
                _ = pipe.ended() => Err(io::ErrorKind::NotConnected.into()),
            };
            if written.is_err() {
                // A message that was written in part must not be followed by another.
                stdin.take();
            }
            written
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        loop {
            let line = tokio::select! {
                line = self.lines.next() => line,
                _ = self.pipe.ended() => return None,
            };
            let length = match line {
                Line::Whole(line) => match understand(line) {
                    Understood::Message(message) if was_asked(&message, self.asked) => {
                        self.nonsense = 0;
                        if is_change(&message) {
                            self.pipe.changed.store(true, Ordering::Release);
                        }
                        return Some(*message);
                    }
                    Understood::Ignored => 0,
                    Understood::Message(_) | Understood::Nonsense => {
                        self.pipe.nonsense.push(line);
                        self.pipe.nonsense.push(b"\n");
                        line.len() + 1
                    }
                },
                Line::Dropped { bytes, head } => {
                    if let Some(id) = head.and_then(|head| answered(&head))
                        && Some(id) <= self.asked
                    {
                        return Some(too_large(id));
                    }
                    bytes
                }
                Line::End => {
                    self.pipe.end(PipeEnd::Closed);
                    return None;
                }
            };
            self.nonsense += length;
            if self.nonsense > NONSENSE_BYTES {
                self.pipe.end(PipeEnd::Flood);
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.closing.cancel();
        self.stdin.lock().await.take();
        Ok(())
    }
}

/// Counts one message that the server has not read.
struct Unread(Arc<Pipe>);

impl Unread {
    fn one(pipe: Arc<Pipe>) -> Self {
        if pipe.unread.fetch_add(1, Ordering::Relaxed) >= UNREAD_MESSAGES {
            pipe.end(PipeEnd::Deaf);
        }
        Self(pipe)
    }
}

impl Drop for Unread {
    fn drop(&mut self) {
        self.0.unread.fetch_sub(1, Ordering::Relaxed);
    }
}

enum Understood {
    Message(Box<ServerJsonRpcMessage>),
    /// Well-formed and of no use: an empty line, a notification of some other protocol.
    Ignored,
    Nonsense,
}

fn understand(line: &[u8]) -> Understood {
    let line = line.trim_ascii();
    let line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
    if line.is_empty() {
        return Understood::Ignored;
    }
    // Every message is an object: most nonsense is told by its first byte.
    if line[0] != b'{' {
        return Understood::Nonsense;
    }
    if let Ok(message) = serde_json::from_slice(line) {
        return Understood::Message(Box::new(message));
    }
    match serde_json::from_slice::<Value>(line) {
        Ok(other) if other.get("method").is_some() && other.get("id").is_none() => Understood::Ignored,
        _ => Understood::Nonsense,
    }
}

/// Tells whether a message is anything but an answer to what was never asked. In a handshake rmcp would take one for the
/// end of it.
fn was_asked(message: &ServerJsonRpcMessage, asked: Option<i64>) -> bool {
    let id = match message {
        JsonRpcMessage::Response(response) => Some(&response.id),
        JsonRpcMessage::Error(error) => error.id.as_ref(),
        _ => None,
    };
    match id {
        Some(RequestId::Number(number)) => Some(*number) <= asked,
        Some(RequestId::String(text)) => text.parse().is_ok_and(|number: i64| Some(number) <= asked),
        None => true,
    }
}

/// The number of the request that a line answers, as far as its head tells.
fn answered(head: &[u8]) -> Option<i64> {
    let head = String::from_utf8_lossy(head);
    if !head.trim_start().starts_with('{') || head.contains("\"method\"") {
        return None;
    }
    let after = head.split_once("\"id\"")?.1.trim_start().strip_prefix(':')?.trim_start();
    after.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// Stands in for an answer that was dropped, so that nobody waits for it.
fn too_large(id: i64) -> ServerJsonRpcMessage {
    let message = format!("the answer has more than {} MiB", LONGEST >> 20);
    let error = ErrorData::new(ErrorCode::INTERNAL_ERROR, message, None);
    ServerJsonRpcMessage::error(error, Some(RequestId::Number(id)))
}

fn is_change(message: &ServerJsonRpcMessage) -> bool {
    let JsonRpcMessage::Notification(notification) = message else { return false };
    matches!(notification.notification, ServerNotification::ToolListChangedNotification(_))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_dropped_line_answers_is_told_by_its_head() {
        assert_eq!(answered(br#"{"jsonrpc":"2.0","id":7,"result":{"content":"#), Some(7));
        assert_eq!(answered(br#"{ "id" : 12, "result": "#), Some(12));
        assert_eq!(answered(br#"{"jsonrpc":"2.0","method":"x","params":{"id":7"#), None);
        assert_eq!(answered(br#"{"jsonrpc":"2.0","id":"a","result":"#), None);
        assert_eq!(answered(b"\"id\":7"), None);
    }

    #[test]
    fn only_messages_are_messages() {
        let message = |line: &str| matches!(understand(line.as_bytes()), Understood::Message(_));
        let nonsense = |line: &str| matches!(understand(line.as_bytes()), Understood::Nonsense);
        assert!(message(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#));
        assert!(message("\u{feff}{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}"));
        for line in ["Server listening", "42", "[1]", "{}", "{\"a\":1}", "{\"jsonrpc\":\"2.0\"", "\u{1b}[2J"]
        {
            assert!(nonsense(line), "{line}");
        }
        assert!(matches!(understand(b"  "), Understood::Ignored));
    }
}
