//! Calls begin, results arrive.

use super::native::{Call, Host, Outcome};
use super::thread::{Frame, Grow, HANDLER_FRAMES, HookEvent, MAX_FRAMES, Ret, Thread, WINDOW};
use super::{Cont, NO_CLOSURE, State};
use crate::heap::Event;
use crate::library as lib;
use crate::value::{NativeId, Value};

/// How often a value that is called may be answered for by `__call` of another.
const MAX_CALL_CHAIN: usize = 100;

/// How deep natives that wait for what they called are in each other, about as in CraftOS-PC: there it is what the
/// stack of the process holds, here a result that grows with each level must not take the square of the time.
const MAX_NATIVES: usize = 990;
/// How much deeper an error handler may go.
const HANDLER_NATIVES: usize = 100;
/// One instruction's worth of values that are copied.
const VALUES_PER_STEP: usize = 32;

type Done = Result<(), Value>;

impl State {
    /// Makes room for so many values above the top.
    #[inline]
    pub(crate) fn reserve(&mut self, count: usize) -> Done {
        let needed = self.thread.top + count + WINDOW;
        if needed <= self.thread.stack.len() { Ok(()) } else { self.grow_stack(needed) }
    }

    #[cold]
    pub(super) fn grow_stack(&mut self, slots: usize) -> Done {
        match self.thread.missing(slots) {
            Ok(0) => Ok(()),
            Ok(size) => {
                let more = size - self.thread.stack.len();
                if self.heap.account.charge_growth(more * size_of::<Value>()).is_err() {
                    return Err(self.heap.out_of_memory());
                }
                self.thread.stack.reserve_exact(more);
                self.thread.stack.resize(size, Value::Nil);
                Ok(())
            }
            Err(Grow::Memory) => Err(self.heap.out_of_memory()),
            Err(Grow::Overflow) => Err(self.overflow()),
        }
    }

    /// The error of a stack that is full. A handler of errors has some room above; when that is full too, nothing more is tried.
    fn overflow(&mut self) -> Value {
        self.hopeless = self.thread.is_handling();
        if self.hopeless {
            self.heap.message(b"error in error handling")
        } else {
            self.runtime_error("stack overflow")
        }
    }

    /// Collects where a call would run out of memory for its slots or its frame. All that it uses is on the stack.
    #[cold]
    fn make_room(&mut self, slots: usize) {
        let slots = self.thread.missing(slots).unwrap_or(0).saturating_sub(self.thread.stack.len());
        let Thread { frames, conts, .. } = &*self.thread;
        let frames = frames.len().max(8) * size_of::<Frame>() + conts.len().max(4) * size_of::<Cont>();
        if self.room() < slots * size_of::<Value>() + frames {
            self.collect();
        }
    }

    #[inline]
    pub(crate) fn push(&mut self, value: Value) -> Done {
        self.reserve(1)?;
        let top = self.thread.top;
        self.thread.stack[top] = value;
        self.thread.top = top + 1;
        Ok(())
    }

    pub(super) fn push_frame(&mut self, frame: Frame) -> Done {
        let frames = &self.thread.frames;
        if frames.len() >= frames.capacity().min(MAX_FRAMES) {
            self.grow_frames()?;
        }
        self.thread.frames.push(frame);
        Ok(())
    }

    #[cold]
    fn grow_frames(&mut self) -> Done {
        let depth = self.thread.frames.len();
        if depth >= MAX_FRAMES && (depth >= MAX_FRAMES + HANDLER_FRAMES || !self.thread.is_handling()) {
            return Err(self.overflow());
        }
        let frames = &mut self.thread.frames;
        if frames.len() == frames.capacity() {
            let more = frames.len().max(8);
            if self.heap.account.charge_growth(more * size_of::<Frame>()).is_err() {
                return Err(self.heap.out_of_memory());
            }
            frames.reserve_exact(more);
        }
        Ok(())
    }

    /// Gives a native a frame: it holds so many values above its base, and goes on in that way.
    pub(super) fn push_native(&mut self, at: usize, ret: Ret, held: usize, cont: Cont) -> Done {
        if self.thread.conts.len() >= MAX_NATIVES {
            self.check_natives()?;
        }
        let conts = &mut self.thread.conts;
        if conts.len() == conts.capacity() {
            let more = conts.len().max(4);
            if self.heap.account.charge_growth(more * size_of::<Cont>()).is_err() {
                return Err(self.heap.out_of_memory());
            }
            conts.reserve_exact(more);
        }
        let pc = as_slot(conts.len());
        self.push_frame(Frame { pc, varargs: as_slot(held), ..native_frame(at, ret) })?;
        self.thread.conts.push(cont);
        Ok(())
    }

    /// Whether natives are too deep in each other.
    #[cold]
    fn check_natives(&mut self) -> Done {
        let conts = &self.thread.conts;
        let handling = self.thread.is_handling();
        let hopeless = handling && conts.len() >= MAX_NATIVES + HANDLER_NATIVES;
        if handling && !hopeless {
            return Ok(());
        }
        self.hopeless = hopeless;
        Err(self.heap.message(b"C stack overflow"))
    }

    /// Counts values that are copied from one function to another, where they are many.
    #[inline]
    pub(super) fn count_values(&mut self, count: usize) {
        if count > VALUES_PER_STEP {
            self.budget = self.budget.saturating_sub((count / VALUES_PER_STEP) as u64);
        }
    }

    /// The same whatever the limits say, where an error could not be told of otherwise.
    pub(super) fn push_native_anyway(&mut self, at: usize, cont: Cont) {
        let before = self.thread.bytes();
        let pc = as_slot(self.thread.conts.len());
        self.thread.frames.push(Frame { pc, ..native_frame(at, Ret::Discard) });
        self.thread.conts.push(cont);
        self.heap.account.used += self.thread.bytes() - before;
    }

    /// Sets the top above the registers of the running function, so that something can be called from within one of
    /// its instructions.
    pub(super) fn top_above_registers(&mut self) {
        let frame = self.thread.frame();
        if frame.is_lua() {
            let registers = self.proto(frame.loaded).head.registers;
            self.thread.top = frame.base as usize + usize::from(registers);
        }
    }

    /// Calls a function with arguments from within an instruction.
    pub(super) fn call_with(
        &mut self,
        host: &mut dyn Host,
        function: Value,
        arguments: &[Value],
        ret: Ret,
    ) -> Done {
        self.top_above_registers();
        let at = self.thread.top;
        self.reserve(arguments.len() + 1)?;
        self.thread.stack[at] = function;
        self.thread.stack[at + 1..=at + arguments.len()].copy_from_slice(arguments);
        self.thread.top = at + 1 + arguments.len();
        self.call(host, at, arguments.len(), ret)
    }

    /// Calls what lies in a slot, with the arguments above it.
    pub(super) fn call(&mut self, host: &mut dyn Host, at: usize, count: usize, ret: Ret) -> Done {
        let mut count = count;
        for _ in 0..MAX_CALL_CHAIN {
            match self.thread.stack[at] {
                Value::Closure(id) => return self.enter(id.0, at, count, ret),
                Value::Native(native) => return self.call_native(host, native, at, count, ret),
                Value::Bound(id) => {
                    let native = self.heap.bounds.get(id.0).native;
                    return self.call_native(host, native, at, count, ret);
                }
                other => {
                    let handler = self.heap.handler(other, Event::Call);
                    if handler.is_nil() {
                        return Err(self.operand_error("call", other, Some(at)));
                    }
                    self.thread.top = at + 1 + count;
                    self.reserve(1)?;
                    self.thread.stack.copy_within(at..=at + count, at + 1);
                    self.thread.stack[at] = handler;
                    count += 1;
                }
            }
        }
        Err(self.runtime_error("stack overflow"))
    }

    /// Begins a Lua function.
    fn enter(&mut self, closure: u32, at: usize, count: usize, ret: Ret) -> Done {
        self.count_values(count);
        let loaded = self.heap.closures.get(closure).loaded;
        if !self.loaded.get(loaded).is_ready() {
            self.thread.top = at + 1 + count;
            self.make_ready(loaded)?;
        }
        let head = self.proto(loaded).head;
        let (parameters, is_vararg) = (usize::from(head.parameters), head.is_vararg);
        let mut base = at + 1;
        let needed = base + count + parameters + WINDOW;
        if needed > self.thread.stack.len() {
            self.thread.top = at + 1 + count;
            self.make_room(needed);
            self.grow_stack(needed)?;
        } else if self.thread.frames.len() == self.thread.frames.capacity() {
            self.thread.top = at + 1 + count;
            self.make_room(0);
        }
        let stack = &mut self.thread.stack;
        if count < parameters {
            stack[base + count..base + parameters].fill(Value::Nil);
        }
        let mut varargs = 0;
        if is_vararg {
            let given = count.max(parameters);
            varargs = given - parameters;
            // The parameters move above the other arguments.
            let from = base;
            base += given;
            stack.copy_within(from..from + parameters, base);
            // What is left of them would keep objects alive.
            stack[from..from + parameters].fill(Value::Nil);
        }
        self.push_frame(Frame {
            base: as_slot(base),
            function: as_slot(at),
            pc: 0,
            loaded,
            closure,
            varargs: as_slot(varargs),
            ret,
            tail: false,
        })?;
        self.hook_call();
        Ok(())
    }

    /// Begins a native.
    fn call_native(
        &mut self,
        host: &mut dyn Host,
        native: NativeId,
        at: usize,
        count: usize,
        ret: Ret,
    ) -> Done {
        if self.thread.hook.call && self.thread.hook.running.is_none() {
            self.thread.top = at + 1 + count;
            self.push_native(at, ret, count, Cont::Enter { native })?;
            self.hook_call();
            return Ok(());
        }
        self.run_native(host, native, at, count, ret)
    }

    /// Runs a native, and again after a collection when memory ran out and it had done nothing yet.
    fn run_native(
        &mut self,
        host: &mut dyn Host,
        native: NativeId,
        at: usize,
        count: usize,
        ret: Ret,
    ) -> Done {
        // An error leaves it there, so that the native is seen in a traceback.
        self.native_at = Some(at);
        self.thread.top = at + 1 + count;
        let needed = self.thread.top + lib::SPARE_SLOTS + WINDOW;
        let Thread { stack, conts, .. } = &*self.thread;
        if needed > stack.len() || conts.len() == conts.capacity() {
            self.make_room(needed);
        }
        self.reserve(lib::SPARE_SLOTS)?;
        let outcome = if let Some(function) = lib::native(native) {
            let mut call = Call { state: self, function: at, count };
            match function(&mut call) {
                Err(error) if self.is_memory_error(error) => {
                    self.thread.top = at + 1 + count;
                    self.collect();
                    self.reserve(lib::SPARE_SLOTS)?;
                    function(&mut Call { state: self, function: at, count })
                }
                other => other,
            }
        } else {
            let number = native.0 - lib::count();
            host.call(number, &mut Call { state: self, function: at, count }, None)
        };
        let outcome = outcome?;
        self.native_at = None;
        self.settle(host, outcome, native, at, ret)
    }

    /// A native has ended with values that go to `at` in the way of `ret`.
    #[inline]
    pub(super) fn native_ends(&mut self, at: usize, ret: Ret, first: usize, count: usize) -> Done {
        if !self.thread.hook.ret || self.thread.hook.running.is_some() {
            return self.deliver(at, ret, first, count);
        }
        self.thread.top = first + count;
        self.reserve(0)?;
        let cont = Cont::Leave { first: as_slot(first), count: as_slot(count) };
        self.push_native(at, ret, 0, cont)?;
        self.hook_event = Some(HookEvent::Return);
        Ok(())
    }

    /// Does what a native ended with.
    pub(super) fn settle(
        &mut self,
        host: &mut dyn Host,
        outcome: Outcome,
        native: NativeId,
        at: usize,
        ret: Ret,
    ) -> Done {
        match outcome {
            Outcome::One(value) => {
                if let Ret::Call(1) = ret
                    && !self.thread.hook.ret
                {
                    self.thread.stack[at] = value;
                    return Ok(());
                }
                let top = self.thread.top;
                self.thread.stack[top] = value;
                self.native_ends(at, ret, top, 1)
            }
            Outcome::Return(count) => {
                let first = self.thread.top - count;
                self.native_ends(at, ret, first, count)
            }
            Outcome::Call(count, cont) => {
                let called = self.thread.top - count - 1;
                self.push_native(at, ret, called - at - 1, cont)?;
                self.call(host, called, count, Ret::Native)
            }
            Outcome::TailCall(count) => {
                let called = self.thread.top - count - 1;
                self.thread.stack.copy_within(called..=called + count, at);
                self.thread.top = at + 1 + count;
                self.call(host, at, count, ret)
            }
            Outcome::Yield(count) => {
                self.thread.left_through = Some(as_slot(at));
                self.leave(at, ret, count)
            }
            Outcome::Wait(count, number) => {
                self.push_native(at, ret, 0, Cont::Host { native, number })?;
                self.thread.left_through = None;
                self.leave(at + 1, Ret::Native, count)
            }
            Outcome::Resume(thread, count) => {
                // For the position in an error.
                self.native_at = Some(at);
                self.resume_thread(thread, count, at, ret)
            }
            Outcome::Again(cont) => {
                let held = self.thread.top - at - 1;
                self.push_native(at, ret, held, cont)
            }
        }
    }

    /// The native on top goes on.
    pub(super) fn resume_native(&mut self, host: &mut dyn Host) -> Done {
        let (first, count) = std::mem::take(&mut self.incoming);
        let Thread { frames, conts, .. } = &mut *self.thread;
        let at = frames.last().map_or(0, |frame| frame.function as usize);
        let last = conts.last_mut().expect("a native is on top, and has its continuation");
        if let Cont::Pcall | Cont::Xpcall = last {
            return self.finish_native(&[Value::Bool(true)], first, count);
        }
        match std::mem::take(last) {
            Cont::Enter { native } => {
                let frame = self.thread.pop();
                self.run_native(host, native, at, frame.varargs as usize, frame.ret)
            }
            Cont::Leave { first, count } => {
                let frame = self.thread.pop();
                self.deliver(at, frame.ret, first as usize, count as usize)
            }
            Cont::Handler { catcher, .. } => self.handled(catcher as usize, first, count),
            Cont::Concat { a, left } => {
                let value = if count > 0 { self.thread.stack[first] } else { Value::Nil };
                self.continue_concat(host, at, a, left as usize, value)
            }
            Cont::Pass { results } => {
                let count = self.fit(first, count, results);
                self.finish_native(&[], first, count)
            }
            Cont::Step { index } => {
                let value = if count > 0 { self.thread.stack[first] } else { Value::Nil };
                self.thread.stack[first] = value;
                let before = if value.is_nil() { Value::Nil } else { Value::Number(index) };
                self.finish_native(&[before], first, 1)
            }
            Cont::Host { native, number } => {
                self.thread.top = first + count;
                self.reserve(lib::SPARE_SLOTS)?;
                let ret = self.thread.frame().ret;
                let number_of = native.0.saturating_sub(lib::count());
                let mut call = Call { state: self, function: first.saturating_sub(1), count };
                let outcome = host.call(number_of, &mut call, Some(number));
                // The frame stays until the native has ended, so that an error has its place.
                let outcome = outcome?;
                self.thread.pop();
                self.settle(host, outcome, native, at, ret)
            }
            Cont::Compile(source) => {
                let frame = self.thread.frame();
                let (ret, live) = (frame.ret, frame.base as usize + frame.varargs as usize);
                self.thread.top = live;
                self.reserve(lib::SPARE_SLOTS)?;
                let mut call = Call { state: self, function: at, count: 0 };
                let outcome = source.compile(&mut call, &mut || host.interrupts_work())?;
                self.thread.pop();
                self.settle(host, outcome, NativeId(0), at, ret)
            }
            cont => {
                let frame = self.thread.frame();
                let (ret, live) = (frame.ret, frame.base as usize + frame.varargs as usize);
                let value = if count > 0 { self.thread.stack[first] } else { Value::Nil };
                self.thread.top = live;
                self.reserve(lib::SPARE_SLOTS)?;
                let mut call = Call { state: self, function: at, count: 0 };
                let outcome = match lib::go_on(&mut call, cont, value)? {
                    // It calls again, from the frame that it has.
                    Outcome::Call(count, cont) => {
                        let called = self.thread.top - count - 1;
                        self.thread.frame_mut().varargs = as_slot(called - at - 1);
                        if let Some(last) = self.thread.conts.last_mut() {
                            *last = cont;
                        }
                        return self.call(host, called, count, Ret::Native);
                    }
                    other => other,
                };
                self.thread.pop();
                self.settle(host, outcome, NativeId(0), at, ret)
            }
        }
    }

    /// Cuts or fills values to a count.
    fn fit(&mut self, first: usize, count: usize, want: Option<u32>) -> usize {
        let Some(want) = want.map(|want| want as usize) else { return count };
        if count < want {
            self.thread.stack[first + count..first + want].fill(Value::Nil);
        }
        want
    }

    /// Ends the native on top with some values and those that arrived.
    fn finish_native(&mut self, before: &[Value], first: usize, count: usize) -> Done {
        let frame = self.thread.pop();
        let at = frame.function as usize;
        if before.is_empty() {
            return self.native_ends(at, frame.ret, first, count);
        }
        self.thread.top = first + count;
        self.reserve(before.len())?;
        self.thread.stack.copy_within(first..first + count, first + before.len());
        self.thread.stack[first..first + before.len()].copy_from_slice(before);
        self.native_ends(at, frame.ret, first, count + before.len())
    }

    /// Gives results to the frame on top.
    pub(super) fn deliver(&mut self, at: usize, ret: Ret, first: usize, count: usize) -> Done {
        self.count_values(count);
        let value = |state: &Self| if count > 0 { state.thread.stack[first] } else { Value::Nil };
        match ret {
            Ret::Call(want) => {
                self.thread.stack.copy_within(first..first + count, at);
                match usize::try_from(want) {
                    Ok(want) if count < want => {
                        self.thread.stack[at + count..at + want].fill(Value::Nil);
                    }
                    Ok(_) => {}
                    Err(_) => self.thread.top = at + count,
                }
            }
            Ret::Register(a) => {
                let slot = self.thread.frame().base as usize + usize::from(a);
                self.thread.stack[slot] = value(self);
            }
            Ret::Condition { negate } => {
                let truth = value(self).is_true() != negate;
                self.decide(truth);
            }
            Ret::Discard => {}
            Ret::Native => {
                self.thread.stack.copy_within(first..first + count, at);
                self.thread.top = at + count;
                self.incoming = (at, count);
            }
            Ret::Generic { a, n } => {
                let slot = self.thread.frame().base as usize + usize::from(a) + 3;
                let kept = count.min(usize::from(n));
                self.thread.stack.copy_within(first..first + kept, slot);
                self.thread.stack[slot + kept..slot + usize::from(n)].fill(Value::Nil);
            }
            Ret::Hook => self.hook_done(),
            Ret::Finish => return self.finish_thread(first, count),
        }
        Ok(())
    }
}

pub(super) fn native_frame(at: usize, ret: Ret) -> Frame {
    Frame {
        base: as_slot(at + 1),
        function: as_slot(at),
        pc: 0,
        loaded: 0,
        closure: NO_CLOSURE,
        varargs: 0,
        ret,
        tail: false,
    }
}

pub(super) fn as_slot(index: usize) -> u32 {
    u32::try_from(index).expect("a stack has at most a million slots")
}
