//! What messages call functions, values and places.
//!
//! Names come from the instructions that led to a value: `local 'x'`, `global 'y'`, `field 'z'`, `upvalue 'w'`.

use std::sync::Arc;

use super::slow::Operand;
use super::thread::{Frame, Status, Thread};
use super::{NO_CLOSURE, State};
use crate::compile::op::Op;
use crate::compile::{Constant, Proto};
use crate::heap::Event;
use crate::library as lib;
use crate::value::{ThreadId, Value};

/// More of a name is not shown.
const LONGEST_NAME: usize = 1024;

/// So many instructions and variables are looked through in the time of an instruction.
const SEARCHED_PER_STEP: usize = 4;

/// A function on the stack of a coroutine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// A native without a frame, by the slot that it lies in.
    Native(usize),
    /// The index of its frame.
    Frame(usize),
}

/// What is known of a function, as `debug.getinfo` has it.
#[derive(Debug, Clone, Default)]
pub struct Info {
    pub source: Arc<[u8]>,
    pub short_source: Vec<u8>,
    pub what: &'static str,
    pub line: i64,
    pub last_line: i64,
    pub current_line: i64,
    pub name: Option<(&'static str, String)>,
    pub upvalues: usize,
    pub parameters: usize,
    pub is_vararg: bool,
    pub is_tail: bool,
    /// How many instructions' time it took to find the name.
    pub work: usize,
}

fn text(constant: &Constant) -> Option<String> {
    constant.text().map(lossy)
}

/// A name as messages show it. One may be as long as its program; no message needs more than its beginning.
pub(super) fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(&bytes[..bytes.len().min(LONGEST_NAME)]).into_owned()
}

/// Whether an instruction sets a register.
fn sets(op: Op, register: u8) -> bool {
    match op {
        Op::LoadNil { a, n } => register >= a && register - a < n,
        Op::Method { a, .. } => register == a || register == a + 1,
        Op::Call { a, .. } | Op::TailCall { a, .. } | Op::VarArgs { a, .. } => register >= a,
        Op::GenericCall { a, .. } => register >= a + 3,
        Op::ForPrepare { a, .. } | Op::ForLoop { a, .. } => register == a || register == a + 3,
        Op::Move { a, .. }
        | Op::LoadBool { a, .. }
        | Op::LoadK { a, .. }
        | Op::GetUpvalue { a, .. }
        | Op::NewCell { a }
        | Op::GetCell { a, .. }
        | Op::GetGlobal { a, .. }
        | Op::GetField { a, .. }
        | Op::GetIndex { a, .. }
        | Op::Add { a, .. }
        | Op::Sub { a, .. }
        | Op::Mul { a, .. }
        | Op::Div { a, .. }
        | Op::Mod { a, .. }
        | Op::Pow { a, .. }
        | Op::AddK { a, .. }
        | Op::SubK { a, .. }
        | Op::MulK { a, .. }
        | Op::DivK { a, .. }
        | Op::ModK { a, .. }
        | Op::PowK { a, .. }
        | Op::Negate { a, .. }
        | Op::Not { a, .. }
        | Op::Length { a, .. }
        | Op::Concat { a, .. }
        | Op::Closure { a, .. }
        | Op::NewTable { a, .. } => register == a,
        _ => false,
    }
}

fn target(op: Op) -> Option<u32> {
    match op {
        Op::Jump { to }
        | Op::JumpIf { to, .. }
        | Op::JumpIfNot { to, .. }
        | Op::Equal { to, .. }
        | Op::EqualK { to, .. }
        | Op::Less { to, .. }
        | Op::LessEqual { to, .. }
        | Op::LessK { to, .. }
        | Op::LessEqualK { to, .. }
        | Op::GreaterK { to, .. }
        | Op::GreaterEqualK { to, .. } => Some(to),
        _ => None,
    }
}

/// The instruction that set a register last, where no jump makes that uncertain.
fn setter(proto: &Proto, last: u32, register: u8) -> Option<u32> {
    let mut found = None;
    let mut joins = 0;
    for pc in 0..last {
        let op = proto.code()[pc as usize];
        if let Some(to) = target(op)
            && pc < to
            && to <= last
        {
            joins = joins.max(to);
        }
        if sets(op, register) {
            found = if pc < joins { None } else { Some(pc) };
        }
    }
    found
}

/// How often a value was copied before its name is given up.
const MAX_COPIES: usize = 20;

/// The kind and the name of what is in a register.
fn variable(proto: &Proto, pc: u32, register: u8) -> Option<(&'static str, String)> {
    let (mut pc, mut register) = (pc, register);
    for _ in 0..MAX_COPIES {
        if let Some(local) = proto.local_in(register, pc) {
            return Some(("local", lossy(&local.name)));
        }
        let at = setter(proto, pc, register)?;
        match proto.code()[at as usize] {
            Op::Move { a, b } if b < a => (pc, register) = (at, b),
            Op::GetCell { b, .. } => (pc, register) = (at, b),
            Op::GetGlobal { up, k, .. } => {
                let is_global = *proto.upvalue_name(usize::from(up)) == *b"_ENV";
                let kind = if is_global { "global" } else { "field" };
                return Some((kind, text(&proto.constants()[usize::from(k)])?));
            }
            Op::GetField { b, k, .. } => {
                let kind = if holds_environment(proto, at, b) { "global" } else { "field" };
                return Some((kind, text(&proto.constants()[usize::from(k)])?));
            }
            Op::GetIndex { b, c, .. } => {
                let Some(name) = variable_constant(proto, at, c) else {
                    return Some(("field", "?".to_owned()));
                };
                return Some((if holds_environment(proto, at, b) { "global" } else { "field" }, name));
            }
            Op::GetUpvalue { up, .. } => {
                return Some(("upvalue", lossy(proto.upvalue_name(usize::from(up)))));
            }
            Op::LoadK { k, .. } => return Some(("constant", text(&proto.constants()[k as usize])?)),
            Op::Method { k, .. } => {
                return Some(("method", text(&proto.constants()[usize::from(k)])?));
            }
            _ => return None,
        }
    }
    None
}

/// Whether a register has the table of globals: it is a local `_ENV`, or a copy of the one of a function around, which is made where
/// the name of a global is not among the first constants.
fn holds_environment(proto: &Proto, pc: u32, register: u8) -> bool {
    if let Some(local) = proto.local_in(register, pc) {
        return *local.name == *b"_ENV";
    }
    let setter = setter(proto, pc, register).map(|at| proto.code()[at as usize]);
    matches!(setter, Some(Op::GetUpvalue { up, .. }) if *proto.upvalue_name(usize::from(up)) == *b"_ENV")
}

fn variable_constant(proto: &Proto, pc: u32, register: u8) -> Option<String> {
    let at = setter(proto, pc, register)?;
    if let Op::LoadK { k, .. } = proto.code()[at as usize] {
        text(&proto.constants()[k as usize])
    } else {
        None
    }
}

/// What the function is called that an instruction calls.
fn called(proto: &Proto, pc: u32) -> Option<(&'static str, String)> {
    let metamethod = match proto.code()[pc as usize] {
        Op::Call { a, .. } | Op::TailCall { a, .. } => return variable(proto, pc, a),
        Op::GenericCall { .. } => return Some(("for iterator", "for iterator".to_owned())),
        Op::GetGlobal { .. } | Op::GetField { .. } | Op::GetIndex { .. } | Op::Method { .. } => "__index",
        Op::SetGlobal { .. } | Op::SetField { .. } | Op::SetIndex { .. } => "__newindex",
        Op::Add { .. } | Op::AddK { .. } => "__add",
        Op::Sub { .. } | Op::SubK { .. } => "__sub",
        Op::Mul { .. } | Op::MulK { .. } => "__mul",
        Op::Div { .. } | Op::DivK { .. } => "__div",
        Op::Mod { .. } | Op::ModK { .. } => "__mod",
        Op::Pow { .. } | Op::PowK { .. } => "__pow",
        Op::Negate { .. } => "__unm",
        Op::Length { .. } => "__len",
        Op::Concat { .. } => "__concat",
        Op::Equal { .. } => "__eq",
        Op::Less { .. } | Op::LessK { .. } | Op::GreaterK { .. } => "__lt",
        Op::LessEqual { .. } | Op::LessEqualK { .. } | Op::GreaterEqualK { .. } => "__le",
        _ => return None,
    };
    Some(("metamethod", metamethod.to_owned()))
}

impl State {
    /// The type of a value as messages say it: what its metatable calls it, or its type.
    pub(crate) fn type_text(&mut self, value: Value) -> String {
        if let Value::Table(_) = value
            && let Value::String(name) = self.heap.handler(value, Event::Name)
        {
            return lossy(self.heap.bytes(name));
        }
        value.type_name().to_owned()
    }

    pub(super) fn frame_position(&self, frame: &Frame) -> Vec<u8> {
        if frame.closure == NO_CLOSURE {
            return Vec::new();
        }
        let proto = self.proto(frame.loaded);
        if proto.stands_for_native() {
            return Vec::new();
        }
        let mut text = proto.name.short.to_vec();
        text.extend_from_slice(format!(":{}: ", self.line_of(frame)).as_bytes());
        text
    }

    /// The instruction that a Lua frame is at: the one that it called from, or the next where a hook runs before it.
    pub(crate) fn current_pc(thread: &Thread, index: usize) -> u32 {
        let frame = &thread.frames[index];
        if thread.hook.running == Some(index + 1) { frame.pc } else { frame.pc.saturating_sub(1) }
    }

    fn line_of(&self, frame: &Frame) -> u32 {
        let lines = self.proto(frame.loaded).lines();
        lines[(frame.pc.saturating_sub(1) as usize).min(lines.len() - 1)]
    }

    /// The functions on the stack of a coroutine, the innermost first.
    pub(crate) fn levels(&self, id: ThreadId) -> impl Iterator<Item = Level> {
        let thread = self.thread_of(id);
        let native = match thread.status {
            Status::Running => self.native_at,
            Status::Suspended | Status::Normal => thread.left_through.map(|slot| slot as usize),
            Status::New | Status::Dead => None,
        };
        native
            .map(Level::Native)
            .into_iter()
            .chain(Self::frames_of(thread).map(|(index, _)| Level::Frame(index)))
    }

    /// The frame at a level of the running coroutine: level 1 is what called the native that runs.
    pub(crate) fn frame_at(&self, level: usize) -> Option<&Frame> {
        match self.levels(self.current).nth(level)? {
            Level::Frame(index) => Some(&self.thread.frames[index]),
            Level::Native(_) => None,
        }
    }

    /// `file:line: ` of the function at a level above the native that runs; nothing where there is none.
    pub(crate) fn position(&self, level: usize) -> Vec<u8> {
        // What the libraries have written in Lua stands for natives.
        let shown = |level: &Level| match level {
            Level::Native(_) => true,
            Level::Frame(index) => {
                let frame = &self.thread.frames[*index];
                !frame.is_lua() || *self.proto(frame.loaded).name.source != *b"=[C]"
            }
        };
        match self.levels(self.current).skip(level).find(shown) {
            Some(Level::Frame(index)) => self.frame_position(&self.thread.frames[index]),
            _ => Vec::new(),
        }
    }

    /// An error of the instruction that runs.
    pub(crate) fn runtime_error(&mut self, message: &str) -> Value {
        let mut text = self.thread.frames.last().map_or_else(Vec::new, |frame| self.frame_position(frame));
        text.extend_from_slice(message.as_bytes());
        self.heap.message(&text)
    }

    /// `attempt to call global 'x' (a nil value)`, for a value in a slot.
    pub(super) fn operand_error(&mut self, action: &str, value: Value, at: Option<usize>) -> Value {
        let operand = at
            .zip(self.thread.frames.last())
            .and_then(|(at, frame)| at.checked_sub(frame.base as usize))
            .and_then(|register| u8::try_from(register).ok())
            .map_or(Operand::Unknown, Operand::Register);
        self.bad_operand(action, value, operand)
    }

    pub(super) fn bad_operand(&mut self, action: &str, value: Value, operand: Operand) -> Value {
        let kind = self.type_text(value);
        let work = self.thread.frames.last().map_or(0, |frame| self.search_work(frame));
        self.budget = self.budget.saturating_sub(work as u64);
        let name = self.thread.frames.last().filter(|frame| frame.closure != NO_CLOSURE).and_then(|frame| {
            let proto = self.proto(frame.loaded);
            match operand {
                Operand::Register(register) if register < proto.head.registers => {
                    variable(proto, frame.pc - 1, register)
                }
                Operand::Foldable(register) if register < proto.head.registers => {
                    variable(proto, frame.pc - 1, register).filter(|(what, _)| *what != "constant")
                }
                Operand::Upvalue(up) => Some(("upvalue", lossy(proto.upvalue_name(usize::from(up))))),
                _ => None,
            }
        });
        let message = match name {
            Some((what, name)) => format!("attempt to {action} {what} '{name}' (a {kind} value)"),
            None => format!("attempt to {action} a {kind} value"),
        };
        self.runtime_error(&message)
    }

    /// What the native that runs was called as, and whether as a method.
    pub(crate) fn called_name(&self, function: usize) -> (String, bool) {
        if let Some(frame) = self.frame_at(1)
            && let Some((kind, name)) = self.name_in(frame)
        {
            return (name, kind == "method");
        }
        let name = match self.thread.stack.get(function) {
            Some(Value::Native(native)) => lib::name(*native, &self.host_names),
            _ => None,
        };
        (name.unwrap_or_else(|| "?".to_owned()), false)
    }

    /// What the function is called that a Lua frame calls now.
    fn name_in(&self, caller: &Frame) -> Option<(&'static str, String)> {
        if caller.closure == NO_CLOSURE || caller.pc == 0 {
            return None;
        }
        called(self.proto(caller.loaded), caller.pc - 1)
    }

    /// How many instructions' time it may take to find a name in a Lua function that runs: its code and its variables are
    /// looked through.
    fn search_work(&self, frame: &Frame) -> usize {
        if frame.closure == NO_CLOSURE {
            return 0;
        }
        (frame.pc as usize + self.proto(frame.loaded).notes().locals.len()) / SEARCHED_PER_STEP
    }

    /// What is known of a function that does not run.
    pub(crate) fn info_of(&self, function: Value) -> Info {
        let Value::Closure(id) = function else {
            return Info {
                source: Arc::from(&b"=[C]"[..]),
                short_source: b"[C]".to_vec(),
                what: "C",
                line: -1,
                last_line: -1,
                current_line: -1,
                is_vararg: true,
                upvalues: if let Value::Bound(id) = function {
                    self.heap.bounds.get(id.0).values.len()
                } else {
                    0
                },
                ..Info::default()
            };
        };
        let proto = self.proto(self.heap.closures.get(id.0).loaded);
        Info {
            source: proto.name.source.clone(),
            short_source: proto.name.short.to_vec(),
            what: if proto.head.line == 0 { "main" } else { "Lua" },
            line: proto.head.line.into(),
            last_line: proto.head.last_line.into(),
            current_line: -1,
            name: None,
            upvalues: proto.upvalues.len(),
            parameters: proto.head.parameters.into(),
            is_vararg: proto.head.is_vararg,
            is_tail: false,
            work: 0,
        }
    }

    /// What is known of the function at a level, and the function.
    pub(crate) fn info_at(&self, id: ThreadId, level: Level) -> (Info, Value) {
        let thread = self.thread_of(id);
        let index = match level {
            Level::Frame(index) => index,
            Level::Native(slot) => {
                let function = thread.stack[slot];
                let mut info = self.info_of(function);
                if let Some((_, caller)) = Self::frames_of(thread).next() {
                    info.work = self.search_work(caller);
                    info.name = self.name_in(caller);
                }
                return (info, function);
            }
        };
        let frame = &thread.frames[index];
        let function = if frame.closure == NO_CLOSURE {
            thread.stack[frame.function as usize]
        } else {
            Value::Closure(crate::value::ClosureId(frame.closure))
        };
        let mut info = self.info_of(function);
        if frame.closure != NO_CLOSURE {
            let pc = Self::current_pc(thread, index);
            info.current_line = self.proto(frame.loaded).lines()[pc as usize].into();
        }
        info.is_tail = frame.tail;
        if !frame.tail {
            // The levels above it are passed.
            info.work = (thread.frames.len() - index) / SEARCHED_PER_STEP;
            if let Some((_, caller)) = Self::frames_of(thread).find(|(caller, _)| *caller < index) {
                info.work += self.search_work(caller);
                info.name = self.name_in(caller);
            }
        }
        (info, function)
    }

    /// The name of a native as the libraries have it, such as `string.rep`.
    pub(crate) fn library_name(&self, function: Value) -> Option<String> {
        if let Value::Native(native) = function { lib::name(native, &self.host_names) } else { None }
    }
}
