//! How texts, bytes and blocks are shown: readable, and never two things alike. What is cut has a hash beside it.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

/// A text longer than this is shown by its beginning, its length and its hash: a transcript is for reading.
const LONGEST: usize = 400;

/// What is shown of a text that is too long.
const BEGINNING: usize = 60;

/// Digits of a hash: a wrong byte gives others, and a line stays readable.
const HASH_DIGITS: usize = 16;

/// Stands between the length and the hash of a text that was cut.
const CUT: &str = " characters, sha256 ";

/// Bytes that are no text are shown in full up to this many.
const SHORT_BYTES: usize = 60;

/// Lines that the harness writes. A text with such a line is quoted, so that it is not taken for one.
const LINES: [&str; 4] = ["cancelled by the client", "error", "no content", "no such file"];

/// With these words other lines of the harness begin.
const BEGINNINGS: [&str; 12] = [
    "audio: ",
    "block: ",
    "bytes: ",
    "data: ",
    "image: ",
    "meta: ",
    "progress: ",
    "protocol error ",
    "resource",
    "structured: ",
    "text: ",
    "… [",
];

/// So many lines that go on counting are told by their first and their last.
const COUNTING: usize = 20;

/// The beginning of a hash of bytes.
pub fn hash(bytes: &[u8]) -> String {
    let mut digits = String::new();
    for byte in Sha256::digest(bytes) {
        let _ = write!(digits, "{byte:02x}");
    }
    digits.truncate(HASH_DIGITS);
    digits
}

/// Cuts a text that is too long to be read; its hash tells it from any other of that length. So it does with a text that
/// looks as if it had been cut.
pub fn shorten(text: &str) -> String {
    let count = text.chars().count();
    if count <= LONGEST && !text.contains(CUT) {
        return text.to_owned();
    }
    let beginning: String = text.chars().take(BEGINNING).collect();
    format!("{beginning}… [{count}{CUT}{}]", hash(text.as_bytes()))
}

/// A text as its lines where that says all of it, otherwise in quotes.
pub fn text(text: &str) -> String {
    let is_marked =
        |line: &str| LINES.contains(&line) || BEGINNINGS.iter().any(|words| line.starts_with(words));
    let is_plain = |c: char| c == '\n' || !c.is_control();
    if text.is_empty() || text.ends_with('\n') || !text.chars().all(is_plain) || text.lines().any(is_marked) {
        return quoted(text);
    }
    shorten(&counted(text))
}

/// A text in one line: in quotes where it has several, ends in spaces, is too long, or begins with a quote itself.
pub fn one_line(text: &str) -> String {
    let is_whole = text.trim_end() == text && shorten(text) == text;
    let is_plain = is_whole && !text.starts_with('"') && !text.chars().any(char::is_control);
    if is_plain { text.to_owned() } else { Value::from(shorten(text)).to_string() }
}

/// A text in quotes, as JSON has it.
pub fn quoted(text: &str) -> String {
    format!("text: {}", Value::from(shorten(text)))
}

/// What a screen shows, with a picture for each control character but a tab: one at the end of a line would be taken for a
/// part of the line break.
pub fn screen(text: &str) -> String {
    let picture = |c: char| match c {
        '\u{7f}' => '\u{2421}',
        '\0'..='\u{1f}' if c != '\n' && c != '\t' => char::from_u32(0x2400 + u32::from(c)).unwrap_or(c),
        _ => c,
    };
    text.chars().map(picture).collect()
}

/// Which lines of a screen are no UTF-8: the computer's own characters look like those of UTF-8, and are other bytes.
pub fn odd_lines(lines: &[usize]) -> Option<String> {
    let lines: Vec<String> = lines.iter().map(usize::to_string).collect();
    (!lines.is_empty()).then(|| format!("no UTF-8 in line {}", lines.join(", ")))
}

/// The content of a file, or that there is none.
pub fn file(content: Option<&[u8]>) -> String {
    match content {
        None => "no such file".to_owned(),
        Some(bytes) => std::str::from_utf8(bytes).map_or_else(|_| data(bytes), text),
    }
}

/// Bytes that are no text.
fn data(bytes: &[u8]) -> String {
    let count = bytes.len();
    if count <= SHORT_BYTES {
        return format!("bytes: {} [{count} bytes in base64]", BASE64.encode(bytes));
    }
    format!("bytes: [{count} bytes, sha256 {}]", hash(bytes))
}

/// One block of a tool's result. A text that is alone need not be quoted.
pub fn block(block: &Value, is_alone: bool) -> String {
    let kind = block["type"].as_str().unwrap_or_default();
    let fields: Vec<&str> =
        block.as_object().map(|fields| fields.keys().map(String::as_str).collect()).unwrap_or_default();
    let has_only = |known: &[&str]| fields.iter().all(|field| known.contains(field));
    match (kind, block["text"].as_str(), block["data"].as_str()) {
        ("text", Some(said), _) if has_only(&["type", "text"]) => {
            if is_alone {
                text(said)
            } else {
                quoted(said)
            }
        }
        ("image" | "audio", _, Some(encoded)) if has_only(&["type", "data", "mimeType"]) => {
            let mime = block["mimeType"].as_str().unwrap_or("no type");
            match BASE64.decode(encoded) {
                Ok(bytes) => format!("{kind}: {mime}, {} bytes, sha256 {}", bytes.len(), hash(&bytes)),
                Err(_) => format!("{kind}: {mime}, not base64: {}", Value::from(shorten(encoded))),
            }
        }
        ("resource" | "resource_link", ..) => format!("{kind}: {}", super::names::canonical(block)),
        _ => format!("block: {}", super::names::canonical(block)),
    }
}

/// A text in which many lines that differ only by a number, each one more than in the line before, are told as two.
fn counted(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let (mut told, mut from) = (Vec::new(), 0);
    while from < lines.len() {
        let first = number(lines[from]);
        let goes_on = |line: &str, by: usize| {
            let next = first.and_then(|first| Some((first, first.checked_add(by)?)));
            next.is_some_and(|(first, next)| {
                lines[from].replace(&first.to_string(), &next.to_string()) == line
            })
        };
        let run = 1 + (1..lines.len() - from).take_while(|by| goes_on(lines[from + by], *by)).count();
        if run < COUNTING {
            told.push(lines[from].to_owned());
            from += 1;
        } else {
            let last = from + run - 1;
            told.extend([
                lines[from].to_owned(),
                format!("… [{} lines that go on counting]", run - 2),
                lines[last].to_owned(),
            ]);
            from += run;
        }
    }
    told.join("\n")
}

/// The first number in a line.
fn number(line: &str) -> Option<usize> {
    let digits = line.split(|c: char| !c.is_ascii_digit()).find(|digits| !digits.is_empty())?;
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::json;

    use super::*;

    #[test]
    fn a_wrong_byte_in_what_is_cut_shows() {
        let long = "x".repeat(200_003);
        let mut wrong = long.clone();
        wrong.replace_range(100_000..100_001, "y");
        assert_ne!(text(&long), text(&wrong));
        assert!(shorten(&long).contains("… [200003 characters, sha256 "), "{}", shorten(&long));
        assert_eq!(shorten("short"), "short");
        // What is shown of one text is not shown of another that looks like it.
        assert_ne!(text(&long), text(&shorten(&long)));
    }

    #[test]
    fn texts_and_files_that_differ_look_different() {
        let shown: Vec<String> = [
            file(None),
            file(Some(b"no such file")),
            file(Some(b"")),
            file(Some(b"a")),
            file(Some(b"a\n")),
            file(Some(b"text: \"a\\n\"")),
            file(Some(b"\xff\xfe")),
            file(Some("\u{fffd}\u{fffd}".as_bytes())),
            file(Some(b"bytes: //4= [2 bytes in base64]")),
            file(Some(b"a\r\nb")),
            file(Some(b"a\nb")),
        ]
        .to_vec();
        assert_eq!(shown.iter().collect::<BTreeSet<_>>().len(), shown.len(), "{shown:#?}");
    }

    #[test]
    fn a_reason_of_several_lines_forges_no_line() {
        assert_eq!(one_line("replaced"), "replaced");
        assert_eq!(one_line("a\n  computer: {}"), "\"a\\n  computer: {}\"");
        assert_ne!(one_line("a "), one_line("a"));
        assert_ne!(one_line("a\nb"), one_line("\"a\\nb\""));
    }

    #[test]
    fn a_control_character_on_a_screen_is_seen() {
        assert_eq!(screen("a\r\nb\0\u{7f}ü\n"), "a\u{240d}\nb\u{2400}\u{2421}ü\n");
    }

    #[test]
    fn blocks_that_differ_look_different() {
        let shown: Vec<String> = [
            json!({ "type": "text", "text": "" }),
            json!({ "type": "text", "text": "image: image/png, 3 bytes" }),
            json!({ "type": "text", "text": "a", "annotations": { "priority": 1 } }),
            json!({ "type": "image", "data": "AAAA", "mimeType": "image/png" }),
            json!({ "type": "image", "data": "AAAB", "mimeType": "image/png" }),
            json!({ "type": "image", "data": "AAAA", "mimeType": "image/gif" }),
            json!({ "type": "audio", "data": "AAAA", "mimeType": "image/png" }),
            json!({ "type": "image", "data": "not base64!", "mimeType": "image/png" }),
            json!({ "type": "resource_link", "uri": "computer://12", "name": "12" }),
            json!({ "type": "resource", "resource": { "uri": "computer://12", "text": "x" } }),
            json!({ "type": "dance" }),
        ]
        .iter()
        .map(|value| block(value, true))
        .collect();
        assert_eq!(shown.iter().collect::<BTreeSet<_>>().len(), shown.len(), "{shown:#?}");
    }

    #[test]
    fn lines_that_go_on_counting_are_told_as_two_and_a_gap_is_seen() {
        let line = |id: u32| format!("pong from {id} (Label: node-{id})");
        let all: Vec<String> = (5..105).map(line).collect();
        let told = counted(&all.join("\n"));
        assert_eq!(told, format!("{}\n… [98 lines that go on counting]\n{}", line(5), line(104)));
        let gap: Vec<String> = (5..105).filter(|id| *id != 50).map(line).collect();
        assert!(counted(&gap.join("\n")).contains(&line(51)));
        assert_eq!(counted("pong from 1\npong from 2"), "pong from 1\npong from 2");
        let named: Vec<String> = (5..105)
            .map(|id| format!("{id} {}", if id == 50 { "{number}".into() } else { id.to_string() }))
            .collect();
        assert!(counted(&named.join("\n")).contains("{number}"));
    }
}
