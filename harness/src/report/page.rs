//! The page of one scenario: how it ended, the computers' screens, the sequence diagram, the logs.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::diagram::{draw, screen_lines};
use super::html::{address, badge, page, reason, seconds};
use super::lanes::label;
use super::results::Entry;
use super::text::{cut, markup, size, tail};
use super::trace::{Direction, Event, Moment, What, read};

/// Screens that stand open on a page; the others are folded, and past `MOST_SCREENS` only in the trace.
const OPEN_SCREENS: usize = 9;

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
    page(&format!("{} on {}: {}", entry.scenario, entry.emulator_name(), entry.outcome.name()), &body)
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
        entry.emulator_name(),
        seconds(entry.duration_ms),
        links.join(" · "),
    )
}

/// The last screen of each computer, and how it ended.
fn screens(moments: &[Moment]) -> String {
    let mut last: BTreeMap<(u64, &str), Last<'_>> = BTreeMap::new();
    for moment in moments {
        match &moment.what {
            What::Screen { computer, screen } => last.entry(order(computer)).or_default().screen = screen,
            What::Exit { computer, exit } => last.entry(order(computer)).or_default().exit = exit,
            What::Link {
                computer, event: Event::Frame { direction: Direction::ToBridge, text, .. }, ..
            } => {
                if let Some(label) = label(text) {
                    last.entry(order(computer)).or_default().label = label;
                }
            }
            _ => {}
        }
    }
    if last.is_empty() {
        return String::new();
    }
    let cards: Vec<String> =
        last.iter().take(MOST_SCREENS).map(|((_, name), last)| card(name, last)).collect();
    let (open, folded) = cards.split_at(cards.len().min(OPEN_SCREENS));
    let mut html = format!("<h2>Screens</h2>\n<div class=\"screens\">\n{}</div>\n", open.concat());
    if !folded.is_empty() {
        let _ = write!(
            html,
            "<details><summary>{} more</summary><div class=\"screens\">\n{}</div></details>\n",
            folded.len(),
            folded.concat()
        );
    }
    if last.len() > cards.len() {
        let left = last.len() - cards.len();
        let _ = writeln!(html, "<p class=\"cut\">cut: {left} more screens are in the trace</p>");
    }
    html
}

/// What is last known of a computer.
#[derive(Default)]
struct Last<'a> {
    screen: &'a str,
    exit: &'a str,
    label: String,
}

fn card(name: &str, last: &Last<'_>) -> String {
    format!(
        "<section class=\"screen\"><h3>{} <span>{}</span><span>{}</span></h3><pre>{}</pre></section>\n",
        markup(name),
        markup(cut(&last.label, 64).0),
        markup(last.exit),
        screen_lines(last.screen)
    )
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
        let _ = writeln!(
            html,
            "<details><summary>{} <a class=\"soft\" href=\"{}\">{}</a></summary>{note}<pre>{}</pre></details>",
            markup(name),
            address(file),
            markup(file),
            markup(shown)
        );
    }
    if html.is_empty() { html } else { format!("<h2>Logs</h2>\n<div class=\"logs\">\n{html}</div>\n") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emulators::Kind;
    use crate::record::Record;
    use crate::report::results::Verdict;

    fn page_of(record: &Record) -> String {
        let entry = Entry {
            scenario: "probe/many".to_owned(),
            about: "x".to_owned(),
            emulator: Kind::Embedded,
            instance: 1,
            round: 1,
            order: 1,
            outcome: Verdict::Passed,
            reason: None,
            duration_ms: 1,
            files: BTreeMap::new(),
        };
        let texts = Texts {
            trace: &record.trace(),
            logs: &record.logs(),
            files: &BTreeMap::new(),
            back: "../index.html",
        };
        write(&entry, &texts)
    }

    fn frame(text: String) -> Event {
        Event::Frame { direction: Direction::ToBridge, text, note: None }
    }

    #[test]
    fn a_thousand_computers_share_lanes_and_are_folded() {
        let record = Record::default();
        for id in 0..1000 {
            let link = record.begin(&id.to_string());
            record.add(&id.to_string(), link, Event::Opened);
            record.add(&id.to_string(), link, frame(format!("{{\"type\":\"hello\",\"computerId\":{id}}}")));
            record.note(What::Screen { computer: id.to_string(), screen: "linked".to_owned() });
        }
        let page = page_of(&record);
        assert!(page.contains("--lanes:10") && page.contains("<div title=\"computers\">993 more"), "lanes");
        assert!(page.contains("<details class=\"fold\">") && page.contains("<b>2979 rows</b>"), "folds");
        assert!(page.contains("cut: 760 more screens are in the trace"), "screens");
        assert!(page.len() < 3_000_000, "{} bytes", page.len());
    }

    #[test]
    fn a_long_frame_a_long_trace_and_a_long_log_are_cut_with_a_note() {
        let record = Record::default();
        let link = record.begin("12");
        record.add(
            "12",
            link,
            frame(format!("{{\"type\":\"output\",\"data\":\"{}\"}}", "x".repeat(200_000))),
        );
        for number in 0..11_000 {
            record.log_line("bridge", &format!("line {number} of a log that nobody can read"));
        }
        let page = page_of(&record);
        assert!(page.contains("cut: 172 KiB more; all of it is in the trace"), "the frame");
        assert!(page.contains("cut: 1001 of 11001 rows; all of them are in the trace"), "the trace");
        assert!(page.contains("before this</p>") && page.contains("line 10999 of"), "the log");
        assert!(page.len() < 6_000_000, "{} bytes", page.len());
    }

    #[test]
    fn many_large_frames_fill_a_page_to_its_limit_only() {
        let record = Record::default();
        let link = record.begin("12");
        for _ in 0..400 {
            record.add("12", link, frame("y".repeat(30_000)));
        }
        // 9.8 MB of frames of 24 KiB each, where 6 MiB fit.
        let page = page_of(&record);
        assert!((6_000_000..7_000_000).contains(&page.len()), "{} bytes", page.len());
    }
}
