//! `string.format`, one directive at a time: `%s` may call `__tostring`.

use serde::{Deserialize, Serialize};

use super::Ended;
use super::base::plain_text;
use crate::heap::Event;
use crate::machine::{Call, Cont, Outcome};
use crate::text::format::{
    Conversion, Directive, NO_LITERAL, NUMBER_LIMIT, Piece, ZeroByte, directive, next_piece, quote,
    quote_limit, quote_number,
};
use crate::text::number::NumberText;
use crate::value::{StringId, Value};

/// A `format` that waits for a text.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Format {
    text: StringId,
    /// Where the format goes on.
    at: usize,
    /// The argument that is used next.
    argument: usize,
    /// How many there are.
    count: usize,
    out: Vec<u8>,
    charged: usize,
    waiting: Option<Directive>,
}

impl Format {
    pub fn values(&self, each: &mut dyn FnMut(Value)) {
        each(Value::String(self.text));
    }

    pub fn bytes(&self) -> usize {
        self.charged
    }

    fn make_room(&mut self, call: &mut Call<'_>, more: usize) -> Result<(), Value> {
        let needed = self.out.len().saturating_add(more);
        if needed > self.charged {
            let size = needed.max(self.charged * 2);
            call.state.charge_buffer(size - self.charged)?;
            self.charged = size;
        }
        Ok(())
    }
}

pub fn format(call: &mut Call<'_>) -> Ended {
    let format = call.text(1)?;
    let state = Format {
        text: format,
        at: 0,
        argument: 2,
        count: call.len(),
        out: Vec::new(),
        charged: 0,
        waiting: None,
    };
    run(call, Box::new(state))
}

pub fn go_on(call: &mut Call<'_>, mut format: Box<Format>, value: Value) -> Ended {
    call.count = format.count;
    if let Some(directive) = format.waiting.take() {
        match value {
            Value::String(text) => copy_text(call, &mut format, directive, text)?,
            Value::Number(number) => {
                write_text(call, &mut format, directive, NumberText::of(number).as_bytes())?;
            }
            _ => return Err(call.error("'__tostring' must return a string")),
        }
    }
    run(call, format)
}

fn write_text(
    call: &mut Call<'_>,
    format: &mut Format,
    directive: Directive,
    text: &[u8],
) -> Result<(), Value> {
    format.make_room(call, directive.text_limit(text.len()))?;
    directive.text(text, ZeroByte::Stays, &mut format.out);
    Ok(())
}

/// The same with a text of the state.
fn copy_text(
    call: &mut Call<'_>,
    format: &mut Format,
    directive: Directive,
    text: StringId,
) -> Result<(), Value> {
    let length = call.bytes(text).len();
    format.make_room(call, directive.text_limit(length))?;
    call.spend_bytes(length);
    directive.text(call.state.heap.bytes(text), ZeroByte::Stays, &mut format.out);
    Ok(())
}

fn run(call: &mut Call<'_>, mut format: Box<Format>) -> Ended {
    while let Some(piece) = next_piece(call.bytes(format.text), format.at) {
        call.spend(1);
        match piece {
            Piece::Literal { text, next } => {
                format.make_room(call, text.len())?;
                call.spend_bytes(text.len());
                let bytes = call.state.heap.bytes(format.text);
                format.out.extend_from_slice(&bytes[text]);
                format.at = next;
            }
            Piece::Directive { options } => {
                let index = format.argument;
                if index > call.len() {
                    return Err(call.argument_error(index, "no value"));
                }
                let parsed = directive(call.bytes(format.text), options);
                let (directive, next) = match parsed {
                    Ok(parsed) => parsed,
                    Err(error) => {
                        let message = error.message();
                        return Err(call.error_bytes(&message));
                    }
                };
                format.at = next;
                format.argument += 1;
                if let Some(outcome) = convert(call, &mut format, directive, index)? {
                    format.waiting = Some(directive);
                    debug_assert!(matches!(outcome, Outcome::Call(..)), "only a call waits");
                    return Ok(Outcome::Call(1, Cont::Format(format)));
                }
            }
        }
    }
    let bytes = std::mem::take(&mut format.out);
    call.state.release_buffer(format.charged);
    call.string_from(bytes).map(Outcome::One)
}

/// Writes one argument; gives a call to make when Lua has to say what its text is.
fn convert(
    call: &mut Call<'_>,
    format: &mut Format,
    directive: Directive,
    index: usize,
) -> Result<Option<Outcome>, Value> {
    match directive.conversion() {
        Conversion::Character => {
            let number = call.number(index)?;
            format.make_room(call, NUMBER_LIMIT)?;
            directive.character(number, &mut format.out);
        }
        Conversion::Signed | Conversion::Unsigned => {
            let number = call.number(index)?;
            format.make_room(call, NUMBER_LIMIT)?;
            let written = if directive.conversion() == Conversion::Signed {
                directive.signed(number, &mut format.out)
            } else {
                directive.unsigned(number, &mut format.out)
            };
            if let Err(message) = written {
                return Err(call.argument_error(index, message));
            }
        }
        Conversion::Float => {
            let number = call.number(index)?;
            format.make_room(call, NUMBER_LIMIT)?;
            directive.float(number, &mut format.out);
        }
        Conversion::Quoted => match call.arg(index) {
            Value::String(text) => {
                let length = call.bytes(text).len();
                format.make_room(call, quote_limit(length))?;
                call.spend(length / 16);
                quote(call.state.heap.bytes(text), &mut format.out);
            }
            Value::Number(number) => {
                format.make_room(call, NUMBER_LIMIT)?;
                quote_number(number, &mut format.out);
            }
            value @ (Value::Nil | Value::Bool(_)) => {
                let text = plain_text(call, value);
                format.make_room(call, text.len())?;
                format.out.extend_from_slice(&text);
            }
            _ => return Err(call.argument_error(index, NO_LITERAL)),
        },
        Conversion::Text => {
            let value = call.arg(index);
            if let Value::String(text) = value {
                copy_text(call, format, directive, text)?;
                return Ok(None);
            }
            let handler = call.state.heap.handler(value, Event::ToString);
            if !handler.is_nil() {
                call.push(handler)?;
                call.push(value)?;
                return Ok(Some(Outcome::Call(1, Cont::default())));
            }
            let text = plain_text(call, value);
            write_text(call, format, directive, &text)?;
        }
    }
    Ok(None)
}
