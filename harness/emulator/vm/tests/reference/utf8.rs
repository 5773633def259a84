//! The functions of `utf8`, and the positions of `sub` and `byte`.

use craftos_lua::text::bytes::{place, range};
use craftos_lua::text::utf8::{
    CHARPATTERN, FIRST_POSITION, INVALID, LAST_POSITION, Length, OFFSET_POSITION, OUT_OF_RANGE, Offset,
    POSITION, Walked, decode, encode, next_code,
};

use crate::{escape, report, rows, unescape};

/// The result as the table shows it, or the message.
type Outcome = Result<String, String>;

fn argument(index: usize, message: &str) -> String {
    format!("bad argument #{index} ({message})")
}

fn len(text: &[u8], first: i64, last: i64, slice: u64) -> Outcome {
    let from = place(first, text.len()).filter(|from| *from <= text.len());
    let from = from.ok_or_else(|| argument(2, FIRST_POSITION))?;
    let to = place(last, text.len()).map_or(0, |last| last + 1);
    if to > text.len() {
        return Err(argument(3, LAST_POSITION));
    }
    let mut walk = Length::new(from..to.max(from));
    loop {
        match walk.step(text, &mut slice.clone()) {
            Walked::Paused => {}
            Walked::Done(Ok(count)) => return Ok(count.to_string()),
            Walked::Done(Err(at)) => return Ok(format!("nil,{at}")),
        }
    }
}

fn codepoint(text: &[u8], first: i64, last: i64) -> Outcome {
    let mut at = place(first, text.len()).ok_or_else(|| argument(2, POSITION))?;
    let end = place(last, text.len()).map_or(0, |last| last + 1);
    if end > text.len() {
        return Err(argument(3, POSITION));
    }
    let mut codes = Vec::new();
    while at < end {
        let (code, length) = decode(&text[at..]).ok_or(INVALID)?;
        codes.push(code.to_string());
        at += length;
    }
    Ok(codes.join(","))
}

fn offset(text: &[u8], count: i64, from: i64, slice: u64) -> Outcome {
    let from = place(from, text.len()).filter(|from| *from <= text.len());
    let from = from.ok_or_else(|| argument(3, OFFSET_POSITION))?;
    let mut walk = Offset::new(text, count, from)?;
    loop {
        match walk.step(text, &mut slice.clone()) {
            Walked::Paused => {}
            Walked::Done(at) => return Ok(at.map_or("nil".to_owned(), |at| at.to_string())),
        }
    }
}

fn codes(text: &[u8]) -> Outcome {
    let mut found = Vec::new();
    let mut previous = 0;
    while let Some((position, code)) = next_code(text, previous)? {
        found.push(format!("{position}:{code}"));
        previous = position;
    }
    Ok(format!("s{}", found.join(";")))
}

fn call(name: &str, text: &[u8], one: i64, two: i64, slice: u64) -> Outcome {
    match name {
        "char" => {
            let mut out = Vec::new();
            if encode(one, &mut out) {
                Ok(format!("s{}", escape(&out)))
            } else {
                Err(argument(1, OUT_OF_RANGE))
            }
        }
        "charpattern" => Ok(format!("s{}", escape(CHARPATTERN))),
        "len" => len(text, one, two, slice),
        "codepoint" => codepoint(text, one, two),
        "offset" => offset(text, one, two, slice),
        "codes" => codes(text),
        "sub" => Ok(format!("s{}", escape(&text[range(one, two, text.len())]))),
        "byte" => {
            let bytes = text[range(one, two, text.len())].iter().map(u8::to_string);
            Ok(bytes.collect::<Vec<_>>().join(","))
        }
        _ => panic!("no such call: {name}"),
    }
}

#[test]
fn codes_and_positions_are_as_in_the_reference_however_they_are_sliced() {
    let mut differences = Vec::new();
    let mut compared = 0;
    for row in rows(include_str!("utf8.txt")) {
        let [name, text, arguments, expected] = row[..] else { panic!("four fields: {row:?}") };
        let text = unescape(text);
        let mut numbers = arguments.split(',').map(|number| number.parse().unwrap_or(0));
        let (one, two) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
        for slice in [u64::MAX, 1] {
            let outcome = call(name, &text, one, two, slice);
            let actual = outcome.unwrap_or_else(|message| format!("error:{message}"));
            compared += 1;
            if actual != expected {
                differences.push(format!("{row:?}: {actual}"));
            }
        }
    }
    report(&differences, compared);
}
