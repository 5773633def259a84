//! Coroutines: which one runs, how they resume each other and leave.

use super::State;
use super::thread::{Frame, Ret, Status, Thread};
use crate::value::{ThreadId, Value};

/// How deep coroutines resume each other, as in Lua (`LUAI_MAXCCALLS`).
const MAX_NESTED: u32 = 200;

type Done = Result<(), Value>;

impl State {
    /// Makes another coroutine the running one.
    pub(super) fn switch_to(&mut self, next: ThreadId) {
        let running = std::mem::take(&mut self.thread);
        *self.heap.threads.get_mut(self.current.0) = running;
        self.thread = std::mem::take(self.heap.threads.get_mut(next.0));
        self.current = next;
        self.thread.status = Status::Running;
    }

    /// A coroutine, whether it runs or not.
    pub(crate) fn thread_of(&self, id: ThreadId) -> &Thread {
        if id == self.current { &self.thread } else { self.heap.threads.get(id.0) }
    }

    pub(crate) fn thread_of_mut(&mut self, id: ThreadId) -> &mut Thread {
        if id == self.current { &mut self.thread } else { self.heap.threads.get_mut(id.0) }
    }

    pub(crate) fn new_thread(&mut self, function: Value) -> Result<ThreadId, Value> {
        let thread = Thread::new(function, self.heap.next_serial());
        self.heap.thread(thread).map_err(|_| self.heap.out_of_memory())
    }

    /// Runs a coroutine with the last `count` values; its results go to `at` in the way of `ret`.
    pub(super) fn resume_thread(&mut self, id: ThreadId, count: usize, at: usize, ret: Ret) -> Done {
        let status = self.thread_of(id).status;
        let wrapped = self.thread_of(id).wrapped;
        let reason = match status {
            Status::New | Status::Suspended if self.nested >= MAX_NESTED => Some("C stack overflow"),
            Status::New | Status::Suspended => None,
            Status::Dead => Some("cannot resume dead coroutine"),
            Status::Running | Status::Normal => Some("cannot resume non-suspended coroutine"),
        };
        if let Some(reason) = reason {
            if wrapped {
                let mut text = self.position(1);
                text.extend_from_slice(reason.as_bytes());
                return Err(self.heap.message(&text));
            }
            self.native_at = None;
            let message = self.heap.message(reason.as_bytes());
            let top = self.thread.top;
            self.thread.stack[top] = Value::Bool(false);
            self.thread.stack[top + 1] = message;
            return self.deliver(at, ret, top, 2);
        }
        let first = self.thread.top - count;
        let values = self.thread.stack[first..first + count].to_vec();
        self.native_at = None;
        self.thread.pending = (super::call::as_slot(at), ret);
        self.thread.left_through = Some(super::call::as_slot(at));
        self.thread.status = Status::Normal;
        let resumer = self.current;
        self.nested += 1;
        self.switch_to(id);
        self.thread.resumer = Some(resumer);
        self.give(status == Status::New, &values)
    }

    /// Gives a coroutine that begins or goes on its values.
    pub(super) fn give(&mut self, begins: bool, values: &[Value]) -> Done {
        if begins {
            self.thread.top = 1;
            self.reserve(values.len())?;
            self.thread.stack[1..=values.len()].copy_from_slice(values);
            self.thread.top = 1 + values.len();
            // A frame below the function gets its results.
            self.starting = Some(values.len());
            return Ok(());
        }
        let (at, ret) = self.thread.pending;
        let first = self.thread.top.max(at as usize + 1);
        self.thread.top = first;
        self.reserve(values.len())?;
        self.thread.stack[first..first + values.len()].copy_from_slice(values);
        self.thread.top = first + values.len();
        self.deliver(at as usize, ret, first, values.len())
    }

    /// The running coroutine leaves with the last `count` values; what it is resumed with goes to `at`.
    pub(super) fn leave(&mut self, at: usize, ret: Ret, count: usize) -> Done {
        let first = self.thread.top - count;
        let values = self.thread.stack[first..first + count].to_vec();
        self.thread.pending = (super::call::as_slot(at), ret);
        self.thread.status = Status::Suspended;
        self.thread.top = first;
        self.hand_over(&values, true)
    }

    /// The function of the running coroutine has returned.
    pub(super) fn finish_thread(&mut self, first: usize, count: usize) -> Done {
        let values = self.thread.stack[first..first + count].to_vec();
        self.thread.status = Status::Dead;
        self.thread.frames = Vec::new();
        self.hand_over(&values, false)
    }

    /// Gives values to the coroutine that resumed this one, or to the host.
    fn hand_over(&mut self, values: &[Value], yielded: bool) -> Done {
        let wrapped = self.thread.wrapped;
        let Some(resumer) = self.thread.resumer.take() else {
            self.outgoing = Some((values.to_vec(), yielded));
            return Ok(());
        };
        self.nested = self.nested.saturating_sub(1);
        if !yielded {
            // Its memory goes now; what is left is a coroutine that has ended.
            let bytes = self.thread.bytes();
            self.thread.stack = Vec::new();
            self.heap.account.release(bytes.saturating_sub(self.thread.bytes()));
        }
        self.switch_to(resumer);
        let (at, ret) = self.thread.pending;
        let at = at as usize;
        let first = self.thread.top.max(at + 1);
        self.thread.top = first;
        self.reserve(values.len() + 1)?;
        let mut to = first;
        if !wrapped {
            self.thread.stack[to] = Value::Bool(true);
            to += 1;
        }
        self.thread.stack[to..to + values.len()].copy_from_slice(values);
        let end = to + values.len();
        self.thread.top = end;
        self.deliver(at, ret, first, end - first)
    }

    /// Frames of a coroutine, the innermost first, without those that only the machine knows.
    pub(crate) fn frames_of(thread: &Thread) -> impl Iterator<Item = (usize, &Frame)> {
        thread.frames.iter().enumerate().rev().filter(|(_, frame)| {
            !matches!(frame.cont, super::Cont::Handler { .. } | super::Cont::Concat { .. })
        })
    }
}
