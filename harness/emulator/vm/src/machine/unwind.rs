//! Errors: from where they are raised to what catches them.

use super::call::as_slot;
use super::native::Host;
use super::thread::{Ret, Status};
use super::{Cont, State};
use crate::value::Value;

/// How often an error handler that fails is called for its own error.
const MAX_HANDLER_DEPTH: u32 = 10;

/// What is nearest to catch an error in the running coroutine.
enum Catcher {
    Pcall(usize),
    Xpcall(usize, Value),
    /// `load`, which gives an error of its reader as its result.
    Load(usize),
    /// The error came from a handler.
    Handler {
        catcher: usize,
        depth: u32,
    },
    None,
}

/// How an error that no frame caught ended its coroutine.
enum Ended {
    /// There is nobody to tell.
    State,
    /// `coroutine.resume` has it as its result.
    Delivered(Result<(), Value>),
    /// It is raised again in the coroutine that resumed this one.
    Raise(Value),
}

impl State {
    fn catcher(&self) -> Catcher {
        for (index, frame) in self.thread.frames.iter().enumerate().rev() {
            match self.thread.cont(frame) {
                Some(Cont::Pcall) => return Catcher::Pcall(index),
                Some(Cont::Xpcall) => {
                    return Catcher::Xpcall(index, self.thread.stack[frame.base as usize]);
                }
                Some(Cont::Load(_)) => return Catcher::Load(index),
                Some(Cont::Handler { catcher, depth }) => {
                    return Catcher::Handler { catcher: *catcher as usize, depth: *depth };
                }
                _ => {}
            }
        }
        Catcher::None
    }

    /// Gives an error to what catches it. An error means that nothing does: the state has ended.
    pub(super) fn throw(&mut self, host: &mut dyn Host, error: Value) -> Result<(), Value> {
        let mut error = error;
        loop {
            let catcher = self.catcher();
            match self.native_at.take() {
                Some(at) if !matches!(catcher, Catcher::Pcall(_) | Catcher::Load(_)) => self.show_native(at),
                _ => {}
            }
            let hopeless = std::mem::take(&mut self.hopeless);
            match catcher {
                // One handler for each that fails in turn would take for ever.
                Catcher::Xpcall(index, _) | Catcher::Handler { catcher: index, .. } if hopeless => {
                    let message = self.heap.message(b"error in error handling");
                    return self.catch(index, Value::Bool(false), message);
                }
                Catcher::Pcall(index) => return self.catch(index, Value::Bool(false), error),
                Catcher::Load(index) => return self.catch(index, Value::Nil, error),
                Catcher::Xpcall(index, handler) => match self.handle(host, index, handler, 0, error) {
                    Ok(()) => return Ok(()),
                    Err(another) => error = another,
                },
                Catcher::Handler { catcher, depth } => {
                    let handler = self.thread.stack[self.thread.frames[catcher].base as usize];
                    if depth >= MAX_HANDLER_DEPTH || handler.is_nil() {
                        let message = self.heap.message(b"error in error handling");
                        return self.catch(catcher, Value::Bool(false), message);
                    }
                    match self.handle(host, catcher, handler, depth + 1, error) {
                        Ok(()) => return Ok(()),
                        Err(another) => error = another,
                    }
                }
                Catcher::None => match self.end_with_error(error) {
                    Ended::State => return Err(error),
                    Ended::Delivered(result) => match result {
                        Ok(()) => return Ok(()),
                        Err(another) => error = another,
                    },
                    Ended::Raise(another) => error = another,
                },
            }
        }
    }

    /// Gives the native that has raised an error a frame, so that it is seen where the error came from.
    fn show_native(&mut self, at: usize) {
        self.push_native_anyway(at, Cont::Raised);
    }

    /// Ends the protected call whose frame has that index with an error, after `first`.
    fn catch(&mut self, index: usize, first: Value, error: Value) -> Result<(), Value> {
        let frame = self.thread.frames[index];
        self.thread.truncate(index);
        let freed = self.thread.shrink();
        self.heap.account.release(freed);
        self.forget_hook();
        let at = frame.function as usize;
        // There is room: the protected call had more than two slots above its function.
        self.thread.stack[at + 1] = first;
        self.thread.stack[at + 2] = error;
        self.thread.top = at + 3;
        self.native_ends(at, frame.ret, at + 1, 2)
    }

    /// Calls an error handler where the error was raised, so that it can look at the frames.
    fn handle(
        &mut self,
        host: &mut dyn Host,
        catcher: usize,
        handler: Value,
        depth: u32,
        error: Value,
    ) -> Result<(), Value> {
        let top = self.thread.frames.last().map_or(0, |frame| frame.base as usize);
        self.top_above_registers();
        self.thread.top = self.thread.top.max(top);
        let at = self.thread.top;
        let cont = Cont::Handler { catcher: as_slot(catcher), depth };
        // Depth is counted by the marker itself, so it has to be there before anything can fail.
        self.push_native_anyway(at, cont);
        self.reserve(3)?;
        self.thread.stack[at] = Value::Nil;
        self.thread.stack[at + 1] = handler;
        self.thread.stack[at + 2] = error;
        self.thread.top = at + 3;
        self.call(host, at + 1, 1, Ret::Native)
    }

    /// An error handler has returned: the protected call ends with what it gave.
    pub(super) fn handled(&mut self, catcher: usize, first: usize, count: usize) -> Result<(), Value> {
        let value = if count > 0 { self.thread.stack[first] } else { Value::Nil };
        self.catch(catcher, Value::Bool(false), value)
    }

    /// The running coroutine ends with an error.
    fn end_with_error(&mut self, error: Value) -> Ended {
        self.forget_hook();
        self.thread.status = Status::Dead;
        let Some(resumer) = self.thread.resumer.take() else { return Ended::State };
        self.nested = self.nested.saturating_sub(1);
        let wrapped = self.thread.wrapped;
        self.switch_to(resumer);
        let (at, ret) = self.thread.pending;
        if wrapped {
            self.native_at = Some(at as usize);
            // The position of who resumed it is put before, as in Lua 5.2.
            let mut text = self.position(1);
            if let Value::String(message) = error
                && !text.is_empty()
            {
                text.extend_from_slice(self.heap.bytes(message));
                return Ended::Raise(self.heap.message(&text));
            }
            return Ended::Raise(error);
        }
        let at = at as usize;
        self.thread.stack[at + 1] = Value::Bool(false);
        self.thread.stack[at + 2] = error;
        self.thread.top = at + 3;
        Ended::Delivered(self.deliver(at, ret, at + 1, 2))
    }
}
