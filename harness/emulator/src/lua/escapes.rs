//! `\u{XXX}` in string literals, which computers know and Lua 5.2 does not.
//!
//! The text is rewritten before it is compiled: each such escape becomes the decimal escapes of its bytes, so
//! that lines keep their numbers. Comments and long strings stay as they are.

/// The last code point that UTF-8 can write.
const LAST: u32 = 0x7FFF_FFFF;

/// The text with its escapes replaced; none if there is nothing to replace.
pub fn translate(text: &[u8]) -> Option<Vec<u8>> {
    if !text.windows(3).any(|window| window == b"\\u{") {
        return None;
    }
    let mut result = Vec::with_capacity(text.len() + 64);
    let mut at = 0;
    while at < text.len() {
        let end = match text[at] {
            b'"' | b'\'' => {
                at = copy_string(text, at, &mut result);
                continue;
            }
            b'-' if text[at..].starts_with(b"--") => {
                let start = at + 2;
                long_bracket(text, start).unwrap_or_else(|| find(text, start, b"\n"))
            }
            b'[' => long_bracket(text, at).unwrap_or(at + 1),
            _ => at + 1,
        };
        result.extend_from_slice(&text[at..end]);
        at = end;
    }
    Some(result)
}

fn find(text: &[u8], start: usize, wanted: &[u8]) -> usize {
    let rest = &text[start..];
    rest.windows(wanted.len())
        .position(|window| window == wanted)
        .map_or(text.len(), |found| start + found)
}

/// The end of a long string or comment that begins at `start`, if one does.
fn long_bracket(text: &[u8], start: usize) -> Option<usize> {
    let rest = text.get(start..)?.strip_prefix(b"[")?;
    let level = rest.iter().take_while(|&&byte| byte == b'=').count();
    if rest.get(level) != Some(&b'[') {
        return None;
    }
    let closing = [&b"]"[..], &vec![b'='; level], b"]"].concat();
    Some((find(text, start + level + 2, &closing) + closing.len()).min(text.len()))
}

/// Copies a quoted string with its escapes replaced; returns where it ends.
fn copy_string(text: &[u8], start: usize, result: &mut Vec<u8>) -> usize {
    let quote = text[start];
    result.push(quote);
    let mut at = start + 1;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'\\' => {
                if let Some((code, length)) = unicode_escape(&text[at..]) {
                    for byte in utf8(code) {
                        result.extend_from_slice(format!("\\{byte:03}").as_bytes());
                    }
                    at += length;
                } else {
                    let mut end = (at + 2).min(text.len());
                    if text[at..end] == *b"\\z" {
                        // The white space that this escape swallows may contain the ends of lines.
                        end += text[end..]
                            .iter()
                            .take_while(|byte| byte.is_ascii_whitespace() || **byte == 11)
                            .count();
                    }
                    result.extend_from_slice(&text[at..end]);
                    at = end;
                }
            }
            b'\n' => return at,
            byte => {
                result.push(byte);
                at += 1;
                if byte == quote {
                    return at;
                }
            }
        }
    }
    at
}

/// The code point of an escape at the front, and the escape's length.
fn unicode_escape(text: &[u8]) -> Option<(u32, usize)> {
    let digits = text.strip_prefix(b"\\u{")?;
    let count = digits.iter().position(|&byte| byte == b'}')?;
    let code = u32::from_str_radix(str::from_utf8(&digits[..count]).ok()?, 16).ok()?;
    (code <= LAST).then_some((code, count + 4))
}

fn utf8(code: u32) -> Vec<u8> {
    if code < 0x80 {
        return vec![u8::try_from(code).unwrap_or_default()];
    }
    let mut rest = code;
    let mut bytes = Vec::new();
    let mut room = 0x3F;
    loop {
        bytes.push(0x80 | u8::try_from(rest & 0x3F).unwrap_or_default());
        rest >>= 6;
        room >>= 1;
        if rest <= room {
            let mark = !((room << 1) | 1);
            bytes.push(u8::try_from((mark | rest) & 0xFF).unwrap_or_default());
            break;
        }
    }
    bytes.reverse();
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_become_the_bytes_of_their_character() {
        let translated = |text: &str| {
            translate(text.as_bytes()).map(|bytes| String::from_utf8(bytes).expect("it is text"))
        };
        assert_eq!(
            translated(r#"x = "\u{48}\u{20AC}""#).as_deref(),
            Some(r#"x = "\072\226\130\172""#)
        );
        assert_eq!(translated(r#"-- "\u{48}" "#).as_deref(), Some(r#"-- "\u{48}" "#));
        assert_eq!(
            translated(r#"[[ "\u{48}" ]] '\u{41}'"#).as_deref(),
            Some(r#"[[ "\u{48}" ]] '\065'"#)
        );
        assert_eq!(translated(r#""\\u{48}""#).as_deref(), Some(r#""\\u{48}""#));
        assert_eq!(
            translated("'a\\z\n  \\u{41}'").as_deref(),
            Some("'a\\z\n  \\065'")
        );
        assert_eq!(translated("print(1)"), None);
    }

    proptest::proptest! {
        #[test]
        fn code_points_are_written_as_utf8(character: char) {
            let expected = character.to_string().into_bytes();
            proptest::prop_assert_eq!(utf8(character.into()), expected);
        }

        #[test]
        fn any_text_keeps_its_lines(text in "([\"'\\\\\\[\\]=\\-a\n]|\\\\u\\{[0-9a-g]{0,3}\\}){0,40}") {
            if let Some(result) = translate(text.as_bytes()) {
                let lines = |bytes: &[u8]| bytes.split(|&byte| byte == b'\n').count();
                proptest::prop_assert_eq!(lines(&result), lines(text.as_bytes()));
            }
        }
    }
}
