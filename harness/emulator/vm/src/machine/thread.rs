//! A coroutine: its registers and its frames, all on the heap.

use serde::{Deserialize, Serialize};

use super::NO_CLOSURE;
use super::cont::Cont;
use crate::heap::{OutOfMemory, block, clone_with_room};
use crate::value::{ThreadId, Value};

/// Every frame sees this many registers, whether it uses them or not: a register operand needs no check.
pub const WINDOW: usize = 256;
/// As many slots as Lua allows (`LUAI_MAXSTACK`).
const MAX_STACK: usize = 1_000_000;
/// Slots of a stack that is full: what runs has a whole window above what it uses.
const MOST_SLOTS: usize = MAX_STACK + WINDOW * 4;
/// As deep as calls nest; `LUAI_MAXCCALLS` of Lua 5.2 allows 200 000 Lua calls through its stack limit.
pub const MAX_FRAMES: usize = 200_000;
/// How much deeper an error handler may go after a stack overflow.
pub const HANDLER_FRAMES: usize = 1_000;
/// Slots that a handler has above a stack that is full: enough for some calls in each other.
const HANDLER_SLOTS: usize = WINDOW * 40;

/// What a coroutine begins with beside the window: small ones never grow.
const FIRST_SLOTS: usize = 64;
const FIRST_FRAMES: usize = 8;

/// What is done with the results of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ret {
    /// They go where the function was: so many, or all when negative.
    Call(i32),
    /// The first goes into a register of the frame below.
    Register(u8),
    /// Its truth decides whether the comparison before jumps; `negate` for `a <= b` as `not (b < a)`.
    Condition {
        negate: bool,
    },
    Discard,
    /// They go to the native whose frame is below.
    Native,
    /// The variables of a generic `for`.
    Generic {
        a: u8,
        n: u8,
    },
    /// A hook has run: hooks are on again.
    Hook,
    /// The coroutine ends.
    Finish,
}

/// A function that runs. It is small and plain, because one is pushed and popped with every call.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Frame {
    /// Its first register.
    pub base: u32,
    /// The slot of the function itself, where its results go.
    pub function: u32,
    /// The next instruction; for a native, which continuation of its coroutine is its own.
    pub pc: u32,
    pub loaded: u32,
    /// The Lua function, or [`NO_CLOSURE`] for a native.
    pub closure: u32,
    /// How many arguments beyond its parameters it was given; they lie below its base. For a native, how many values
    /// it holds above its base.
    pub varargs: u32,
    pub ret: Ret,
    /// A tail call has removed the frame that called it.
    pub tail: bool,
}

impl Frame {
    #[inline]
    pub fn is_lua(&self) -> bool {
        self.closure != NO_CLOSURE
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Status {
    /// Its function is in its first slot; or it has ended.
    #[default]
    Dead,
    New,
    Suspended,
    Running,
    /// It has resumed another one.
    Normal,
}

/// What a hook is told of before the program goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum HookEvent {
    Call,
    TailCall,
    Return,
}

impl HookEvent {
    pub fn name(self) -> &'static str {
        match self {
            Self::Call => "call",
            Self::TailCall => "tail call",
            Self::Return => "return",
        }
    }
}

/// A function that is called as others run.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "three events, each wanted or not, and where it stands")]
pub struct Hook {
    pub function: Value,
    pub call: bool,
    pub ret: bool,
    pub line: bool,
    /// How many instructions lie between two calls; zero for never.
    pub count: u64,
    pub left: u64,
    /// The instruction before, and the depth of its frame.
    pub last_frame: usize,
    pub last_pc: u32,
    /// It was called for the next instruction already.
    pub passed: bool,
    /// It was called for the next instruction as one that counts.
    pub counted: bool,
    /// It was called for the return that is the next instruction.
    pub returning: bool,
    /// What was above the registers when it was called: the values of an open call.
    pub saved_top: usize,
    /// The frame of the hook itself while it runs.
    pub running: Option<usize>,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct Thread {
    #[serde(with = "crate::saving::room")]
    pub stack: Vec<Value>,
    #[serde(with = "crate::saving::room")]
    pub frames: Vec<Frame>,
    /// How the natives among the frames go on, in their order.
    #[serde(with = "crate::saving::room")]
    pub conts: Vec<Cont>,
    /// How many slots it has while it runs, where it waits and has given back those that it does not use.
    pub full: Option<usize>,
    /// Above the last value that an open call or a native left.
    pub top: usize,
    pub status: Status,
    pub resumer: Option<ThreadId>,
    /// When it was resumed last, counted over all coroutines; zero for one that was not.
    pub resumed: u64,
    /// It is resumed by a function from `coroutine.wrap`.
    pub wrapped: bool,
    /// What `yield` returns goes there, in this way.
    pub pending: (u32, Ret),
    /// The slot of the native that it left through, where that has no frame: `yield` or `resume`.
    pub left_through: Option<u32>,
    pub hook: Hook,
    pub serial: u32,
}

impl Clone for Thread {
    fn clone(&self) -> Self {
        Self {
            stack: clone_with_room(&self.stack),
            frames: clone_with_room(&self.frames),
            conts: clone_with_room(&self.conts),
            ..*self
        }
    }
}

impl Default for Thread {
    fn default() -> Self {
        Self {
            stack: Vec::new(),
            frames: Vec::new(),
            conts: Vec::new(),
            full: None,
            top: 0,
            status: Status::Dead,
            resumer: None,
            resumed: 0,
            wrapped: false,
            pending: (0, Ret::Discard),
            left_through: None,
            hook: Hook::default(),
            serial: 0,
        }
    }
}

/// Why a stack does not grow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grow {
    Overflow,
    Memory,
}

impl From<OutOfMemory> for Grow {
    fn from(_: OutOfMemory) -> Self {
        Self::Memory
    }
}

impl Thread {
    /// A coroutine that has not begun, with its function in the first slot.
    pub fn new(function: Value, serial: u32) -> Self {
        let mut stack = Vec::with_capacity(WINDOW + FIRST_SLOTS);
        stack.resize(WINDOW + FIRST_SLOTS, Value::Nil);
        stack[0] = function;
        let frames = Vec::with_capacity(FIRST_FRAMES);
        Self { stack, frames, top: 1, status: Status::New, serial, ..Self::default() }
    }

    pub fn bytes(&self) -> usize {
        block(size_of::<Self>())
            + self.stack.capacity() * size_of::<Value>()
            + self.frames.capacity() * size_of::<Frame>()
            + self.conts.capacity() * size_of::<Cont>()
    }

    /// Gives back the slots above those that it uses, until it goes on. Returns how many bytes that were.
    pub fn trim(&mut self, used: usize) -> usize {
        if self.full.is_some() || used >= self.stack.len() {
            return 0;
        }
        let before = self.stack.capacity();
        self.full = Some(self.stack.len());
        self.stack.truncate(used);
        self.stack.shrink_to_fit();
        (before - self.stack.capacity()) * size_of::<Value>()
    }

    /// How many bytes it needs to have all of its slots again.
    pub fn trimmed(&self) -> usize {
        self.full.map_or(0, |full| full.saturating_sub(self.stack.capacity()) * size_of::<Value>())
    }

    /// Takes all of its slots again.
    pub fn fill(&mut self) {
        if let Some(full) = self.full.take() {
            self.stack.reserve_exact(full - self.stack.len());
            self.stack.resize(full, Value::Nil);
        }
    }

    /// Removes the frames from an index on.
    pub fn truncate(&mut self, index: usize) {
        if let Some(native) = self.frames[index..].iter().find(|frame| !frame.is_lua()) {
            self.conts.truncate(native.pc as usize);
        }
        self.frames.truncate(index);
    }

    /// Removes the innermost frame.
    pub fn pop(&mut self) -> Frame {
        let frame = self.frames.pop().expect("a coroutine that runs has a frame");
        if !frame.is_lua() {
            self.conts.truncate(frame.pc as usize);
        }
        frame
    }

    /// How a native's frame goes on; nothing for a Lua function.
    pub fn cont(&self, frame: &Frame) -> Option<&Cont> {
        if frame.is_lua() { None } else { self.conts.get(frame.pc as usize) }
    }

    /// How many slots the stack has to have for that many to be used; nothing when it has them.
    pub fn missing(&self, slots: usize) -> Result<usize, Grow> {
        if slots <= self.stack.len() {
            return Ok(0);
        }
        if slots <= MOST_SLOTS {
            // Most coroutines never need more than a few slots above the first ones.
            let more = if self.stack.len() < 4 * WINDOW { self.stack.len() / 8 } else { self.stack.len() };
            return Ok(slots.max(self.stack.len() + more).min(MOST_SLOTS));
        }
        if slots <= MOST_SLOTS + HANDLER_SLOTS && self.is_handling() {
            return Ok(MOST_SLOTS + HANDLER_SLOTS);
        }
        Err(Grow::Overflow)
    }

    /// Takes back what only a handler of errors may use, once none runs. Returns how many bytes that were.
    pub fn shrink(&mut self) -> usize {
        if self.stack.len() <= MOST_SLOTS || self.is_handling() {
            return 0;
        }
        let before = self.stack.capacity();
        self.stack.truncate(MOST_SLOTS);
        self.stack.shrink_to_fit();
        (before - self.stack.capacity()) * size_of::<Value>()
    }

    /// Whether a handler of errors runs.
    pub fn is_handling(&self) -> bool {
        self.conts.iter().any(|cont| matches!(cont, Cont::Handler { .. }))
    }

    #[inline]
    pub fn frame(&self) -> &Frame {
        self.frames.last().expect("a coroutine that runs has a frame")
    }

    #[inline]
    pub fn frame_mut(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("a coroutine that runs has a frame")
    }
}
