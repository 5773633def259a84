//! How links end: limits, `bye`, and silence.

use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::{Instant, timeout};

use super::subject::{ALL, Step, Subject, ended};
use crate::report::{Check, Miss, ensure, not_applicable};
use crate::wire::Came;
use crate::wire::FRAME_BYTES;

/// A masked text frame of two bytes that no UTF-8 has.
const NOT_UTF8: [u8; 8] = [0x81, 0x82, 0, 0, 0, 0, 0xff, 0xfe];

/// A masked frame with an opcode that is not defined.
const NOT_WEBSOCKET: [u8; 6] = [0x8b, 0x80, 0, 0, 0, 0];

impl Subject {
    pub fn ending(&self) -> Vec<Step<'_>> {
        vec![
            ("B-END-1", Box::pin(self.too_large())),
            ("B-END-2", Box::pin(self.raw(&NOT_UTF8, 1007))),
            ("B-END-3", Box::pin(self.raw(&NOT_WEBSOCKET, 1002))),
            ("B-END-4", Box::pin(self.bye())),
            ("B-END-5", Box::pin(self.no_bye())),
        ]
    }

    /// What takes as long as the bridge's own clock.
    pub fn slow(&self) -> Vec<Step<'_>> {
        if self.slow {
            return vec![
                ("B-HELLO-9", Box::pin(self.no_hello())),
                ("B-END-6", Box::pin(self.pings())),
                ("B-END-7", Box::pin(self.silent())),
            ];
        }
        ["B-HELLO-9", "B-END-6", "B-END-7"].map(|id| (id, Box::pin(async { Err(takes_long()) }) as _)).into()
    }

    async fn too_large(&self) -> Check {
        let mut linked = self.link(ALL).await?;
        linked.wire.send(&json!({ "type": "fly", "data": "x".repeat(FRAME_BYTES) })).await;
        linked.wire.closed(1009, None).await
    }

    async fn raw(&self, bytes: &[u8], code: u16) -> Check {
        let mut linked = self.link(ALL).await?;
        let _ = linked.wire.raw().write_all(bytes).await;
        linked.wire.closed(code, None).await
    }

    async fn bye(&self) -> Check {
        let mut linked = self.link_with("bye").await?;
        let call = self.exec(&mut linked, "return 1", None).await;
        let call = match call {
            Err(Miss::NotApplicable(_)) => None,
            other => Some(other?),
        };
        if let Some((_, request)) = &call {
            linked.wire.answer(request, json!({ "returns": [], "output": "before the bye" })).await;
        }
        linked.wire.send(&json!({ "type": "bye" })).await;
        linked.wire.closed(1000, Some("bye")).await?;
        if let Some((calling, _)) = call {
            let called = ended(calling).await?;
            ensure(called.structured["output"] == "before the bye", "the answer before the bye", || {
                called.text.clone()
            })?;
        }
        Ok(())
    }

    async fn no_bye(&self) -> Check {
        let mut linked = self.link(&["cancel"]).await?;
        linked.wire.send(&json!({ "type": "bye" })).await;
        linked.is_alive().await
    }

    async fn pings(&self) -> Check {
        let mut linked = self.link_first().await?;
        for _ in 0..2 {
            let came = loop {
                match linked.wire.next_within(self.times.ping + self.times.patience).await {
                    Came::Frame(request) => linked.wire.answer(&request, json!("pong")).await,
                    other => break other,
                }
            };
            let expected = format!("a WebSocket ping within {} ms", self.times.ping.as_millis());
            ensure(matches!(came, Came::Ping), &expected, || came.to_string())?;
        }
        Ok(())
    }

    /// Says nothing, not even a pong: the connection is read below WebSocket.
    async fn silent(&self) -> Check {
        let started = Instant::now();
        let mut raw = self.link_first().await?.wire.into_raw();
        let mut bytes = Vec::new();
        let _ = timeout(self.times.silent + self.times.patience, raw.read_to_end(&mut bytes)).await;
        let waited = started.elapsed();
        let expected = format!("a close with 4001 `silent` after {} ms", self.times.silent.as_millis());
        let close = last_close(&bytes);
        let is_right = close.as_ref().is_some_and(|(code, reason)| *code == 4001 && reason == "silent");
        ensure(is_right && waited >= self.times.silent, &expected, || match close {
            Some((code, reason)) => format!("a close with {code} `{reason}` after {} ms", waited.as_millis()),
            None => format!("no close within {} ms", waited.as_millis()),
        })
    }
}

fn takes_long() -> Miss {
    not_applicable("takes up to 55 s: `--slow` checks it")
}

/// The close frame among what a server sent. Its frames are not masked.
fn last_close(mut bytes: &[u8]) -> Option<(u16, String)> {
    while let [first, length, rest @ ..] = bytes {
        let (length, rest) = match (length & 0x7f, rest) {
            (126, [high, low, rest @ ..]) => (usize::from(u16::from_be_bytes([*high, *low])), rest),
            (127, _) => return None,
            (short, rest) => (usize::from(short), rest),
        };
        let payload = rest.get(..length)?;
        if first & 0x0f == 8 {
            let [high, low, reason @ ..] = payload else { return None };
            return Some((u16::from_be_bytes([*high, *low]), String::from_utf8_lossy(reason).into_owned()));
        }
        bytes = &rest[length..];
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_close_is_found_behind_other_frames() {
        let mut bytes = vec![0x89, 0, 0x81, 2, b'h', b'i', 0x88, 8, 0x0f, 0xa1];
        bytes.extend(b"silent");
        assert_eq!(last_close(&bytes), Some((4001, "silent".into())));
        assert_eq!(last_close(&bytes[..6]), None);
    }
}
