//! The frame of every page. A page is one file: it needs no network, and is forbidden any.

use super::results::{Entry, Verdict};
use super::text::markup;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// A whole page around its body.
pub fn page(title: &str, body: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n\
         <title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n{body}\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n",
        markup(title)
    )
}

/// A path as an address in an attribute.
pub fn address(path: &str) -> String {
    let keep = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/@".contains(&byte);
    let one = |byte: u8| if keep(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    path.bytes().map(one).collect()
}

/// The word for an outcome, in its colour.
pub fn badge(verdict: Verdict) -> String {
    let name = verdict.name();
    format!("<span class=\"badge {name}\">{name}</span>")
}

/// Seconds as a person reads them.
pub fn seconds(milliseconds: u64) -> String {
    match milliseconds {
        0..1000 => format!("{milliseconds} ms"),
        _ => format!("{}.{:02} s", milliseconds / 1000, milliseconds % 1000 / 10),
    }
}

/// A reason with its diff in colours.
pub fn reason(entry: &Entry) -> String {
    let Some(reason) = &entry.reason else { return String::new() };
    let line = |line: &str| {
        let class = match line.as_bytes() {
            [b'+', b' ', ..] | b"+" => "added",
            [b'-', b' ', ..] | b"-" => "removed",
            [b'h', b'i', b'n', b't', b':', ..] => "hint",
            _ => return markup(line) + "\n",
        };
        format!("<span class=\"{class}\">{}</span>\n", markup(line))
    };
    let lines: String = reason.trim_end().lines().map(line).collect();
    format!("<pre class=\"reason\">{lines}</pre>\n")
}
