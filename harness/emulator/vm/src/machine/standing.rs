//! Where a program that waits stands: a line of the chunk that somebody asks about.

use std::sync::Arc;

use super::State;
use super::thread::{Status, Thread};

/// A line at which a coroutine waits for what it called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// The name that the chunk was loaded with.
    pub source: Arc<[u8]>,
    pub line: u32,
}

impl State {
    /// The innermost line of a wanted chunk, in the coroutine that was resumed last of those that are in such a chunk. For
    /// a program that waits: one that runs stands nowhere.
    pub fn standing(&self, wanted: &dyn Fn(&[u8]) -> bool) -> Option<Standing> {
        if !self.is_waiting() {
            return None;
        }
        let others = self.heap.threads.iter_used().filter_map(|(_, thread)| thread.as_deref());
        let waiting = others.filter(|thread| thread.status == Status::Suspended);
        let all = waiting.chain(std::iter::once(&*self.thread));
        let found = all.filter_map(|thread| Some((thread.resumed, self.standing_in(thread, wanted)?)));
        found.max_by_key(|(resumed, _)| *resumed).map(|(_, standing)| standing)
    }

    fn standing_in(&self, thread: &Thread, wanted: &dyn Fn(&[u8]) -> bool) -> Option<Standing> {
        Self::frames_of(thread).filter(|(_, frame)| frame.is_lua()).find_map(|(index, frame)| {
            let proto = self.proto(frame.loaded);
            let pc = Self::current_pc(thread, index) as usize;
            let line = *proto.lines().get(pc)?;
            wanted(&proto.name.source).then(|| Standing { source: proto.name.source.clone(), line })
        })
    }
}
