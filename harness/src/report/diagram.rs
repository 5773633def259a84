//! The sequence diagram: a lane for the client, the bridge and each computer, and a row for each thing that happened.
//! Large traces stay usable: many computers share a lane, what repeats is folded, what is long is cut, with a note.

use std::collections::BTreeMap;

use maud::{Markup, html};
use serde_json::Value;

use super::describe;
use super::fold::{Row, fold};
use super::html::Shown;
use super::lanes::{BRIDGE, CLIENT, Lanes};
use super::text::{cut, size, tail};
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

/// With more lanes the diagram is wider than a small window, and scrolls by itself.
const NARROW_LANES: usize = 5;

/// With more rows a browser draws only those that are in the window.
const LONG_ROWS: usize = 500;

/// Draws all of it, with the step marked that failed.
pub fn draw(moments: &[Moment], failed_step: Option<usize>) -> Markup {
    let mut drawing = Drawing { lanes: Lanes::of(moments), room: PAGE_BYTES, failed_step };
    // Lines of a log between the rows of a crowd would keep them from being folded; the log is below.
    let is_crowd = drawing.lanes.is_crowd();
    let is_drawn = |moment: &&Moment| !(is_crowd && matches!(moment.what, What::Log { .. }));
    let drawn: Vec<&Moment> = moments.iter().filter(is_drawn).collect();
    let left_out = drawn.len().saturating_sub(ROWS);
    let cut_at = if left_out > 0 { ROWS - LAST_ROWS } else { drawn.len() };
    let mut rows = drawing.rows(&drawn[..cut_at]);
    if left_out > 0 {
        rows.push(Row::apart(html! {
            div."step cut" { "cut: " (left_out) " of " (drawn.len()) " rows; all of them are in the trace" }
        }));
        // The diff links to steps: each of them is there, also where its rows are not.
        let is_step = |moment: &&&Moment| matches!(moment.what, What::Step { .. } | What::Failed { .. });
        let steps: Vec<&Moment> = drawn[cut_at..cut_at + left_out].iter().filter(is_step).copied().collect();
        rows.extend(drawing.rows(&steps));
        rows.extend(drawing.rows(&drawn[cut_at + left_out..]));
    }
    drawing.frame(&fold(&rows), rows.len() > LONG_ROWS)
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
                let words = format!("{:.1} s pass", gap / 1000.0);
                rows.push(Row::apart(html! { div.gap { span { (words) } } }));
            }
            before = Some(moment.at_ms);
            rows.push(self.row(moment));
        }
        rows
    }

    /// The heads of the lanes, the lines below them, and the rows.
    fn frame(&self, rows: &Markup, is_long: bool) -> Markup {
        let count = self.lanes.heads.len();
        let wide = if count > NARROW_LANES { " wide" } else { "" };
        let long = if is_long { " long" } else { "" };
        html! {
            // It scrolls by itself where it is wider than the window, which has to work with a keyboard too.
            div class={ "sequence" (wide) (long) } style={ "--lanes:" (count) } role="region" aria-label="sequence diagram" tabindex="0" {
                div {
                    div."lanes life" aria-hidden="true" { span {} @for _ in 0..count { i {} } }
                    div."lanes heads" {
                        div.soft { "ms" }
                        @for (name, label) in &self.lanes.heads {
                            div { (Shown(name)) small { (Shown(cut(label, 64).0)) } }
                        }
                    }
                    (rows)
                    div.end {}
                }
            }
        }
    }

    fn row(&mut self, moment: &Moment) -> Row {
        let at = moment.at_ms;
        match &moment.what {
            What::Step { step, title } => Row::apart(self.step(at, *step, title)),
            What::Failed { failed } => Row::apart(html! {
                div."step failed" { span { (time(at)) } b.mono { "✗ " (Shown(failed)) } }
            }),
            What::Mcp { mcp, message } => {
                let (from, to) = match mcp {
                    Receiver::ToBridge => (CLIENT, BRIDGE),
                    Receiver::ToClient => (BRIDGE, CLIENT),
                };
                let cell = self.arrow(from, to, "mcp", &describe::message(message));
                let body = self.body(&message.to_string());
                Row::with("mcp".to_owned(), details(at, "mcp-row", &cell, &body))
            }
            What::Link { computer, link, event } => self.link(at, computer, *link, event),
            What::Log { log, line } => {
                let lane = self.lanes.column(log.strip_prefix("computer-").unwrap_or(""));
                let cell = self.note(lane, "", cut(line, 120).0);
                Row::with("log".to_owned(), details(at, "log", &cell, &self.body(line)))
            }
            What::Screen { computer, screen } => self.screen(at, computer, screen),
            What::Exit { computer, exit } => {
                let cell = self.note(self.lanes.column(computer), "", &self.named(computer, exit));
                Row::with(self.key(computer, "exit"), bare(at, "link-row", &cell))
            }
            What::Call { server, call, arguments } => {
                let words = format!("{server}: call {call} {arguments}");
                let cell = self.note(CLIENT, "", cut(&words, 80).0);
                Row::with("server".to_owned(), details(at, "mcp-row", &cell, &self.body(&words)))
            }
            What::Answer { server, answer } => {
                let cell = self.note(CLIENT, "", cut(&format!("{server}: {answer}"), 80).0);
                let body = self.body(&answer.to_string());
                Row::with("server".to_owned(), details(at, "mcp-row", &cell, &body))
            }
            What::Other(value) => {
                let words = value.to_string();
                let cell = self.note(BRIDGE, "", cut(&words, 80).0);
                Row::with("other".to_owned(), details(at, "log", &cell, &self.body(&words)))
            }
        }
    }

    fn step(&self, at: f64, number: usize, title: &str) -> Markup {
        let failed = self.failed_step == Some(number);
        let class = if failed { "step failed" } else { "step" };
        html! {
            div class=(class) id={ "step-" (number) } tabindex="-1" {
                span { (time(at)) }
                b { @if number == 0 { "·" } @else { (number) } }
                div {
                    span.mono { (Shown(cut(title, 2000).0)) }
                    @if failed { " " a.mark href="#failure" { "✗ failed here" } }
                }
            }
        }
    }

    fn link(&mut self, at: f64, computer: &str, link: usize, event: &Event) -> Row {
        let lane = self.lanes.column(computer);
        let (class, words) = match event {
            Event::Frame { direction, text, note } => {
                let (kind, words) = describe::frame(text);
                let (way, from, to) = way(*direction, lane);
                let class = note.map_or_else(|| way.to_owned(), |note| format!("{way} {}", manner(note)));
                let cell = self.arrow(from, to, &class, &self.named(computer, &words));
                let body = self.body(text);
                let body = html! {
                    @if let Some(note) = note { p.cut { (note.to_string()) } }
                    (body)
                };
                return Row::with(self.key(computer, &kind), details(at, "link-row", &cell, &body));
            }
            Event::Binary { direction, bytes, sha256, note } => {
                let (way, from, to) = way(*direction, lane);
                let class = note.map_or_else(|| way.to_owned(), |note| format!("{way} {}", manner(note)));
                let words = self.named(computer, &format!("binary, {bytes} bytes, sha256 {sha256}"));
                let cell = self.arrow(from, to, &class, &words);
                return Row::with(self.key(computer, "binary"), bare(at, "link-row", &cell));
            }
            Event::Opened => ("", format!("link {link} opened")),
            Event::Left => ("", format!("link {link}: the computer left")),
            Event::Cut => ("bad", format!("link {link} cut by the harness")),
            Event::Refused(status) => ("bad", format!("refused: HTTP {status}")),
            Event::Closed { code, reason } => ("bad", format!("the bridge closed it: {code} {reason}")),
        };
        let cell = self.note(lane, class, &self.named(computer, &words));
        Row::with(self.key(computer, "event"), bare(at, "link-row", &cell))
    }

    fn screen(&self, at: f64, computer: &str, text: &str) -> Row {
        let last = text.trim_end().lines().next_back().unwrap_or("(empty)");
        let words = self.named(computer, &format!("▤ {}", cut(last, 60).0));
        let cell = self.note(self.lanes.column(computer), "", &words);
        let body = html! { div."body screen" { (screen_lines(text)) } };
        Row::with(self.key(computer, "screen"), fill(at, "screens-row", &cell, &body))
    }

    fn named(&self, computer: &str, words: &str) -> String {
        if self.lanes.is_shared(computer) { format!("{computer}: {words}") } else { words.to_owned() }
    }

    /// What is alike and stands together is folded; computers that share a lane are all alike.
    fn key(&self, computer: &str, kind: &str) -> String {
        if self.lanes.is_shared(computer) { "others".to_owned() } else { format!("{computer} {kind}") }
    }

    fn name(&self, lane: usize) -> &str {
        self.lanes.heads.get(lane - 1).map_or("", |(name, _)| name)
    }

    /// An arrow between two lanes. Who speaks to whom is also written, for narrow windows and for screen readers.
    fn arrow(&self, from: usize, to: usize, class: &str, words: &str) -> Markup {
        let (left, right, way) = if from <= to { (from, to, "right") } else { (to, from, "left") };
        let place = format!("grid-column:{}/{};--span:{}", left + 1, right + 2, right - left + 1);
        html! {
            div class={ "arrow " (way) " " (class) } style=(place) {
                span.who { (Shown(self.name(from))) " → " (Shown(self.name(to))) ": " }
                b { (Shown(words)) }
            }
        }
    }

    fn note(&self, lane: usize, class: &str, words: &str) -> Markup {
        html! {
            div class={ "note " (class) } style={ "grid-column:" (lane + 1) } {
                span.who { (Shown(self.name(lane))) ": " }
                b { (Shown(words)) }
            }
        }
    }

    /// A frame in full: as readable JSON where it is JSON.
    fn body(&mut self, text: &str) -> Markup {
        let limit = if self.room == 0 { BEGINNING_BYTES } else { FRAME_BYTES };
        let pretty = (text.len() <= limit)
            .then(|| serde_json::from_str::<Value>(text).ok())
            .flatten()
            .and_then(|value| serde_json::to_string_pretty(&value).ok());
        let shown = pretty.as_deref().unwrap_or(text);
        let (kept, left_out) = cut(shown, limit);
        self.room = self.room.saturating_sub(kept.len());
        html! {
            pre { (Shown(kept)) }
            @if left_out > 0 { p.cut { "cut: " (size(left_out)) " more; all of it is in the trace" } }
        }
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
pub fn screen_lines(text: &str) -> Markup {
    let lines: Vec<&str> = text.trim_end().lines().collect();
    let from = lines.len().saturating_sub(SCREEN_LINES);
    let shown = lines[from..].join("\n");
    html! {
        pre {
            @if from > 0 { span.cut { "… " (from) " lines above" } "\n" }
            (Shown(tail(&shown, FRAME_BYTES)))
        }
    }
}

fn time(at: f64) -> String {
    format!("{at:.1}")
}

fn details(at: f64, class: &str, cell: &Markup, body: &Markup) -> Markup {
    fill(at, class, cell, &html! { div.body { (body) } })
}

fn fill(at: f64, class: &str, cell: &Markup, body: &Markup) -> Markup {
    html! {
        details class={ "row " (class) } data-row {
            summary { span.at { (time(at)) } (cell) }
            (body)
        }
    }
}

/// A row that has nothing to unfold.
fn bare(at: f64, class: &str, cell: &Markup) -> Markup {
    html! {
        div class={ "row plain " (class) } data-row { div.line { span.at { (time(at)) } (cell) } }
    }
}
