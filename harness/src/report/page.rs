//! The page of one scenario: how it ended, the computers' screens, the sequence diagram, the logs.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::diagram::{draw, screen_lines};
use super::html::{address, badge, page, reason, seconds};
use super::results::Entry;
use super::text::{markup, size, tail};
use super::trace::{Moment, What, read};

/// Screens that stand open on a page; the others are folded, and past `MOST_SCREENS` only in the trace.
const OPEN_SCREENS: usize = 24;

const MOST_SCREENS: usize = 240;

/// Of each log: its end says most.
const LOG_BYTES: usize = 128 * 1024;

/// Logs that a page shows; all of them are beside it.
const LOGS: usize = 40;

/// What a page is made from.
#[derive(Debug)]
pub struct Texts<'a> {
    pub trace: &'a str,
    pub logs: &'a BTreeMap<String, String>,
    /// The files beside the page, by what they are.
    pub files: &'a BTreeMap<&'a str, &'a str>,
    /// The way to the index.
    pub back: &'a str,
}

/// Writes the whole page.
pub fn write(entry: &Entry, texts: &Texts<'_>) -> String {
    let moments = read(texts.trace);
    let mut body = head(entry, texts);
    body.push_str("<main>\n");
    body.push_str(&reason(entry));
    body.push_str(&screens(&moments));
    let _ = write!(body, "<h2>Sequence</h2>\n{TOOLS}{}", draw(&moments));
    body.push_str(&logs(texts));
    body.push_str("</main>\n");
    page(&format!("{} on {}: {}", entry.scenario, entry.emulator, entry.outcome.name()), &body)
}

const TOOLS: &str = "<div class=\"tools\">\
    <label><input type=\"checkbox\" id=\"show-mcp\" checked> MCP</label>\
    <label><input type=\"checkbox\" id=\"show-link\" checked> links</label>\
    <label><input type=\"checkbox\" id=\"show-screen\" checked> screens</label>\
    <label><input type=\"checkbox\" id=\"show-log\"> log</label>\
    <input type=\"search\" id=\"find\" placeholder=\"find in rows ( / )\" aria-label=\"find in rows\" hidden>\
    <button data-open=\"yes\" hidden>unfold all</button><button data-open=\"no\" hidden>fold all</button></div>\n";

fn head(entry: &Entry, texts: &Texts<'_>) -> String {
    let link = |what: &str| {
        let file = texts.files.get(what)?;
        Some(format!("<a href=\"{}\">{what}</a>", address(file)))
    };
    let links: Vec<String> = ["transcript", "trace"].into_iter().filter_map(link).collect();
    let round = if entry.round > 1 { format!("<span>round {}</span>", entry.round) } else { String::new() };
    format!(
        "<header>\n<a href=\"{}\">← all scenarios</a>\n<h1>{} {}</h1>\n<p>{}</p>\n<div class=\"facts\"><span>{}</span><span>{}</span>{round}<span>{}</span></div>\n</header>\n",
        markup(texts.back),
        markup(&entry.scenario),
        badge(entry.outcome),
        markup(&entry.about),
        entry.emulator,
        seconds(entry.duration_ms),
        links.join(" · "),
    )
}

/// The last screen of each computer, and how it ended.
fn screens(moments: &[Moment]) -> String {
    let mut last: BTreeMap<(u64, &str), (&str, &str)> = BTreeMap::new();
    for moment in moments {
        match &moment.what {
            What::Screen { computer, text } => last.entry(order(computer)).or_default().0 = text,
            What::Exit { computer, exit } => last.entry(order(computer)).or_default().1 = exit,
            _ => {}
        }
    }
    if last.is_empty() {
        return String::new();
    }
    let cards: Vec<String> = last
        .iter()
        .take(MOST_SCREENS)
        .map(|((_, name), (text, exit))| {
            format!(
                "<section class=\"screen\"><h3>{} <span>{}</span></h3><pre>{}</pre></section>\n",
                markup(name),
                markup(exit),
                screen_lines(text)
            )
        })
        .collect();
    let (open, folded) = cards.split_at(cards.len().min(OPEN_SCREENS));
    let mut html = format!("<h2>Screens</h2>\n<div class=\"screens\">\n{}</div>\n", open.concat());
    if !folded.is_empty() {
        let _ = write!(
            html,
            "<details><summary>{} more</summary><div class=\"screens\">\n{}</div></details>\n",
            last.len() - open.len(),
            folded.concat()
        );
    }
    if last.len() > cards.len() {
        let left = last.len() - cards.len();
        let _ = writeln!(html, "<p class=\"cut\">cut: {left} more screens are in the trace</p>");
    }
    html
}

fn order(computer: &str) -> (u64, &str) {
    (computer.parse().unwrap_or(u64::MAX), computer)
}

fn logs(texts: &Texts<'_>) -> String {
    let mut html = String::new();
    for (name, text) in texts.logs.iter().filter(|(_, text)| !text.trim().is_empty()).take(LOGS) {
        let shown = tail(text, LOG_BYTES);
        let left = text.len() - shown.len();
        let note = if left > 0 {
            format!("<p class=\"cut\">cut: {} before this</p>", size(left))
        } else {
            String::new()
        };
        let file = texts.files.get(format!("log-{name}").as_str()).copied().unwrap_or_default();
        let _ = write!(
            html,
            "<details><summary>{} <a class=\"soft\" href=\"{}\">{}</a></summary>{note}<pre>{}</pre></details>\n",
            markup(name),
            address(file),
            markup(file),
            markup(shown)
        );
    }
    if html.is_empty() { html } else { format!("<h2>Logs</h2>\n<div class=\"logs\">\n{html}</div>\n") }
}
