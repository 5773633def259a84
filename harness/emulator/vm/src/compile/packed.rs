//! Compiled functions as bytes that are part of a program: written when the program is built, unpacked a function at a time
//! when each is first called.
//!
//! These bytes are trusted, and never come from a Lua program: `load` takes text alone.

use std::sync::Arc;

use super::op::Op;
use super::proto::{Body, Constant, Head, LocalName, Notes, Proto, UpvalueSource};
use super::{ChunkName, Dialect};

/// The kinds of constants.
const NIL: u8 = 0;
const FALSE: u8 = 1;
const TRUE: u8 = 2;
const NUMBER: u8 = 3;
const TEXT: u8 = 4;

/// Seven bits of a number in each byte; the highest bit says that more follow.
const MORE: u8 = 0x80;

/// Where the body and the notes of a function stand.
#[derive(Debug, Clone, Copy)]
pub struct Packed {
    body: &'static [u8],
    notes: &'static [u8],
}

/// Packs a function, with all that are inside it. The name of its chunk is not in it.
pub fn pack(proto: &Proto) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_function(&mut bytes, proto);
    bytes
}

/// The function that was packed, under a name. Nothing but its head is unpacked yet.
pub fn unpack(bytes: &'static [u8], name: &[u8], dialect: Dialect) -> Arc<Proto> {
    let short = dialect.chunk_name(name);
    let name = Arc::new(ChunkName { source: name.into(), short: short.into() });
    read_function(&mut Reader { bytes }, &name)
}

fn write_function(bytes: &mut Vec<u8>, proto: &Proto) {
    let head = proto.head;
    write_number(bytes, head.line);
    write_number(bytes, head.last_line);
    bytes.extend([head.parameters, head.is_vararg.into(), head.registers]);
    write_count(bytes, proto.upvalues.len());
    for upvalue in &proto.upvalues {
        bytes.extend([upvalue.in_register.into(), upvalue.index]);
    }
    let mut body = Vec::new();
    write_count(&mut body, proto.code().len());
    proto.code().iter().for_each(|op| op.write(&mut body));
    write_count(&mut body, proto.constants().len());
    proto.constants().iter().for_each(|constant| write_constant(&mut body, constant));
    write_count(&mut body, proto.children().len());
    proto.children().iter().for_each(|child| write_function(&mut body, child));
    write_text(bytes, &body);
    let mut notes = Vec::new();
    write_notes(&mut notes, proto.notes());
    write_text(bytes, &notes);
}

fn read_function(reader: &mut Reader, name: &Arc<ChunkName>) -> Arc<Proto> {
    let head = Head {
        line: reader.number(),
        last_line: reader.number(),
        parameters: reader.byte(),
        is_vararg: reader.byte() != 0,
        registers: reader.byte(),
    };
    let upvalues =
        reader.list(|reader| UpvalueSource { in_register: reader.byte() != 0, index: reader.byte() });
    let packed = Packed { body: reader.text(), notes: reader.text() };
    Arc::new(Proto::packed(head, upvalues, name.clone(), packed))
}

impl Packed {
    pub fn body(self, proto: &Proto) -> Body {
        let mut reader = Reader { bytes: self.body };
        Body {
            code: reader.list(Op::read),
            constants: reader.list(read_constant),
            children: reader.list(|reader| read_function(reader, &proto.name)),
            parameters: proto.head.parameters,
            is_vararg: proto.head.is_vararg,
        }
    }

    pub fn notes(self) -> Notes {
        let mut reader = Reader { bytes: self.notes };
        let mut line = 0_u32;
        Notes {
            lines: reader.list(|reader| {
                line = line.wrapping_add_signed(reader.signed());
                line
            }),
            locals: reader.list(|reader| LocalName {
                name: reader.text().into(),
                register: reader.byte(),
                captured: reader.byte() != 0,
                start: reader.number(),
                end: reader.number(),
            }),
            upvalues: reader.list(|reader| reader.text().into()),
        }
    }
}

fn write_notes(bytes: &mut Vec<u8>, notes: &Notes) {
    write_count(bytes, notes.lines.len());
    let mut before = 0;
    for &line in &notes.lines {
        // Most instructions are on the line of the one before.
        let step = line.wrapping_sub(before).cast_signed();
        write_number(bytes, (step << 1 ^ step >> 31).cast_unsigned());
        before = line;
    }
    write_count(bytes, notes.locals.len());
    for local in &notes.locals {
        write_text(bytes, &local.name);
        bytes.extend([local.register, local.captured.into()]);
        write_number(bytes, local.start);
        write_number(bytes, local.end);
    }
    write_count(bytes, notes.upvalues.len());
    notes.upvalues.iter().for_each(|name| write_text(bytes, name));
}

fn write_constant(bytes: &mut Vec<u8>, constant: &Constant) {
    match constant {
        Constant::Nil => bytes.push(NIL),
        Constant::Bool(value) => bytes.push(if *value { TRUE } else { FALSE }),
        Constant::Number(number) => {
            bytes.push(NUMBER);
            bytes.extend(number.to_le_bytes());
        }
        Constant::String(text) => {
            bytes.push(TEXT);
            write_text(bytes, text);
        }
        Constant::Static(text) => {
            bytes.push(TEXT);
            write_text(bytes, text);
        }
    }
}

fn read_constant(reader: &mut Reader) -> Constant {
    match reader.byte() {
        NIL => Constant::Nil,
        FALSE => Constant::Bool(false),
        TRUE => Constant::Bool(true),
        NUMBER => Constant::Number(f64::from_le_bytes(reader.array())),
        _ => Constant::Static(reader.text()),
    }
}

pub fn write_number(bytes: &mut Vec<u8>, number: u32) {
    let mut rest = number;
    while rest >= MORE.into() {
        bytes.push(rest.to_le_bytes()[0] | MORE);
        rest >>= 7;
    }
    bytes.push(rest.to_le_bytes()[0]);
}

fn write_count(bytes: &mut Vec<u8>, count: usize) {
    write_number(bytes, u32::try_from(count).expect("a function is smaller than that"));
}

fn write_text(bytes: &mut Vec<u8>, text: &[u8]) {
    write_count(bytes, text.len());
    bytes.extend_from_slice(text);
}

/// Reads what the functions above have written.
pub struct Reader {
    bytes: &'static [u8],
}

impl Reader {
    #[inline]
    pub fn byte(&mut self) -> u8 {
        let (byte, rest) = self.bytes.split_first().expect("packed code is what was written");
        self.bytes = rest;
        *byte
    }

    #[inline]
    pub fn number(&mut self) -> u32 {
        let mut number = 0;
        for shift in (0..).step_by(7) {
            let byte = self.byte();
            number |= u32::from(byte & !MORE) << shift;
            if byte & MORE == 0 {
                break;
            }
        }
        number
    }

    fn signed(&mut self) -> i32 {
        let number = self.number();
        (number >> 1).cast_signed() ^ -(number & 1).cast_signed()
    }

    fn array<const N: usize>(&mut self) -> [u8; N] {
        let (array, rest) = self.bytes.split_first_chunk().expect("packed code is what was written");
        self.bytes = rest;
        *array
    }

    fn text(&mut self) -> &'static [u8] {
        let length = self.number() as usize;
        let (text, rest) = self.bytes.split_at(length);
        self.bytes = rest;
        text
    }

    fn list<T>(&mut self, mut read: impl FnMut(&mut Self) -> T) -> Box<[T]> {
        let count = self.number();
        (0..count).map(|_| read(self)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::compile;

    const TEXT: &str = "local a, b = 1.5, -0.0
        local function outer(x, ...)
            local deep = function() a = a + x return function() return b, 'a long text, and a \\0 byte', nil, true end end
            for i = 1, 300 do print(i, {1, 2, three = false}) end
            return deep, ...
        end


        return outer";

    /// All that there is to know of a function.
    fn shown(proto: &Proto) -> String {
        let children: String = proto.children().iter().map(|child| shown(child)).collect();
        let constants: Vec<_> = proto
            .constants()
            .iter()
            .map(|one| one.text().map_or(format!("{one:?}"), |text| format!("{text:?}")))
            .collect();
        let (head, upvalues, code, notes) = (proto.head, &proto.upvalues, proto.code(), proto.notes());
        format!("{:?} {head:?} {upvalues:?} {code:?} {constants:?} {notes:?}\n{children}", proto.name)
    }

    #[test]
    fn unpacked_functions_are_those_that_were_packed() {
        let compiled = compile(TEXT.as_bytes(), b"@test.lua", usize::MAX, Dialect::CraftosPc).unwrap();
        let bytes = pack(&compiled).leak();
        let unpacked = unpack(bytes, b"@test.lua", Dialect::CraftosPc);
        assert_eq!(shown(&unpacked), shown(&compiled));
        assert_eq!(pack(&unpacked), bytes);
        assert_eq!(unpacked.size(), 0, "what is part of the program is nobody's memory");
        assert_ne!(compiled.size(), 0);
    }
}
