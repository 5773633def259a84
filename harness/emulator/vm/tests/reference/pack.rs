//! `string.pack`, `string.packsize` and `string.unpack`, each built as the library does.

use craftos_lua::text::bytes::place;
use craftos_lua::text::pack::values::{
    pack_double, pack_float, pack_length, pack_signed, pack_unsigned, unpack_double, unpack_float,
    unpack_length, unpack_number,
};
use craftos_lua::text::pack::{
    CONTAINS_ZEROS, DATA_TOO_SHORT, Kind, Options, POSITION, PackError, TOO_LONG, UNFINISHED, add_size,
    data_range,
};

use crate::{number_of, report, rows, unescape};

/// There is no argument for an option: the library says what kind it wants.
const MISSING: &[u8] = b"no argument";

enum Value {
    Number(f64),
    Text(Vec<u8>),
}

impl Value {
    fn of(written: &str) -> Self {
        match written.strip_prefix('s') {
            Some(text) => Self::Text(unescape(text)),
            None => Self::Number(number_of(written)),
        }
    }

    fn show(&self) -> String {
        match self {
            Self::Number(number) => format!("{:016x}", number.to_bits()),
            Self::Text(text) => format!("s{}", crate::escape(text)),
        }
    }
}

fn argument(index: usize) -> impl Fn(&'static str) -> Vec<u8> {
    move |message| format!("bad argument #{index} ({message})").into_bytes()
}

fn format_error(error: PackError) -> Vec<u8> {
    let message = error.message();
    if error.is_about_argument() { [b"bad argument #1 (", &message[..], b")"].concat() } else { message }
}

fn pack(format: &[u8], arguments: &[Value]) -> Result<Vec<u8>, Vec<u8>> {
    let mut out = Vec::new();
    let mut options = Options::default();
    let mut given = arguments.iter().zip(2..);
    while let Some(option) = options.next(format, out.len()).map_err(format_error)? {
        out.resize(out.len() + option.padding, 0);
        let (size, order) = (option.size, option.order);
        match option.kind {
            Kind::Nothing => continue,
            Kind::Padding => {
                out.push(0);
                continue;
            }
            _ => {}
        }
        let (value, index) = given.next().ok_or(MISSING)?;
        match (option.kind, value) {
            (Kind::Signed, Value::Number(number)) => pack_signed(*number, size, order, &mut out),
            (Kind::Unsigned, Value::Number(number)) => pack_unsigned(*number, size, order, &mut out),
            (Kind::Float, Value::Number(number)) => {
                pack_float(*number, order, &mut out);
                Ok(())
            }
            (Kind::Double, Value::Number(number)) => {
                pack_double(*number, order, &mut out);
                Ok(())
            }
            (Kind::Fixed, Value::Text(text)) => {
                let missing = size.checked_sub(text.len()).ok_or(TOO_LONG);
                missing.map(|missing| {
                    out.extend_from_slice(text);
                    out.resize(out.len() + missing, 0);
                })
            }
            (Kind::Prefixed, Value::Text(text)) => {
                pack_length(text.len(), size, order, &mut out).map(|()| out.extend_from_slice(text))
            }
            (Kind::Terminated, Value::Text(text)) if text.contains(&0) => Err(CONTAINS_ZEROS),
            (Kind::Terminated, Value::Text(text)) => {
                out.extend_from_slice(text);
                out.push(0);
                Ok(())
            }
            _ => panic!("the table gives each option what it wants"),
        }
        .map_err(argument(index))?;
    }
    Ok(out)
}

fn packsize(format: &[u8]) -> Result<usize, Vec<u8>> {
    let mut options = Options::default();
    let mut total = 0;
    while let Some(option) = options.next(format, total).map_err(format_error)? {
        total = add_size(total, &option).map_err(argument(1))?;
    }
    Ok(total)
}

fn unpack(format: &[u8], data: &[u8], position: i64) -> Result<Vec<Value>, Vec<u8>> {
    let mut options = Options::default();
    let start = place(position, data.len()).filter(|place| *place <= data.len());
    let mut at = start.ok_or(POSITION).map_err(argument(3))?;
    let mut values = Vec::new();
    while let Some(option) = options.next(format, at).map_err(format_error)? {
        let range = data_range(at, &option, data.len()).map_err(argument(2))?;
        let bytes = &data[range.clone()];
        at = range.end;
        let order = option.order;
        match option.kind {
            Kind::Signed | Kind::Unsigned => {
                let number =
                    unpack_number(bytes, option.kind == Kind::Signed, order).map_err(String::into_bytes)?;
                values.push(Value::Number(number));
            }
            Kind::Float => {
                values.push(Value::Number(unpack_float(bytes.try_into().expect("four bytes"), order)));
            }
            Kind::Double => {
                values.push(Value::Number(unpack_double(bytes.try_into().expect("eight bytes"), order)));
            }
            Kind::Fixed => values.push(Value::Text(bytes.to_vec())),
            Kind::Prefixed => {
                let length = unpack_length(bytes, order).map_err(String::into_bytes)?;
                let text = at.checked_add(length).and_then(|end| data.get(at..end));
                let text = text.ok_or(DATA_TOO_SHORT).map_err(argument(2))?;
                at += length;
                values.push(Value::Text(text.to_vec()));
            }
            Kind::Terminated => {
                let end =
                    data[at..].iter().position(|byte| *byte == 0).ok_or(UNFINISHED).map_err(argument(2))?;
                values.push(Value::Text(data[at..at + end].to_vec()));
                at += end + 1;
            }
            Kind::Padding | Kind::Nothing => {}
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "a short text")]
    values.push(Value::Number((at + 1) as f64));
    Ok(values)
}

#[test]
fn values_are_packed_and_unpacked_as_in_the_reference() {
    let mut differences = Vec::new();
    let mut compared = 0;
    for row in rows(include_str!("pack.txt")) {
        let [call, format, arguments, expected] = row[..] else { panic!("four fields: {row:?}") };
        let format = unescape(format);
        let outcome = match call {
            "pack" => {
                let given = arguments.split(',').filter(|argument| !argument.is_empty()).map(Value::of);
                pack(&format, &given.collect::<Vec<_>>()).map(|bytes| vec![Value::Text(bytes)])
            }
            #[expect(clippy::cast_precision_loss, reason = "below 2^31")]
            "packsize" => packsize(&format).map(|size| vec![Value::Number(size as f64)]),
            _ => {
                let (data, position) = arguments.rsplit_once(',').expect("data and a position");
                unpack(&format, &unescape(data), position.parse().expect("a number"))
            }
        };
        let actual = match outcome {
            Ok(values) => values.iter().map(Value::show).collect::<Vec<_>>().join(","),
            Err(message) => format!("error:{}", crate::escape(&message)),
        };
        compared += 1;
        let missing = actual == "error:no argument" && expected.contains("(expected ");
        if actual != expected && !missing {
            differences.push(format!("{row:?}: {actual}"));
        }
    }
    report(&differences, compared);
}
