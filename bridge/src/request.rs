//! A request on its way to a computer, as whoever waits for it holds it.

use std::sync::Arc;

use tokio::sync::{mpsc, oneshot};

use crate::computer::Computer;
use crate::link::frame::{Answer, RequestId};
use crate::link::note::Note;
use crate::printed::Printed;
use crate::text::Stranger;

/// A request on its way. Dropping it before the answer is there forgets it, and cancels a chunk of Lua.
#[derive(Debug)]
#[must_use]
pub struct Request {
    pub(crate) computer: Arc<Computer>,
    pub(crate) id: RequestId,
    pub(crate) answer: oneshot::Receiver<Answer>,
    pub(crate) notes: Option<mpsc::Receiver<Note>>,
    /// Of what runs Lua.
    pub(crate) printed: Option<Arc<Printed>>,
    pub(crate) ended: bool,
}

/// The link went away before the answer came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Disconnected;

impl Request {
    /// Waits for the answer. May be dropped and called again.
    pub async fn answer(&mut self) -> Result<Answer, Disconnected> {
        let answer = (&mut self.answer).await;
        self.ended = true;
        answer.map_err(|_| Disconnected)
    }

    /// Takes the stream of what is said while it runs, where it was asked for.
    pub fn take_notes(&mut self) -> Option<mpsc::Receiver<Note>> {
        self.notes.take()
    }

    /// Puts the stream of what is said back, for whoever goes on with the call.
    pub fn put_notes(&mut self, notes: Option<mpsc::Receiver<Note>>) {
        self.notes = notes;
    }

    pub fn id(&self) -> RequestId {
        self.id
    }

    /// What has been printed so far, as far as it was kept.
    pub fn printed(&self) -> Option<Stranger> {
        self.printed.as_ref()?.text()
    }

    /// Stops waiting, and cancels what runs, before it is dropped.
    pub fn cancel(&mut self) {
        if !std::mem::replace(&mut self.ended, true) {
            self.computer.forget(self.id, self.printed.is_some());
        }
    }
}

impl Drop for Request {
    fn drop(&mut self) {
        self.cancel();
    }
}
