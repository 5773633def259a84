//! When garbage is collected, and how much of it at a time.
//!
//! A collection goes on in small steps, one each time that so much was allocated; each counts as instructions. Only where
//! memory runs out, or where a program or a host asks for it, is it done in one go.

use serde::{Deserialize, Serialize};

use super::State;
use crate::heap::{Phase, Roots};
use crate::value::Value;

/// A collection begins when that much was allocated since the last one, and half as much as was left then: small
/// states are not searched again and again.
const COLLECT_GROWTH: usize = 256 * 1024;

/// The same where memory is almost full.
const SMALLEST_GROWTH: usize = 16 * 1024;

/// A step of a collection follows each time that so many bytes were allocated.
const STEP_GROWTH: usize = 32 * 1024;

/// How many values a step looks at: those in four times as many bytes as were allocated since the last one, so that a
/// collection ends long before as much was allocated as it has to look at. It takes some tens of microseconds.
const STEP_WORK: usize = 8 * 1024;

/// So many values are one instruction's worth of work.
const WORK_PER_INSTRUCTION: usize = 8;

/// States with less than this are collected while they wait for their host, which takes less than a millisecond: of many
/// states most wait, and should not hold the garbage of their beginning.
const SMALL: usize = 2 * 1024 * 1024;

/// How a state collects.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub struct Pace {
    /// The program has stopped collections: they happen only where memory runs out.
    stopped: bool,
    /// Everything is collected after every allocation.
    always: bool,
    /// A step of that much work follows every allocation.
    steps: Option<usize>,
}

impl State {
    /// Collects after every instruction that allocates: a test for natives and for the collector itself.
    pub fn collect_always(&mut self, on: bool) {
        self.pace.always = on;
        self.set_quota();
    }

    /// Does so much of a collection after every instruction that allocates, again and again: a test as well. One unit of
    /// work is about one value.
    pub fn collect_in_steps_of(&mut self, work: usize) {
        self.pace.steps = Some(work);
        self.set_quota();
    }

    /// Frees everything that the program cannot reach, in one go.
    pub fn collect(&mut self) {
        self.collect_below(self.used_slots());
    }

    /// The same from within a native: what its caller has in registers above the call is not used again.
    pub(crate) fn collect_in_native(&mut self) {
        self.collect_below(self.thread.top);
    }

    fn collect_below(&mut self, used: usize) {
        match self.heap.collection.phase {
            Phase::Idle => {}
            // What it has marked may have died since.
            Phase::Mark => self.heap.abandon_collection(&mut self.loaded),
            Phase::Sweep => self.sweep(usize::MAX),
        }
        self.begin_collection(used);
        self.finish_marking(used);
        self.sweep(usize::MAX);
        self.set_quota();
    }

    /// Goes on with a collection, or begins one.
    pub(super) fn collect_some(&mut self) {
        let account = &self.heap.account;
        if self.pace.always || account.used > account.limit {
            return self.collect();
        }
        let work = self.step_work();
        match self.heap.collection.phase {
            Phase::Idle => self.begin_collection(self.used_slots()),
            Phase::Mark => {
                let (done, more) = self.heap.mark_some(&mut self.loaded, work);
                self.count_work(done);
                if !more {
                    self.finish_marking(self.used_slots());
                }
            }
            Phase::Sweep => self.sweep(work),
        }
        self.set_quota();
    }

    /// The program waits for its host: garbage goes where that is soon done and worth it.
    pub(super) fn collect_while_waiting(&mut self, given: &[Value]) {
        let account = &self.heap.account;
        if account.used < SMALL && account.allocated > account.quota / 2 && !self.pace.stopped {
            // What it has left with is the host's, which has not seen it yet.
            let first = self.kept.len();
            self.kept.extend_from_slice(given);
            self.collect();
            self.kept.truncate(first);
        }
    }

    /// How much is done in one step: more where it would not be done in time otherwise.
    fn step_work(&self) -> usize {
        if let Some(work) = self.pace.steps {
            return work;
        }
        let values = self.heap.account.used / size_of::<Value>();
        let steps = self.room() / 2 / STEP_GROWTH;
        STEP_WORK.max(values / steps.max(1))
    }

    fn count_work(&mut self, work: usize) {
        self.budget = self.budget.saturating_sub((work / WORK_PER_INSTRUCTION) as u64);
    }

    fn begin_collection(&mut self, used: usize) {
        let values = self.root_values();
        let roots = Roots { values: &values, thread: &self.thread, used };
        let work = self.heap.begin_collection(&mut self.loaded, &roots);
        self.count_work(work);
    }

    /// Marks all that is left, which has to be done in one go.
    fn finish_marking(&mut self, used: usize) {
        // What lies above is left from calls that have returned.
        if let Some(above) = self.thread.stack.get_mut(used..) {
            above.fill(Value::Nil);
        }
        self.matchers.forget();
        let values = self.root_values();
        let roots = Roots { values: &values, thread: &self.thread, used };
        let work = self.heap.finish_marking(&mut self.loaded, &roots);
        self.count_work(work);
    }

    fn sweep(&mut self, work: usize) {
        let done = self.heap.sweep_some(&mut self.loaded, work);
        self.count_work(done);
    }

    /// What is kept besides the running coroutine.
    fn root_values(&self) -> Vec<Value> {
        let mut values = self.kept.clone();
        values.extend([Value::Table(self.globals), Value::Thread(self.main), Value::Thread(self.current)]);
        if let Some((outgoing, _)) = &self.outgoing {
            values.extend_from_slice(outgoing);
        }
        values
    }

    /// How many slots of the running coroutine may be read again.
    fn used_slots(&self) -> usize {
        let frame_end = self.thread.frames.last().map_or(0, |frame| {
            let registers =
                if frame.is_lua() { usize::from(self.proto(frame.loaded).head.registers) } else { 0 };
            frame.base as usize + registers
        });
        // Natives and open calls leave values above the registers.
        frame_end.max(self.thread.top).max(self.incoming.0 + self.incoming.1).min(self.thread.stack.len())
    }

    pub(crate) fn collects(&self) -> bool {
        !self.pace.stopped
    }

    pub(crate) fn set_collects(&mut self, on: bool) {
        self.pace.stopped = !on;
        self.set_quota();
    }

    /// Says how much may be allocated until the next collection, or the next step of one.
    pub(super) fn set_quota(&mut self) {
        let live = self.heap.account.used.saturating_sub(self.heap.spare());
        let account = &mut self.heap.account;
        account.allocated = 0;
        account.quota = if self.pace.always || self.pace.steps.is_some() {
            0
        } else if self.pace.stopped {
            usize::MAX
        } else if self.heap.collection.phase != Phase::Idle {
            STEP_GROWTH.min(account.limit.saturating_sub(account.used) / 2)
        } else {
            // Where memory is almost full, what is garbage has to be found before an allocation fails; but a collection for
            // each allocation would take all the time there is.
            let room = account.limit.saturating_sub(account.used);
            (live / 2 + COLLECT_GROWTH).min((room / 2).max(SMALLEST_GROWTH))
        };
    }
}
