//! Numbers to bytes and back.

use crate::text::number::to_integer;

/// The order of the bytes of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    Little,
    Big,
}

/// The bytes of Lua's whole numbers.
const OWN_SIZE: usize = 8;

/// Appends the lowest `size` bytes of a number.
fn append(value: i128, size: usize, order: Order, out: &mut Vec<u8>) {
    let bytes = value.to_le_bytes();
    match order {
        Order::Little => out.extend(&bytes[..size]),
        Order::Big => out.extend(bytes[..size].iter().rev()),
    }
}

/// Packs a whole number with a sign into `size` bytes. The error is about the argument.
pub fn pack_signed(value: f64, size: usize, order: Order, out: &mut Vec<u8>) -> Result<(), &'static str> {
    let whole = to_integer(value);
    if size < OWN_SIZE {
        let limit = 1i64 << (size * 8 - 1);
        if !(-limit..limit).contains(&whole) {
            return Err("integer overflow");
        }
    }
    append(whole.into(), size, order, out);
    Ok(())
}

/// Packs a whole number without a sign into `size` bytes. The error is about the argument.
pub fn pack_unsigned(value: f64, size: usize, order: Order, out: &mut Vec<u8>) -> Result<(), &'static str> {
    let whole = to_integer(value).cast_unsigned();
    if size < OWN_SIZE && whole >= 1u64 << (size * 8) {
        return Err("unsigned overflow");
    }
    append(whole.into(), size, order, out);
    Ok(())
}

/// Packs the length of a text. The error is about the text.
pub fn pack_length(length: usize, size: usize, order: Order, out: &mut Vec<u8>) -> Result<(), &'static str> {
    let whole = i64::try_from(length).map_err(|_| super::LENGTH_TOO_LARGE)?;
    if size < OWN_SIZE && whole >= 1i64 << (size * 8) {
        return Err(super::LENGTH_TOO_LARGE);
    }
    append(whole.into(), size, order, out);
    Ok(())
}

pub fn pack_float(value: f64, order: Order, out: &mut Vec<u8>) {
    #[expect(clippy::cast_possible_truncation, reason = "four bytes are asked for")]
    let value = value as f32;
    out.extend(match order {
        Order::Little => value.to_le_bytes(),
        Order::Big => value.to_be_bytes(),
    });
}

pub fn pack_double(value: f64, order: Order, out: &mut Vec<u8>) {
    out.extend(match order {
        Order::Little => value.to_le_bytes(),
        Order::Big => value.to_be_bytes(),
    });
}

/// Reads a whole number of up to sixteen bytes, or says that it does not fit eight: an error of its own.
pub fn unpack_integer(bytes: &[u8], signed: bool, order: Order) -> Result<i64, String> {
    let mut lowest_first = [0u8; 16];
    let used = &mut lowest_first[..bytes.len()];
    used.copy_from_slice(bytes);
    if order == Order::Big {
        used.reverse();
    }
    let [low, high] = [0, OWN_SIZE].map(|from| std::array::from_fn(|place| lowest_first[from + place]));
    let low = u64::from_le_bytes(low);
    let mut value = low.cast_signed();
    if bytes.len() < OWN_SIZE && signed {
        let unused = 64 - 8 * bytes.len();
        value = value << unused >> unused;
    }
    let rest = if signed && value < 0 { 0xff } else { 0 };
    if high.iter().take(bytes.len().saturating_sub(OWN_SIZE)).any(|byte| *byte != rest) {
        return Err(format!("{}-byte integer does not fit into Lua Integer", bytes.len()));
    }
    Ok(value)
}

/// The same as a number of Lua. Eight bytes without a sign keep their size; more than eight are read as with a sign, as in
/// CraftOS-PC.
pub fn unpack_number(bytes: &[u8], signed: bool, order: Order) -> Result<f64, String> {
    let value = unpack_integer(bytes, signed, order)?;
    #[expect(clippy::cast_precision_loss, reason = "Lua's numbers are doubles")]
    let number = if signed || bytes.len() > OWN_SIZE { value as f64 } else { value.cast_unsigned() as f64 };
    Ok(number)
}

/// The length in front of a text, if it can be one.
pub fn unpack_length(bytes: &[u8], order: Order) -> Result<usize, String> {
    // A length that no memory has is past the end of any data.
    Ok(usize::try_from(unpack_integer(bytes, false, order)?.cast_unsigned()).unwrap_or(usize::MAX))
}

/// Reads a number of four bytes.
pub fn unpack_float(bytes: [u8; 4], order: Order) -> f64 {
    f64::from(match order {
        Order::Little => f32::from_le_bytes(bytes),
        Order::Big => f32::from_be_bytes(bytes),
    })
}

/// Reads a number of eight bytes.
pub fn unpack_double(bytes: [u8; 8], order: Order) -> f64 {
    match order {
        Order::Little => f64::from_le_bytes(bytes),
        Order::Big => f64::from_be_bytes(bytes),
    }
}
