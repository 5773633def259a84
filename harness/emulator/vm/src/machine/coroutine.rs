//! Coroutines: which one runs, how they resume each other and leave.

use super::State;
use super::thread::{Frame, Ret, Status, Thread};
use crate::value::{ThreadId, Value};

/// How deep coroutines resume each other, as in Lua (`LUAI_MAXCCALLS`).
const MAX_NESTED: u32 = 200;

const NOT_RUNNING: &str = "every coroutine but the one that runs is in the heap";

type Done = Result<(), Value>;

impl State {
    /// Makes another coroutine the running one.
    pub(super) fn switch_to(&mut self, next: ThreadId) {
        let thread = self.heap.threads.get_mut(next.0).take().expect(NOT_RUNNING);
        let before = std::mem::replace(&mut self.thread, thread);
        *self.heap.threads.get_mut(self.current.0) = Some(before);
        self.current = next;
        self.thread.status = Status::Running;
    }

    /// A coroutine, whether it runs or not.
    pub(crate) fn thread_of(&self, id: ThreadId) -> &Thread {
        if id == self.current {
            &self.thread
        } else {
            self.heap.threads.get(id.0).as_deref().expect(NOT_RUNNING)
        }
    }

    pub(crate) fn thread_of_mut(&mut self, id: ThreadId) -> &mut Thread {
        if id == self.current {
            &mut self.thread
        } else {
            self.heap.threads.get_mut(id.0).as_deref_mut().expect(NOT_RUNNING)
        }
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
        self.fill_stack(id)?;
        let first = self.thread.top - count;
        self.native_at = None;
        self.thread.pending = (super::call::as_slot(at), ret);
        self.thread.left_through = Some(super::call::as_slot(at));
        self.thread.status = Status::Normal;
        let resumer = self.current;
        self.nested += 1;
        self.switch_to(id);
        self.thread.resumer = Some(resumer);
        self.resumptions += 1;
        self.thread.resumed = self.resumptions;
        let to = self.receive(status == Status::New, count)?;
        let from = &self.heap.threads.get(resumer.0).as_deref().expect(NOT_RUNNING).stack;
        let from = &from[first..first + count];
        self.thread.stack[to..to + count].copy_from_slice(from);
        self.go_on_with(status == Status::New, to, count)
    }

    /// Gives a coroutine that is about to go on the slots that it gave back while it waited.
    pub(super) fn fill_stack(&mut self, id: ThreadId) -> Done {
        let missing = self.thread_of(id).trimmed();
        self.heap.account.charge_growth(missing).map_err(|_| self.heap.out_of_memory())?;
        self.thread_of_mut(id).fill();
        Ok(())
    }

    /// Gives the running coroutine, which begins or goes on, values of the host.
    pub(super) fn give(&mut self, begins: bool, values: &[Value]) -> Done {
        let to = self.receive(begins, values.len())?;
        self.thread.stack[to..to + values.len()].copy_from_slice(values);
        self.go_on_with(begins, to, values.len())
    }

    /// Makes room for the values that a coroutine is given; tells where they go.
    fn receive(&mut self, begins: bool, count: usize) -> Result<usize, Value> {
        let to = if begins { 1 } else { self.thread.top.max(self.thread.pending.0 as usize + 1) };
        self.thread.top = to;
        self.reserve(count)?;
        self.thread.top = to + count;
        Ok(to)
    }

    /// A coroutine begins or goes on with values that are on its stack.
    fn go_on_with(&mut self, begins: bool, first: usize, count: usize) -> Done {
        if begins {
            self.starting = Some(count);
            return Ok(());
        }
        let (at, ret) = self.thread.pending;
        self.deliver(at as usize, ret, first, count)
    }

    /// The running coroutine leaves with the last `count` values; what it is resumed with goes to `at`.
    pub(super) fn leave(&mut self, at: usize, ret: Ret, count: usize) -> Done {
        let first = self.thread.top - count;
        self.thread.pending = (super::call::as_slot(at), ret);
        self.thread.status = Status::Suspended;
        self.thread.top = first;
        self.hand_over(first, count, true)
    }

    /// The function of the running coroutine has returned.
    pub(super) fn finish_thread(&mut self, first: usize, count: usize) -> Done {
        self.thread.status = Status::Dead;
        self.hand_over(first, count, false)
    }

    /// Gives values to the coroutine that resumed this one, or to the host.
    fn hand_over(&mut self, from: usize, count: usize, yielded: bool) -> Done {
        let wrapped = self.thread.wrapped;
        let Some(resumer) = self.thread.resumer.take() else {
            let values = self.thread.stack[from..from + count].to_vec();
            if !yielded {
                self.free_thread(self.current);
            }
            self.outgoing = Some((values, yielded));
            return Ok(());
        };
        self.nested = self.nested.saturating_sub(1);
        let left = self.current;
        self.switch_to(resumer);
        let (at, ret) = self.thread.pending;
        let at = at as usize;
        let first = self.thread.top.max(at + 1);
        self.thread.top = first;
        self.reserve(count + 1)?;
        let mut to = first;
        if !wrapped {
            self.thread.stack[to] = Value::Bool(true);
            to += 1;
        }
        let values = &self.heap.threads.get(left.0).as_deref().expect(NOT_RUNNING).stack;
        let values = &values[from..from + count];
        self.thread.stack[to..to + count].copy_from_slice(values);
        let end = to + count;
        self.thread.top = end;
        if !yielded {
            self.free_thread(left);
        }
        self.deliver(at, ret, first, end - first)
    }

    /// Frees the memory of a coroutine that has ended.
    fn free_thread(&mut self, id: ThreadId) {
        let thread = self.thread_of_mut(id);
        let bytes = thread.bytes();
        thread.stack = Vec::new();
        thread.frames = Vec::new();
        thread.conts = Vec::new();
        let freed = bytes - thread.bytes();
        self.heap.account.release(freed);
    }

    /// Frames of a coroutine, the innermost first, without those that only the machine knows.
    pub(crate) fn frames_of(thread: &Thread) -> impl Iterator<Item = (usize, &Frame)> {
        thread.frames.iter().enumerate().rev().filter(|(_, frame)| {
            !matches!(thread.cont(frame), Some(super::Cont::Handler { .. } | super::Cont::Concat { .. }))
        })
    }
}
