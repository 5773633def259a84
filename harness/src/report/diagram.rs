//! The sequence diagram: a lane for the client, the bridge and each computer, and a row for each thing that happened.
//! Large traces stay usable: many computers share a lane, what repeats is folded, what is long is cut, with a note.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::Value;

use super::describe;
use super::fold::{Row, fold};
use super::lanes::{BRIDGE, CLIENT, Lanes};
use super::text::{cut, markup, size, tail};
use super::trace::{Direction, Event, Moment, Note, Receiver, What};

/// Rows of a page: enough for a thousand computers that link, answer and leave.
const ROWS: usize = 10_000;

/// Of these the last, where rows are left out: what failed is near the end.
const LAST_ROWS: usize = 2000;

/// Of one frame. A result of 8 MiB is of use in the trace, not on a page.
const FRAME_BYTES: usize = 24 * 1024;

/// Of all frames together; after it they are shown by their beginnings.
const PAGE_BYTES: usize = 6 * 1024 * 1024;

/// What is shown of a frame once the page is full.
const BEGINNING_BYTES: usize = 160;

/// Lines of a computer's screen in the game and in the emulators.
const SCREEN_LINES: usize = 19;

/// A pause that is worth a line of its own.
const GAP_MS: f64 = 500.0;

/// Draws all of it.
pub fn draw(moments: &[Moment]) -> String {
    let lanes = Lanes::of(moments);
    let mut drawing = Drawing { lanes, room: PAGE_BYTES, failed_step: failed_step(moments) };
    // Lines of a log between the rows of a crowd would keep them from being folded; the log is below.
    let is_crowd = drawing.lanes.is_crowd();
    let is_drawn = |moment: &&Moment| !(is_crowd && matches!(moment.what, What::Log { .. }));
    let drawn: Vec<&Moment> = moments.iter().filter(is_drawn).collect();
    let left_out = drawn.len().saturating_sub(ROWS);
    let cut_at = if left_out > 0 { ROWS - LAST_ROWS } else { drawn.len() };
    let mut rows = drawing.rows(&drawn[..cut_at]);
    if left_out > 0 {
        rows.push(Row::apart(format!(
            "<div class=\"step cut\">cut: {left_out} of {} rows; all of them are in the trace</div>\n",
            drawn.len()
        )));
        rows.extend(drawing.rows(&drawn[cut_at + left_out..]));
    }
    let mut html = drawing.frame();
    html.push_str(&fold(&rows));
    html + "<div class=\"end\"></div></div></div>\n"
}

/// The last step before a failure.
fn failed_step(moments: &[Moment]) -> Option<usize> {
    let end = moments.iter().position(|moment| matches!(moment.what, What::Failed { .. }))?;
    moments[..end].iter().rev().find_map(|moment| match moment.what {
        What::Step { step, .. } => Some(step),
        _ => None,
    })
}

struct Drawing {
    lanes: Lanes,
    /// Bytes of frames that still fit.
    room: usize,
    failed_step: Option<usize>,
}

impl Drawing {
    fn rows(&mut self, moments: &[&Moment]) -> Vec<Row> {
        let mut rows = Vec::new();
        let mut before: Option<f64> = None;
        let mut screens: BTreeMap<&str, &str> = BTreeMap::new();
        for moment in moments {
            // The screen at the end is often the one that was shown before.
            if let What::Screen { computer, screen } = &moment.what
                && screens.insert(computer, screen) == Some(screen)
            {
                continue;
            }
            if let Some(gap) = before.map(|before| moment.at_ms - before).filter(|gap| *gap >= GAP_MS) {
                let text = format!("<div class=\"gap\"><span>{:.1} s pass</span></div>\n", gap / 1000.0);
                rows.push(Row::apart(text));
            }
            before = Some(moment.at_ms);
            rows.push(self.row(moment));
        }
        rows
    }

    /// The heads of the lanes, and the lines below them.
    fn frame(&self) -> String {
        let count = self.lanes.heads.len();
        let mut heads = String::new();
        for (name, label) in &self.lanes.heads {
            let (name, label) = (markup(name), markup(cut(label, 64).0));
            let _ = write!(heads, "<div title=\"{label}\">{name}<small>{label}&nbsp;</small></div>");
        }
        let life = "<i></i>".repeat(count);
        let wide = if count > 9 { " wide" } else { "" };
        format!(
            "<div class=\"sequence{wide}\" style=\"--lanes:{count}\"><div>\n<div class=\"lanes life\"><span></span>{life}</div>\n<div class=\"lanes heads\"><div class=\"soft\">ms</div>{heads}</div>\n"
        )
    }

    fn row(&mut self, moment: &Moment) -> Row {
        let at = moment.at_ms;
        match &moment.what {
            What::Step { step, title } => Row::apart(self.step(at, *step, title)),
            What::Failed { failed } => Row::apart(format!(
                "<div class=\"step failed\"><span>{at:.1}</span><b class=\"mono\">✗ {}</b></div>\n",
                markup(failed)
            )),
            What::Mcp { mcp, message } => {
                let (from, to) = match mcp {
                    Receiver::ToBridge => (CLIENT, BRIDGE),
                    Receiver::ToClient => (BRIDGE, CLIENT),
                };
                let words = describe::message(message);
                let body = self.body(&message.to_string());
                Row::with("mcp".to_owned(), details(at, "mcp-row", &arrow(from, to, "mcp", &words), &body))
            }
            What::Link { computer, link, event } => self.link(at, computer, *link, event),
            What::Log { log, line } => {
                let lane = self.lanes.column(log.strip_prefix("computer-").unwrap_or(""));
                let cell = note(lane, "", cut(line, 120).0);
                Row::with("log".to_owned(), details(at, "log", &cell, &self.body(line)))
            }
            What::Screen { computer, screen } => self.screen(at, computer, screen),
            What::Exit { computer, exit } => {
                let words = self.named(computer, exit);
                let cell = note(self.lanes.column(computer), "", &words);
                Row::with(self.key(computer, "exit"), bare(at, "link-row", &cell))
            }
            What::Call { server, call, arguments } => {
                let words = format!("{server}: call {call} {arguments}");
                let cell = note(CLIENT, "", cut(&words, 80).0);
                Row::with("server".to_owned(), details(at, "mcp-row", &cell, &self.body(&words)))
            }
            What::Answer { server, answer } => {
                let words = format!("{server}: {answer}");
                let cell = note(CLIENT, "", cut(&words, 80).0);
                Row::with("server".to_owned(), details(at, "mcp-row", &cell, &self.body(&answer.to_string())))
            }
            What::Other(value) => {
                let words = value.to_string();
                let cell = note(BRIDGE, "", cut(&words, 80).0);
                Row::with("other".to_owned(), details(at, "log", &cell, &self.body(&words)))
            }
        }
    }

    fn step(&self, at: f64, number: usize, title: &str) -> String {
        let failed = if self.failed_step == Some(number) { " failed" } else { "" };
        let title = markup(cut(title, 2000).0);
        let shown = if number == 0 { "·".to_owned() } else { number.to_string() };
        format!(
            "<div class=\"step{failed}\" id=\"step-{number}\"><span>{at:.1}</span><b>{shown}</b><div class=\"mono\">{title}</div></div>\n"
        )
    }

    fn link(&mut self, at: f64, computer: &str, link: usize, event: &Event) -> Row {
        let lane = self.lanes.column(computer);
        let (class, words) = match event {
            Event::Frame { direction, text, note } => {
                let (kind, words) = describe::frame(text);
                let (way, from, to) = way(*direction, lane);
                let class = format!("{way} {}", note.map_or("", manner));
                let words = self.named(computer, &words);
                let mut body = self.body(text);
                if let Some(note) = note {
                    body = format!("<p class=\"cut\">{}</p>{body}", markup(&note.to_string()));
                }
                let html = details(at, "link-row", &arrow(from, to, class.trim(), &words), &body);
                return Row::with(self.key(computer, &kind), html);
            }
            Event::Binary { direction, bytes } => {
                let (class, from, to) = way(*direction, lane);
                let words = self.named(computer, &format!("binary, {bytes} bytes"));
                let html = bare(at, "link-row", &arrow(from, to, class, &words));
                return Row::with(self.key(computer, "binary"), html);
            }
            Event::Opened => ("", format!("link {link} opened")),
            Event::Left => ("", format!("link {link}: the computer left")),
            Event::Cut => ("bad", format!("link {link} cut by the harness")),
            Event::Refused(status) => ("bad", format!("refused: HTTP {status}")),
            Event::Closed { code, reason } => ("bad", format!("the bridge closed it: {code} {reason}")),
        };
        let words = self.named(computer, &words);
        Row::with(self.key(computer, "event"), bare(at, "link-row", &note(lane, class, &words)))
    }

    fn screen(&self, at: f64, computer: &str, text: &str) -> Row {
        let last = text.trim_end().lines().next_back().unwrap_or("(empty)");
        let words = self.named(computer, &format!("▤ {}", cut(last, 60).0));
        let cell = note(self.lanes.column(computer), "", &words);
        let body = format!("<div class=\"body screen\"><pre>{}</pre></div>", screen_lines(text));
        Row::with(self.key(computer, "screen"), fill(at, "screens-row", &cell, &body))
    }

    fn named(&self, computer: &str, words: &str) -> String {
        if self.lanes.is_shared(computer) { format!("{computer}: {words}") } else { words.to_owned() }
    }

    /// What is alike and stands together is folded; computers that share a lane are all alike.
    fn key(&self, computer: &str, kind: &str) -> String {
        if self.lanes.is_shared(computer) { "others".to_owned() } else { format!("{computer} {kind}") }
    }

    /// A frame in full: as readable JSON where it is JSON.
    fn body(&mut self, text: &str) -> String {
        let limit = if self.room == 0 { BEGINNING_BYTES } else { FRAME_BYTES };
        let pretty = (text.len() <= limit)
            .then(|| serde_json::from_str::<Value>(text).ok())
            .flatten()
            .and_then(|value| serde_json::to_string_pretty(&value).ok());
        let shown = pretty.as_deref().unwrap_or(text);
        let (kept, left_out) = cut(shown, limit);
        self.room = self.room.saturating_sub(kept.len());
        let mut body = format!("<pre>{}</pre>", markup(kept));
        if left_out > 0 {
            let _ =
                write!(body, "<p class=\"cut\">cut: {} more; all of it is in the trace</p>", size(left_out));
        }
        body
    }
}

/// How a frame that the harness touched is drawn.
fn manner(note: Note) -> &'static str {
    match note {
        Note::HeldBack => "held",
        Note::FromTheHarness => "forged",
    }
}

/// The class of a frame's arrow, and the lanes that it goes from and to.
fn way(direction: Direction, lane: usize) -> (&'static str, usize, usize) {
    match direction {
        Direction::ToBridge => ("up", lane, BRIDGE),
        Direction::ToComputer => ("down", BRIDGE, lane),
    }
}

/// The last lines of what a computer printed, as its screen has them.
pub fn screen_lines(text: &str) -> String {
    let lines: Vec<&str> = text.trim_end().lines().collect();
    let from = lines.len().saturating_sub(SCREEN_LINES);
    let shown = lines[from..].join("\n");
    let above =
        if from > 0 { format!("<span class=\"cut\">… {from} lines above</span>\n") } else { String::new() };
    format!("{above}{}", markup(tail(&shown, FRAME_BYTES)))
}

fn arrow(from: usize, to: usize, class: &str, words: &str) -> String {
    let (left, right, way) = if from <= to { (from, to, "right") } else { (to, from, "left") };
    let (span, first, after) = (right - left + 1, left + 1, right + 2);
    let words = markup(words);
    format!(
        "<div class=\"arrow {way} {class}\" style=\"grid-column:{first}/{after};--span:{span}\" title=\"{words}\"><b>{words}</b></div>"
    )
}

fn note(lane: usize, class: &str, words: &str) -> String {
    let (column, words) = (lane + 1, markup(words));
    format!(
        "<div class=\"note {class}\" style=\"grid-column:{column}\" title=\"{words}\"><b>{words}</b></div>"
    )
}

fn details(at: f64, class: &str, cell: &str, body: &str) -> String {
    fill(at, class, cell, &format!("<div class=\"body\">{body}</div>"))
}

fn fill(at: f64, class: &str, cell: &str, body: &str) -> String {
    format!(
        "<details class=\"row {class}\" data-row><summary><span class=\"at\">{at:.1}</span>{cell}</summary>{body}</details>\n"
    )
}

fn bare(at: f64, class: &str, cell: &str) -> String {
    format!(
        "<details class=\"row plain {class}\" data-row><summary><span class=\"at\">{at:.1}</span>{cell}</summary></details>\n"
    )
}
