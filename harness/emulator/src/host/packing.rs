//! `string.pack`, `string.unpack` and `string.packsize`, which Lua 5.2 does not have; as in Lua 5.3.

use super::{Arguments, Host};
use crate::lua::{Call, Native, NativeResult, Raise, Value};

/// The largest integer in bytes.
const LARGEST: usize = 16;
/// What `!` alone aligns to: the largest alignment of this machine's C types.
const NATIVE_ALIGNMENT: usize = 8;
/// Integers wider than this need a sign to be filled in.
const WORD: usize = 8;
/// A packed string may not be larger: it is made outside of the computer's own memory.
const LONGEST: usize = 64 * 1024 * 1024;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Item {
    Integer { size: usize, signed: bool },
    Float,
    Double,
    Fixed(usize),
    Counted(usize),
    Zero,
    Padding,
    Align(usize),
    Nothing,
}

/// Reads a format and keeps its modes: the order of bytes and the alignment.
struct Format<'a> {
    rest: &'a [u8],
    little: bool,
    alignment: usize,
}

impl<'a> Format<'a> {
    fn new(text: &'a [u8]) -> Self {
        Self { rest: text, little: cfg!(target_endian = "little"), alignment: 1 }
    }

    fn number(&mut self) -> Option<usize> {
        let digits = self.rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (text, rest) = self.rest.split_at(digits);
        self.rest = rest;
        (digits > 0).then(|| {
            text.iter()
                .fold(0_usize, |sum, byte| sum.saturating_mul(10).saturating_add(usize::from(byte - b'0')))
        })
    }

    fn size(&mut self, default: usize) -> Result<usize, Raise> {
        let size = self.number().unwrap_or(default);
        if (1..=LARGEST).contains(&size) {
            return Ok(size);
        }
        Err(Raise::new(format!("integral size ({size}) out of limits [1,{LARGEST}]")))
    }

    fn item(&mut self) -> Result<Option<Item>, Raise> {
        let Some((&letter, rest)) = self.rest.split_first() else {
            return Ok(None);
        };
        self.rest = rest;
        let integer = |size, signed| Item::Integer { size, signed };
        Ok(Some(match letter {
            b'b' => integer(1, true),
            b'B' => integer(1, false),
            b'h' => integer(2, true),
            b'H' => integer(2, false),
            b'i' => integer(self.size(4)?, true),
            b'I' => integer(self.size(4)?, false),
            b'l' | b'j' => integer(8, true),
            b'L' | b'J' | b'T' => integer(8, false),
            b'f' => Item::Float,
            b'd' | b'n' => Item::Double,
            b's' => Item::Counted(self.size(8)?),
            b'c' => {
                Item::Fixed(self.number().ok_or_else(|| Raise::new("missing size for format option 'c'"))?)
            }
            b'z' => Item::Zero,
            b'x' => Item::Padding,
            b'X' => {
                // Not another one of its kind: a text of a million of them is no million calls.
                let next = if self.rest.starts_with(b"X") { None } else { self.item()? };
                let size = match next {
                    Some(Item::Integer { size, .. } | Item::Counted(size)) => size,
                    Some(Item::Float) => 4,
                    Some(Item::Double) => 8,
                    _ => return Err(Raise::new("bad argument #1 (invalid next option for option 'X')")),
                };
                Item::Align(size)
            }
            b' ' => Item::Nothing,
            b'<' => {
                self.little = true;
                Item::Nothing
            }
            b'>' => {
                self.little = false;
                Item::Nothing
            }
            b'=' => {
                self.little = cfg!(target_endian = "little");
                Item::Nothing
            }
            b'!' => {
                self.alignment = self.size(NATIVE_ALIGNMENT)?;
                Item::Nothing
            }
            other => {
                return Err(Raise::new([&b"invalid format option '"[..], &[other], b"'"].concat()));
            }
        }))
    }

    /// How many bytes come before an item at that position.
    fn padding(&self, item: Item, position: usize) -> Result<usize, Raise> {
        let natural = match item {
            Item::Integer { size, .. } | Item::Align(size) | Item::Counted(size) => size,
            Item::Float => 4,
            Item::Double => 8,
            _ => return Ok(0),
        };
        let alignment = natural.min(self.alignment);
        if alignment <= 1 {
            return Ok(0);
        }
        if !alignment.is_power_of_two() {
            return Err(Raise::new("bad argument #1 (format asks for alignment not power of 2)"));
        }
        Ok((alignment - position % alignment) % alignment)
    }
}

/// The bytes of an integer, smallest first, with its sign continued.
fn integer_bytes(number: i64, size: usize) -> Vec<u8> {
    let fill = if number < 0 { 0xFF } else { 0 };
    number.to_le_bytes().into_iter().chain(std::iter::repeat(fill)).take(size).collect()
}

fn ordered(mut bytes: Vec<u8>, little: bool) -> Vec<u8> {
    if !little {
        bytes.reverse();
    }
    bytes
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "the range is checked, and 2^63 is exact"
)]
fn integer_argument(call: &Call<'_>, index: usize, size: usize, signed: bool) -> Result<i64, Raise> {
    let number = call.float(index)?;
    if number.fract() != 0.0 || number.is_nan() {
        return Err(Raise::new(format!("bad argument #{index} (number has no integer representation)")));
    }
    if size < WORD {
        let bits = i32::try_from(size * 8).expect("it is at most 56");
        let (low, high) =
            if signed { (-(2_f64.powi(bits - 1)), 2_f64.powi(bits - 1)) } else { (0.0, 2_f64.powi(bits)) };
        if number < low || number >= high {
            let kind = if signed { "integer overflow" } else { "unsigned overflow" };
            return Err(Raise::new(format!("bad argument #{index} ({kind})")));
        }
    }
    // Unsigned numbers past the sign bit keep their bits.
    Ok(if number >= i64::MAX as f64 { (number - 2_f64.powi(64)) as i64 } else { number as i64 })
}

fn pack(host: &mut Host, call: &mut Call<'_>) -> NativeResult {
    let limit = host.settings().size("memoryLimit");
    let text = call.text(1)?;
    let mut format = Format::new(&text);
    let mut packed: Vec<u8> = Vec::new();
    let mut argument = 1;
    while let Some(item) = format.item()? {
        packed.extend(std::iter::repeat_n(0, format.padding(item, packed.len())?));
        if !matches!(item, Item::Padding | Item::Align(_) | Item::Nothing) {
            argument += 1;
        }
        match item {
            Item::Integer { size, signed } => {
                let number = integer_argument(call, argument, size, signed)?;
                packed.extend(ordered(integer_bytes(number, size), format.little));
            }
            #[expect(clippy::cast_possible_truncation, reason = "a float is what was asked for")]
            Item::Float => {
                packed.extend(ordered((call.float(argument)? as f32).to_le_bytes().to_vec(), format.little));
            }
            Item::Double => {
                packed.extend(ordered(call.float(argument)?.to_le_bytes().to_vec(), format.little));
            }
            Item::Fixed(size) => {
                let bytes = call.text(argument)?;
                if bytes.len() > size {
                    return Err(Raise::new(format!(
                        "bad argument #{argument} (string longer than given size)"
                    )));
                }
                if packed.len().saturating_add(size) > LONGEST {
                    return Err(Raise::new("not enough memory"));
                }
                let padding = size - bytes.len();
                packed.extend(bytes);
                packed.extend(std::iter::repeat_n(0, padding));
            }
            Item::Counted(size) => {
                let bytes = call.text(argument)?;
                if size < WORD && bytes.len() as u64 >= 1_u64 << (size * 8) {
                    return Err(Raise::new(format!(
                        "bad argument #{argument} (string length does not fit in given size)"
                    )));
                }
                let length = i64::try_from(bytes.len()).unwrap_or(i64::MAX);
                packed.extend(ordered(integer_bytes(length, size), format.little));
                packed.extend(bytes);
            }
            Item::Zero => {
                let bytes = call.text(argument)?;
                if bytes.contains(&0) {
                    return Err(Raise::new(format!("bad argument #{argument} (string contains zeros)")));
                }
                packed.extend(bytes);
                packed.push(0);
            }
            Item::Padding => packed.push(0),
            Item::Align(_) | Item::Nothing => {}
        }
        // One text may be packed many times.
        if packed.len() > LONGEST.max(limit) {
            return Err(Raise::new("not enough memory"));
        }
    }
    call.push(Value::String(packed));
    Ok(())
}

fn packsize(_: &mut Host, call: &mut Call<'_>) -> NativeResult {
    let text = call.text(1)?;
    let mut format = Format::new(&text);
    let mut total: usize = 0;
    while let Some(item) = format.item()? {
        let size = match item {
            Item::Integer { size, .. } | Item::Fixed(size) => size,
            Item::Float => 4,
            Item::Double => 8,
            Item::Padding => 1,
            Item::Align(_) | Item::Nothing => 0,
            Item::Counted(_) | Item::Zero => {
                return Err(Raise::new("bad argument #1 (variable-length format)"));
            }
        };
        total = total.saturating_add(format.padding(item, total)?).saturating_add(size);
        if total > LONGEST {
            return Err(Raise::new("bad argument #1 (format result too large)"));
        }
    }
    call.push(u32::try_from(total).unwrap_or(u32::MAX));
    Ok(())
}

fn too_short() -> Raise {
    Raise::new("bad argument #2 (data string too short)")
}

fn take<'a>(data: &'a [u8], position: &mut usize, count: usize) -> Result<&'a [u8], Raise> {
    let end = position.checked_add(count).ok_or_else(too_short)?;
    let bytes = data.get(*position..end).ok_or_else(too_short)?;
    *position = end;
    Ok(bytes)
}

#[expect(clippy::cast_precision_loss, reason = "Lua has no other numbers")]
fn unpack_integer(bytes: &[u8], little: bool, signed: bool) -> Result<f64, Raise> {
    let bytes = ordered(bytes.to_vec(), little);
    let negative = signed && bytes.last().is_some_and(|byte| byte & 0x80 != 0);
    let (low, high) = bytes.split_at(bytes.len().min(WORD));
    let fill = if negative { 0xFF } else { 0 };
    if high.iter().any(|&byte| byte != fill) {
        return Err(Raise::new(format!("{}-byte integer does not fit into Lua Integer", bytes.len())));
    }
    let mut word = [fill; WORD];
    word[..low.len()].copy_from_slice(low);
    Ok(if signed { i64::from_le_bytes(word) as f64 } else { u64::from_le_bytes(word) as f64 })
}

fn unpack(_: &mut Host, call: &mut Call<'_>) -> NativeResult {
    let (text, data) = (call.text(1)?, call.text(2)?);
    let start = call.float_or(3, 1.0)?;
    #[expect(clippy::cast_precision_loss, reason = "strings are far shorter")]
    let length = data.len() as f64;
    let start = if start < 0.0 { (length + start + 1.0).max(0.0) } else { start } - 1.0;
    if !(0.0..=length).contains(&start) {
        return Err(Raise::new("bad argument #3 (initial position out of string)"));
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it lies inside the string")]
    let mut position = start as usize;
    let mut format = Format::new(&text);
    while let Some(item) = format.item()? {
        let padding = format.padding(item, position)?;
        take(&data, &mut position, padding)?;
        match item {
            Item::Integer { size, signed } => {
                let number = unpack_integer(take(&data, &mut position, size)?, format.little, signed)?;
                call.push(number);
            }
            Item::Float => {
                let bytes = ordered(take(&data, &mut position, 4)?.to_vec(), format.little);
                call.push(f64::from(f32::from_le_bytes(bytes.try_into().expect("four bytes were taken"))));
            }
            Item::Double => {
                let bytes = ordered(take(&data, &mut position, 8)?.to_vec(), format.little);
                call.push(f64::from_le_bytes(bytes.try_into().expect("eight bytes were taken")));
            }
            Item::Fixed(size) => call.push(Value::string(take(&data, &mut position, size)?)),
            Item::Counted(size) => {
                let count = unpack_integer(take(&data, &mut position, size)?, format.little, false)?;
                if count > length {
                    return Err(too_short());
                }
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "it is shorter than the string"
                )]
                call.push(Value::string(take(&data, &mut position, count as usize)?));
            }
            Item::Zero => {
                let rest = &data[position..];
                let end = rest
                    .iter()
                    .position(|&byte| byte == 0)
                    .ok_or_else(|| Raise::new("unfinished string for format 'z'"))?;
                call.push(Value::string(&rest[..end]));
                position += end + 1;
            }
            Item::Padding => {
                take(&data, &mut position, 1)?;
            }
            Item::Align(_) | Item::Nothing => {}
        }
    }
    call.push(u32::try_from(position + 1).unwrap_or(u32::MAX));
    Ok(())
}

pub const NATIVES: &[Native] = &[
    Native { name: "pack", run: pack },
    Native { name: "packsize", run: packsize },
    Native { name: "unpack", run: unpack },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_keep_their_sign_in_any_width() {
        for size in 2..=LARGEST {
            let bytes = ordered(integer_bytes(-300, size), false);
            assert!((unpack_integer(&bytes, false, true).expect("it fits") + 300.0).abs() < f64::EPSILON);
        }
    }

    proptest::proptest! {
        #[test]
        fn any_format_is_read_or_refused(text in proptest::collection::vec(proptest::num::u8::ANY, 0..32)) {
            let mut format = Format::new(&text);
            while let Ok(Some(_)) = format.item() {}
        }
    }
}
