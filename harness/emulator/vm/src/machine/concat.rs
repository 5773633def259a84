//! `..`: texts and numbers are joined in one go, all else by metamethods, from the right.

use super::native::Host;
use super::slow::{BYTES_PER_STEP, Done, Operand};
use super::thread::Ret;
use super::{Cont, State};
use crate::heap::Event;
use crate::text::number::NumberText;
use crate::value::{StringId, Value};

impl State {
    pub(super) fn concat(&mut self, host: &mut dyn Host, a: u8, b: u8, n: u8) -> Done {
        let first = self.slot_of(b);
        let count = usize::from(n);
        if self.joinable(first, count) {
            let text = self.join(first, count)?;
            self.set_register(a, Value::String(text));
            return Ok(());
        }
        // The values are copied into a frame of their own, in which they become fewer.
        self.top_above_registers();
        let at = self.thread.top;
        self.reserve(count + 1)?;
        self.thread.stack[at] = Value::Nil;
        self.thread.stack.copy_within(first..first + count, at + 1);
        self.thread.top = at + 1 + count;
        self.concat_step(host, at, a, count, Some(b))
    }

    fn joinable(&self, first: usize, count: usize) -> bool {
        self.thread.stack[first..first + count]
            .iter()
            .all(|value| matches!(value, Value::String(_) | Value::Number(_)))
    }

    /// Joins the last of `left` values above `at`, or calls the metamethod that does.
    fn concat_step(
        &mut self,
        host: &mut dyn Host,
        at: usize,
        a: u8,
        left: usize,
        registers: Option<u8>,
    ) -> Done {
        let mut left = left;
        while left > 1 {
            let (one, two) = (self.thread.stack[at + left - 1], self.thread.stack[at + left]);
            if self.joinable(at + left - 1, 2) {
                let text = self.join(at + left - 1, 2)?;
                left -= 1;
                self.thread.stack[at + left] = Value::String(text);
                continue;
            }
            let mut handler = self.heap.handler(one, Event::Concat);
            if handler.is_nil() {
                handler = self.heap.handler(two, Event::Concat);
            }
            if handler.is_nil() {
                let first_is_fine = matches!(one, Value::String(_) | Value::Number(_));
                let (culprit, offset) = if first_is_fine { (two, left - 1) } else { (one, left - 2) };
                let operand = registers.map_or(Operand::Unknown, |b| {
                    u8::try_from(usize::from(b) + offset).map_or(Operand::Unknown, Operand::Register)
                });
                return Err(self.bad_operand("concatenate", culprit, operand));
            }
            self.thread.top = at + 1 + left;
            let cont = Cont::Concat { a, left: u32::try_from(left - 1).expect("at most 200 values") };
            self.push_native(at, Ret::Register(a), 0, cont)?;
            self.reserve(3)?;
            let called = self.thread.top;
            self.thread.stack[called] = handler;
            self.thread.stack[called + 1] = one;
            self.thread.stack[called + 2] = two;
            self.thread.top = called + 3;
            return self.call(host, called, 2, Ret::Native);
        }
        let value = self.thread.stack[at + 1];
        self.set_register(a, value);
        Ok(())
    }

    pub(super) fn continue_concat(
        &mut self,
        host: &mut dyn Host,
        at: usize,
        a: u8,
        left: usize,
        value: Value,
    ) -> Done {
        self.thread.pop();
        self.thread.stack[at + left] = value;
        self.thread.top = at + 1 + left;
        self.concat_step(host, at, a, left, None)
    }

    /// Joins texts and numbers.
    fn join(&mut self, first: usize, count: usize) -> Result<StringId, Value> {
        let mut numbers: [Option<NumberText>; 2] = [None, None];
        let mut length = 0;
        let values = &self.thread.stack[first..first + count];
        for (index, value) in values.iter().enumerate() {
            length += match value {
                Value::String(text) => self.heap.bytes(*text).len(),
                Value::Number(number) => {
                    let text = NumberText::of(*number);
                    let size = text.as_bytes().len();
                    if index < numbers.len() {
                        numbers[index] = Some(text);
                    }
                    size
                }
                _ => 0,
            };
        }
        if length > self.room() {
            self.collect();
        }
        self.check_room(length)?;
        self.budget = self.budget.saturating_sub((length / BYTES_PER_STEP) as u64);
        let mut joined = Vec::with_capacity(length);
        for (index, value) in self.thread.stack[first..first + count].iter().enumerate() {
            match value {
                Value::String(text) => joined.extend_from_slice(self.heap.bytes(*text)),
                Value::Number(number) => match numbers.get(index) {
                    Some(Some(text)) => joined.extend_from_slice(text.as_bytes()),
                    _ => joined.extend_from_slice(NumberText::of(*number).as_bytes()),
                },
                _ => {}
            }
        }
        let mut joined = Some(joined);
        self.retry(|state| match joined.take() {
            Some(bytes) => {
                let found = state.heap.string(&bytes);
                if found.is_err() {
                    joined = Some(bytes);
                }
                found
            }
            None => Err(crate::heap::OutOfMemory),
        })
    }
}
