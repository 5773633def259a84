//! `load`: texts and readers to functions. Only text is taken; there is no binary form.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Ended;
use crate::compile::{CompileError, Proto, compile, compile_while};
use crate::dialect::Dialect;
use crate::machine::{Call, Cont, Outcome, State};
use crate::text::number::NumberText;
use crate::value::Value;

/// One instruction's worth of text that is compiled.
const BYTES_PER_STEP: usize = 4;

/// Shorter texts are compiled in a millisecond or two, in one go.
const SOON: usize = 32 * 1024;

/// `load` with a function that gives the text in pieces.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Reader {
    function: Value,
    text: Vec<u8>,
    name: Vec<u8>,
    environment: Value,
    /// What may be loaded, as the program gave it.
    mode: Vec<u8>,
}

impl Reader {
    pub fn values(&self, each: &mut dyn FnMut(Value)) {
        each(self.function);
        each(self.environment);
    }

    pub fn bytes(&self) -> usize {
        self.text.capacity() + self.name.len() + self.mode.len()
    }

    /// Makes room for a piece of the text, which is counted before it is taken.
    fn make_room(&mut self, state: &mut State, piece: usize) -> Result<(), Value> {
        let (needed, room) = (self.text.len() + piece, self.text.capacity());
        if needed > room {
            let size = needed.max(room * 2);
            state.charge_buffer(size - room)?;
            self.text.reserve_exact(size - self.text.len());
        }
        Ok(())
    }

    /// Adds a piece of the text; false where it is the end, which is empty.
    fn add(&mut self, call: &mut Call<'_>, value: Value) -> Result<bool, Value> {
        if let Value::String(text) = value {
            let length = call.bytes(text).len();
            call.spend_bytes(length);
            self.make_room(call.state, length)?;
            self.text.extend_from_slice(call.bytes(text));
            return Ok(length > 0);
        }
        let number = NumberText::of(value.as_number().unwrap_or(0.0));
        self.make_room(call.state, number.as_bytes().len())?;
        self.text.extend_from_slice(number.as_bytes());
        Ok(true)
    }
}

pub fn loadstring(call: &mut Call<'_>) -> Ended {
    call.text(1)?;
    if !call.arg(2).is_nil() {
        call.text(2)?;
    }
    let (text, name) = text_and_name(call, 0)?;
    let environment = Value::Table(call.state.globals);
    finish(call, text, name, environment, b"t")
}

fn text_of(call: &mut Call<'_>, index: usize) -> Result<Vec<u8>, Value> {
    let text = call.text(index)?;
    Ok(call.bytes(text).to_vec())
}

/// Copies of the first two arguments, where there is room for them and for as much again as the functions keep of the name,
/// and for so many more bytes.
fn text_and_name(call: &mut Call<'_>, more: usize) -> Result<(Vec<u8>, Vec<u8>), Value> {
    let length = |call: &Call<'_>, index| call.state.bytes(call.arg(index)).map_or(0, <[u8]>::len);
    let named = if call.arg(2).is_nil() { 1 } else { 2 };
    let (text, name) = (length(call, 1), length(call, named));
    call.spend_bytes(2 * name);
    call.copies(text.saturating_add(2 * name).saturating_add(more))?;
    Ok((text_of(call, 1)?, text_of(call, named)?))
}

pub fn load(call: &mut Call<'_>) -> Ended {
    let environment = if call.len() >= 4 { call.arg(4) } else { Value::Table(call.state.globals) };
    let mode = if call.arg(3).is_nil() {
        b"bt".to_vec()
    } else {
        let mode = call.text(3)?;
        call.copies(call.bytes(mode).len())?;
        call.bytes(mode).to_vec()
    };
    let chunk = call.arg(1);
    if let Value::String(_) | Value::Number(_) = chunk {
        call.text(1)?;
        if !call.arg(2).is_nil() {
            call.text(2)?;
        }
        let (text, name) = text_and_name(call, mode.len())?;
        return finish(call, text, name, environment, &mode);
    }
    let function = call.arg(1);
    if !function.is_function() {
        return Err(match call.state.dialect {
            Dialect::Stock => call.type_error(1, "function"),
            Dialect::CraftosPc => call.type_error(1, "function or string"),
        });
    }
    let name = if call.arg(2).is_nil() {
        b"=(load)".to_vec()
    } else {
        let name = call.text(2)?;
        call.copies(call.bytes(name).len().saturating_add(mode.len()))?;
        call.bytes(name).to_vec()
    };
    let reader = Reader { function, text: Vec::new(), name, environment, mode };
    call.state.charge_buffer(reader.bytes())?;
    call.push(function)?;
    Ok(Outcome::Call(0, Cont::Load(Box::new(reader))))
}

pub fn go_on(call: &mut Call<'_>, mut reader: Box<Reader>, value: Value) -> Ended {
    match value {
        Value::Nil => {}
        Value::String(_) | Value::Number(_) => {
            if reader.add(call, value)? {
                call.push(reader.function)?;
                return Ok(Outcome::Call(0, Cont::Load(reader)));
            }
        }
        _ => {
            let message = call.error("reader function must return a string");
            return failed(call, message);
        }
    }
    call.state.release_buffer(reader.bytes());
    let Reader { text, name, environment, mode, .. } = *reader;
    finish(call, text, name, environment, &mode)
}

fn failed(call: &mut Call<'_>, message: Value) -> Ended {
    call.push(Value::Nil)?;
    call.push(message)?;
    Ok(Outcome::Return(2))
}

fn finish(call: &mut Call<'_>, text: Vec<u8>, name: Vec<u8>, environment: Value, mode: &[u8]) -> Ended {
    call.spend(text.len() / BYTES_PER_STEP);
    let binary = text.first() == Some(&0x1b);
    if binary || !mode.contains(&b't') {
        // There is no binary form, whatever the mode says.
        let (kind, mode) = if binary { ("binary", &b"t"[..]) } else { ("text", mode) };
        let message = [b"attempt to load a ", kind.as_bytes(), b" chunk (mode is '", mode, b"')"].concat();
        let message = call.string(&message)?;
        return failed(call, message);
    }
    if text.len() > SOON {
        let source = Compiling { text, name, environment };
        call.state.charge_buffer(source.bytes())?;
        return Ok(Outcome::Again(Cont::Compile(Box::new(source))));
    }
    compiled(call, compile(&text, &name, call.state.room(), call.state.dialect), environment)
}

fn compiled(call: &mut Call<'_>, result: Result<Arc<Proto>, CompileError>, environment: Value) -> Ended {
    match result {
        Ok(proto) => call.state.instantiate(&proto, environment).map(Outcome::One),
        Err(error) => {
            let message = call.string(&error.message)?;
            failed(call, message)
        }
    }
}

/// A large text that is to be compiled.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Compiling {
    text: Vec<u8>,
    name: Vec<u8>,
    environment: Value,
}

impl Compiling {
    pub fn values(&self, each: &mut dyn FnMut(Value)) {
        each(self.environment);
    }

    /// With a copy of the name, which the functions get.
    pub fn bytes(&self) -> usize {
        self.text.len() + 2 * self.name.len()
    }

    /// Compiles it, unless that is interrupted with a message.
    pub fn compile(
        self,
        call: &mut Call<'_>,
        interrupted: &mut dyn FnMut() -> Option<&'static str>,
    ) -> Ended {
        let mut message = None;
        let mut goes_on = || {
            message = interrupted();
            message.is_none()
        };
        let (room, dialect) = (call.state.room(), call.state.dialect);
        let result = compile_while(&self.text, &self.name, room, dialect, &mut goes_on);
        call.state.release_buffer(self.bytes());
        call.state.compiled += self.text.len();
        match message {
            Some(message) => Err(call.error(message)),
            None => compiled(call, result, self.environment),
        }
    }
}
