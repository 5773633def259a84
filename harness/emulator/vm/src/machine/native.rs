//! Functions in Rust, as Lua calls them.

use super::slow::BYTES_PER_STEP;
use super::{Cont, State};
use crate::dialect::Dialect;
use crate::heap::OutOfMemory;
use crate::text::number::{self, NumberText};
use crate::value::{NativeId, StringId, TableId, ThreadId, Value};

/// What a state's program reaches outside of it. A state holds only the numbers of the host's natives, so that it can
/// be copied, and run again by another host that has the same ones.
pub trait Host {
    /// Runs the native with that number. `resumed` is what it kept when it left with [`Outcome::Wait`], and the
    /// arguments are then what it waited for.
    fn call(&mut self, native: u32, call: &mut Call<'_>, resumed: Option<f64>) -> Result<Outcome, Value>;

    /// Asked every fraction of a millisecond during work that is not cut into steps, which is compiling a large text: a
    /// message ends it with that error, which the program can catch.
    fn interrupts_work(&mut self) -> Option<&'static str> {
        None
    }
}

/// A host without natives.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoHost;

impl Host for NoHost {
    fn call(&mut self, _: u32, call: &mut Call<'_>, _: Option<f64>) -> Result<Outcome, Value> {
        Err(call.error("this host has no natives"))
    }
}

/// How a native ends.
#[derive(Debug)]
pub enum Outcome {
    /// The last so many values that it pushed are its results.
    Return(usize),
    One(Value),
    /// Calls the function that lies below the last so many values, and goes on with the continuation.
    Call(usize, Cont),
    /// Calls the function that lies below the last so many values; its results are the native's.
    TailCall(usize),
    /// Leaves the coroutine with the last so many values; what it is resumed with are the native's results.
    Yield(usize),
    /// Leaves the coroutine with the last so many values; the native is called again with what it is resumed with.
    Wait(usize, f64),
    /// Runs a coroutine with the last so many values as arguments.
    Resume(ThreadId, usize),
    /// Goes on after the others had their turn, when instructions are left.
    Again(Cont),
}

impl Outcome {
    /// No result.
    pub const NONE: Self = Self::Return(0);
}

/// A native that is being called: its arguments, counted from 1, and the state around it.
///
/// A value that a native makes and does not push may be gone when the native has returned, never before.
#[derive(Debug)]
pub struct Call<'a> {
    pub state: &'a mut State,
    /// The slot of the function; the arguments follow.
    pub(crate) function: usize,
    pub(crate) count: usize,
}

type Checked<T> = Result<T, Value>;

/// Fewer bytes than this are copied without a look at memory: it is less than an error's message takes.
const SMALL_COPY: usize = 1024;

impl Call<'_> {
    /// How many arguments there are.
    pub fn len(&self) -> usize {
        self.count
    }

    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// An argument; nil past the last one.
    #[inline]
    pub fn arg(&self, index: usize) -> Value {
        if index <= self.count && index > 0 {
            self.state.thread.stack[self.function + index]
        } else {
            Value::Nil
        }
    }

    pub fn set_arg(&mut self, index: usize, value: Value) {
        if index <= self.count && index > 0 {
            self.state.thread.stack[self.function + index] = value;
        }
    }

    /// The values of a native that has some of its own.
    pub fn bound(&self, index: usize) -> Value {
        match self.state.thread.stack[self.function] {
            Value::Bound(id) => {
                self.state.heap.bounds.get(id.0).values.get(index).copied().unwrap_or_default()
            }
            _ => Value::Nil,
        }
    }

    pub fn set_bound(&mut self, index: usize, value: Value) {
        if let Value::Bound(id) = self.state.thread.stack[self.function]
            && let Some(slot) = self.state.heap.bounds.get_mut(id.0).values.get_mut(index)
        {
            *slot = value;
        }
    }

    /// Puts a value above the arguments.
    pub fn push(&mut self, value: Value) -> Checked<()> {
        self.state.push(value)
    }

    pub fn push_all(&mut self, values: &[Value]) -> Checked<()> {
        self.state.reserve(values.len())?;
        let top = self.state.thread.top;
        self.state.thread.stack[top..top + values.len()].copy_from_slice(values);
        self.state.thread.top += values.len();
        Ok(())
    }

    /// A text.
    pub fn string(&mut self, bytes: &[u8]) -> Checked<Value> {
        self.state.string(bytes)
    }

    pub fn string_from(&mut self, bytes: Vec<u8>) -> Checked<Value> {
        self.state.heap.string_from(bytes).map(Value::String).map_err(|error| self.memory(error))
    }

    pub(crate) fn memory(&self, _: OutOfMemory) -> Value {
        self.state.heap.out_of_memory()
    }

    /// Makes sure that so many bytes could be allocated now.
    pub fn check_room(&mut self, bytes: usize) -> Checked<()> {
        self.state.check_room(bytes)
    }

    /// An error with the position of the caller before it.
    pub fn error(&mut self, message: &str) -> Value {
        self.error_bytes(message.as_bytes())
    }

    pub fn error_bytes(&mut self, message: &[u8]) -> Value {
        let mut text = self.state.position(1);
        text.extend_from_slice(message);
        self.state.heap.message(&text)
    }

    /// `bad argument #1 to 'f' (…)`, or what the dialect says instead.
    pub fn argument_error(&mut self, index: usize, message: &str) -> Value {
        if self.state.dialect == Dialect::CraftosPc {
            return self.error(&format!("bad argument #{index} ({message})"));
        }
        let mut index = index;
        let (name, method) = self.state.called_name(self.function);
        if method {
            if index == 1 {
                let message = format!("calling '{name}' on bad self ({message})");
                return self.error(&message);
            }
            index -= 1;
        }
        let message = format!("bad argument #{index} to '{name}' ({message})");
        self.error(&message)
    }

    /// What an argument is, as messages say it.
    pub fn type_text(&mut self, index: usize) -> String {
        if index > self.count { "no value".to_owned() } else { self.state.type_text(self.arg(index)) }
    }

    pub fn type_error(&mut self, index: usize, expected: &str) -> Value {
        let given = self.type_text(index);
        let message = match self.state.dialect {
            Dialect::Stock => format!("{expected} expected, got {given}"),
            Dialect::CraftosPc => format!("expected {expected}, got {given}"),
        };
        self.argument_error(index, &message)
    }

    /// Any value, but there has to be one.
    pub fn any(&mut self, index: usize) -> Checked<Value> {
        if index > self.count {
            return Err(self.argument_error(index, "value expected"));
        }
        Ok(self.arg(index))
    }

    /// A number, or a text that is one.
    pub fn number(&mut self, index: usize) -> Checked<f64> {
        match self.arg(index) {
            Value::Number(number) => Ok(number),
            Value::String(text) => match self.state.number_in(text) {
                Some(number) => Ok(number),
                None => Err(self.type_error(index, "number")),
            },
            _ => Err(self.type_error(index, "number")),
        }
    }

    pub fn number_or(&mut self, index: usize, default: f64) -> Checked<f64> {
        if self.arg(index).is_nil() { Ok(default) } else { self.number(index) }
    }

    /// A number as the whole number that Lua takes it for.
    pub fn integer(&mut self, index: usize) -> Checked<i64> {
        self.number(index).map(number::to_integer)
    }

    pub fn integer_or(&mut self, index: usize, default: i64) -> Checked<i64> {
        if self.arg(index).is_nil() { Ok(default) } else { self.integer(index) }
    }

    /// A text, or a number as text, as a text of the state.
    pub fn text(&mut self, index: usize) -> Checked<StringId> {
        match self.arg(index) {
            Value::String(text) => Ok(text),
            Value::Number(number) => {
                let text = NumberText::of(number);
                let value = self.string(text.as_bytes())?;
                self.set_arg(index, value);
                let Value::String(text) = value else { unreachable!("a text was made") };
                Ok(text)
            }
            _ => Err(self.type_error(index, "string")),
        }
    }

    pub fn text_or(&mut self, index: usize, default: &[u8]) -> Checked<StringId> {
        if !self.arg(index).is_nil() {
            return self.text(index);
        }
        self.state.heap.string(default).map_err(|error| self.memory(error))
    }

    /// The bytes of a text.
    pub fn bytes(&self, text: StringId) -> &[u8] {
        self.state.heap.bytes(text)
    }

    pub fn table(&mut self, index: usize) -> Checked<TableId> {
        match self.arg(index) {
            Value::Table(table) => Ok(table),
            _ => Err(self.type_error(index, "table")),
        }
    }

    pub fn thread(&mut self, index: usize) -> Checked<ThreadId> {
        match self.arg(index) {
            Value::Thread(thread) => Ok(thread),
            _ => Err(self.argument_error(index, "coroutine expected")),
        }
    }

    pub fn function(&mut self, index: usize) -> Checked<Value> {
        let value = self.arg(index);
        if value.is_function() { Ok(value) } else { Err(self.type_error(index, "function")) }
    }

    pub fn new_table(&mut self, array: usize, nodes: usize) -> Checked<TableId> {
        self.state.heap.table(array, nodes).map_err(|error| self.memory(error))
    }

    pub fn raw_set(&mut self, table: TableId, key: Value, value: Value) -> Checked<()> {
        self.state.heap.set(table, key, value).map_err(|error| self.memory(error))
    }

    pub fn set_field(&mut self, table: TableId, name: &str, value: Value) -> Checked<()> {
        let key = self.string(name.as_bytes())?;
        self.raw_set(table, key, value)
    }

    pub fn bind(&mut self, native: NativeId, values: &[Value]) -> Checked<Value> {
        self.state.heap.bound(native, values).map(Value::Bound).map_err(|error| self.memory(error))
    }

    /// Counts work that no instruction stands for.
    pub fn spend(&mut self, work: usize) {
        self.state.budget = self.state.budget.saturating_sub(work as u64);
    }

    /// Counts work on so many bytes that are copied or looked through.
    pub(crate) fn spend_bytes(&mut self, bytes: usize) {
        self.spend(bytes / BYTES_PER_STEP);
    }

    /// Counts the work of copying so many bytes; an error where there is no room for them. For what a native holds while it
    /// runs: it is not charged, and the process takes it all the same.
    pub(crate) fn copies(&mut self, bytes: usize) -> Checked<()> {
        self.spend_bytes(bytes);
        if bytes > SMALL_COPY { self.check_room(bytes) } else { Ok(()) }
    }
}
