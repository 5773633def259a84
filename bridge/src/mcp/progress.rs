//! What a client hears while a chunk of Lua runs: its output, and a sign of life when there is none.

use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::Peer;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until, timeout};

use crate::link::note::Note;

/// How long the result waits for the last piece of progress to be taken. A client that does not read does not
/// hold up its own result for longer.
const LAST_PIECE: Duration = Duration::from_secs(1);

/// Sends progress from a task of its own, so that a client that does not read delays no deadline.
#[derive(Debug)]
pub struct Progress {
    task: JoinHandle<()>,
    stop: Option<oneshot::Sender<()>>,
}

impl Progress {
    pub fn start(
        peer: Peer<RoleServer>,
        token: ProgressToken,
        notes: mpsc::Receiver<Note>,
        every: Duration,
        who: String,
    ) -> Self {
        let (stop, stopped) = oneshot::channel();
        let task = tokio::spawn(tell(peer, token, notes, every, who, stopped));
        Self { task, stop: Some(stop) }
    }

    /// Lets what has come so far go out: nothing may follow the result.
    pub async fn finish(mut self) {
        drop(self.stop.take());
        let _ = timeout(LAST_PIECE, &mut self.task).await;
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn tell(
    peer: Peer<RoleServer>,
    token: ProgressToken,
    mut notes: mpsc::Receiver<Note>,
    every: Duration,
    who: String,
    mut stopped: oneshot::Receiver<()>,
) {
    let started = Instant::now();
    let mut sign = started + every;
    let mut count = 0.0;
    loop {
        let message = tokio::select! {
            biased;
            Some(Note::Output(text)) = notes.recv() => text.printed(),
            _ = &mut stopped => return,
            () = sleep_until(sign) => format!("still running on {who} after {} s", started.elapsed().as_secs()),
        };
        count += 1.0;
        let note = ProgressNotificationParam::new(token.clone(), count).with_message(message);
        if peer.notify_progress(note).await.is_err() {
            return;
        }
        sign = Instant::now() + every;
    }
}
