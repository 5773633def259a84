//! Running a program line by line: what breakpoints and steps of a debugger rest on.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::native::Host;
use super::state::{Run, State};
use crate::value::ThreadId;

/// A line that is about to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The name that the chunk was loaded with.
    pub source: Arc<[u8]>,
    pub line: u32,
    /// The coroutine, and how many functions run in it: a step over a call waits for the same or a smaller number.
    pub thread: ThreadId,
    pub depth: usize,
}

/// How a watched run ended.
#[derive(Debug, Clone)]
pub enum Watched {
    Ran(Run),
    /// Before this line, which has not run yet.
    Stopped(Place),
}

/// The instruction that was looked at last.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub struct Watch {
    thread: Option<ThreadId>,
    depth: usize,
    pc: u32,
    /// The program was stopped before it: it is not asked for again.
    stopped: bool,
}

impl State {
    /// Runs at most that many instructions, and stops before a line for which `stop` says so. The next run goes on with
    /// that line. It is much slower than [`State::run`].
    pub fn run_watched(
        &mut self,
        host: &mut dyn Host,
        instructions: u64,
        stop: &mut dyn FnMut(&Place) -> bool,
    ) -> Watched {
        for _ in 0..instructions {
            if let Some(place) = self.new_line()
                && stop(&place)
            {
                self.watch.stopped = true;
                return Watched::Stopped(place);
            }
            self.budget = 1;
            if let Some(ended) = self.turn(host) {
                return Watched::Ran(ended);
            }
        }
        Watched::Ran(Run::OutOfBudget)
    }

    /// The line that begins with the next instruction, where one does.
    fn new_line(&mut self) -> Option<Place> {
        if self.is_between() {
            return None;
        }
        let frame = self.thread.frames.last().filter(|frame| frame.is_lua())?;
        let (depth, pc) = (self.thread.frames.len(), frame.pc);
        let proto = self.proto(frame.loaded);
        let line = proto.lines()[pc as usize];
        let last = self.watch;
        let is_new = if last.thread == Some(self.current) && last.depth == depth && pc > 0 {
            let before = proto.lines().get(last.pc as usize);
            pc <= last.pc || before != Some(&line)
        } else {
            // A call has begun or returned: the rest of a line is not a new one.
            pc == 0 || proto.lines()[pc as usize - 1] != line
        };
        let is_new = is_new && !(last.stopped && last.depth == depth && last.pc == pc);
        let source = proto.name.source.clone();
        self.watch = Watch { thread: Some(self.current), depth, pc, stopped: false };
        is_new.then_some(Place { source, line, thread: self.current, depth })
    }
}
