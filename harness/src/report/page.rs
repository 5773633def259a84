//! The page of one scenario: how it ended, the diff, the computers' screens, the sequence diagram, the logs.

use std::collections::BTreeMap;

use maud::{Markup, html};

use super::diagram::{draw, screen_lines};
use super::failure::{Change, Failure, Subject, change, subject};
use super::html::{Shown, address, badge, page, seconds};
use super::lanes::label;
use super::results::Entry;
use super::text::{cut, size, tail};
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
    pub transcript: Option<&'a str>,
    pub logs: &'a BTreeMap<String, String>,
    /// The files beside the page, by what they are.
    pub files: &'a BTreeMap<&'a str, &'a str>,
    /// The way to the index.
    pub back: Option<&'a str>,
}

/// Writes the whole page.
pub fn write(entry: &Entry, texts: &Texts<'_>) -> String {
    let moments = read(texts.trace);
    let failure = entry.reason.as_deref().map(Failure::of);
    let subjects: Vec<Subject> = failure
        .iter()
        .flat_map(|failure| &failure.diff)
        .map(|place| subject(place, texts.transcript.unwrap_or_default(), &moments))
        .collect();
    let failed_step = step_of_end(&moments).or_else(|| subjects.iter().find_map(|subject| subject.step));
    let screens = last_screens(&moments);
    let body = html! {
        (head(entry, texts))
        main {
            @if let Some(failure) = &failure { (why(failure, &subjects, &screens, failed_step)) }
            (cards(&screens))
            section aria-labelledby="sequence" {
                h2 #sequence { "Sequence" }
                (tools())
                (draw(&moments, failed_step))
            }
            (logs(texts))
        }
    };
    page(&format!("{} on {}: {}", entry.scenario, entry.emulator_name(), entry.outcome.name()), &body)
}

/// The last step before the scenario could not be played further.
fn step_of_end(moments: &[Moment]) -> Option<usize> {
    let end = moments.iter().position(|moment| matches!(moment.what, What::Failed { .. }))?;
    moments[..end].iter().rev().find_map(|moment| match moment.what {
        What::Step { step, .. } => Some(step),
        _ => None,
    })
}

/// What the rows of the diagram can be filtered by.
fn tools() -> Markup {
    let kinds =
        [("mcp", "MCP", true), ("link", "links", true), ("screen", "screens", true), ("log", "log", false)];
    html! {
        div.tools {
            @for (kind, name, is_on) in kinds {
                label { input type="checkbox" id={ "show-" (kind) } checked[is_on]; " " (name) }
            }
            input type="search" #find placeholder="find in rows ( / )" aria-label="find in rows" hidden;
            button type="button" data-open="yes" hidden { "unfold all" }
            button type="button" data-open="no" hidden { "fold all" }
        }
    }
}

fn head(entry: &Entry, texts: &Texts<'_>) -> Markup {
    let links = ["transcript", "trace"].into_iter().filter_map(|what| Some((what, texts.files.get(what)?)));
    html! {
        header {
            @if let Some(back) = texts.back { a href=(back) { "← all scenarios" } }
            h1 { (Shown(&entry.scenario)) " " (badge(entry.outcome)) }
            p { (Shown(&entry.about)) }
            div.facts {
                span { (entry.emulator_name()) }
                span { (seconds(entry.duration_ms)) }
                @match (entry.seed, entry.round) {
                    (Some(seed), _) => span { "seed " (seed) },
                    (None, 1) => {},
                    (None, round) => span { "round " (round) },
                }
                @for (what, file) in links { span { a href=(address(file)) { (what) } } }
            }
        }
    }
}

/// Why it failed or was skipped. The diff stands for itself, each place of it with the way to its step.
fn why(
    failure: &Failure<'_>,
    subjects: &[Subject],
    screens: &Screens<'_>,
    failed_step: Option<usize>,
) -> Markup {
    let has_diff = !failure.diff.is_empty();
    html! {
        section #failure aria-labelledby="why" tabindex="-1" {
            h2 #why { @if has_diff { "Difference" } @else { "Reason" } }
            @if !failure.head.is_empty() {
                pre.reason { (Shown(&failure.head)) }
            }
            @if !has_diff {
                @if let Some(step) = failed_step { p { a href={ "#step-" (step) } { "to the step that failed" } } }
            }
            @if has_diff {
                div.tools { button type="button" data-copy="diff" hidden { "copy the diff" } span role="status" {} }
                div.diff #diff role="region" aria-label="diff" tabindex="0" {
                    @for (place, subject) in failure.diff.iter().zip(subjects) {
                        (way_to(subject, screens))
                        pre { @for line in place { (diff_line(line)) } }
                    }
                }
            }
            @if !failure.rest.is_empty() { pre.rest { (Shown(&failure.rest)) } }
            @for hint in &failure.hints { p.hint { "hint: " (Shown(hint)) } }
        }
    }
}

/// The way from a place of the diff to its step, and to the computer that it is about.
fn way_to(subject: &Subject, screens: &Screens<'_>) -> Markup {
    let computer = subject.computer.as_deref().filter(|name| screens.contains_key(&order(name)));
    html! {
        p.way data-apart {
            @if let Some(step) = subject.step {
                a href={ "#step-" (step) } { @if step == 0 { "the boot" } @else { "step " (step) } }
            }
            @if let Some(name) = computer {
                @if subject.step.is_some() { " · " }
                a href={ "#computer-" (address(name)) } { "computer " (Shown(name)) }
            }
        }
    }
}

fn diff_line(line: &str) -> Markup {
    let class = match change(line) {
        Change::Added => "added",
        Change::Removed => "removed",
        Change::Same => return html! { (Shown(line)) "\n" },
    };
    html! { span class=(class) { (Shown(line)) "\n" } }
}

/// What is last known of a computer.
#[derive(Debug, Default)]
struct Last<'a> {
    screen: &'a str,
    exit: &'a str,
    label: String,
}

type Screens<'a> = BTreeMap<(u64, &'a str), Last<'a>>;

/// The last screen of each computer, and how it ended.
fn last_screens(moments: &[Moment]) -> Screens<'_> {
    let mut last: Screens<'_> = BTreeMap::new();
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
    last
}

fn cards(screens: &Screens<'_>) -> Markup {
    let cards: Vec<Markup> =
        screens.iter().take(MOST_SCREENS).map(|((_, name), last)| card(name, last)).collect();
    let (open, folded) = cards.split_at(cards.len().min(OPEN_SCREENS));
    let left = screens.len() - cards.len();
    html! {
        @if !cards.is_empty() {
            section aria-labelledby="screens" {
                h2 #screens { "Screens" }
                div.screens { @for card in open { (card) } }
                @if !folded.is_empty() {
                    details {
                        summary { (folded.len()) " more" }
                        div.screens { @for card in folded { (card) } }
                    }
                }
                @if left > 0 { p.cut { "cut: " (left) " more screens are in the trace" } }
            }
        }
    }
}

fn card(name: &str, last: &Last<'_>) -> Markup {
    html! {
        div.screen id={ "computer-" (address(name)) } tabindex="-1" {
            h3 { (Shown(name)) " " span { (Shown(cut(&last.label, 64).0)) } " " span { (Shown(last.exit)) } }
            (screen_lines(last.screen))
        }
    }
}

fn order(computer: &str) -> (u64, &str) {
    (computer.parse().unwrap_or(u64::MAX), computer)
}

fn logs(texts: &Texts<'_>) -> Markup {
    let logs: Vec<(&String, &String)> =
        texts.logs.iter().filter(|(_, text)| !text.trim().is_empty()).take(LOGS).collect();
    html! {
        @if !logs.is_empty() {
            section.logs aria-labelledby="logs" {
                h2 #logs { "Logs" }
                @for (name, text) in logs { (log(name, text, texts)) }
            }
        }
    }
}

fn log(name: &str, text: &str, texts: &Texts<'_>) -> Markup {
    let shown = tail(text, LOG_BYTES);
    let left = text.len() - shown.len();
    let file = texts.files.get(format!("log-{name}").as_str()).copied().unwrap_or_default();
    html! {
        details {
            summary { (Shown(name)) }
            p { a href=(address(file)) { (Shown(file)) } }
            @if left > 0 { p.cut { "cut: " (size(left)) " before this" } }
            pre tabindex="0" { (Shown(shown)) }
        }
    }
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
            seed: None,
            order: 1,
            outcome: Verdict::Passed,
            reason: None,
            duration_ms: 1,
            files: BTreeMap::new(),
        };
        let texts = Texts {
            trace: &record.trace(),
            transcript: None,
            logs: &record.logs(),
            files: &BTreeMap::new(),
            back: Some("../index.html"),
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
        assert!(page.contains("--lanes:10") && page.contains("993 more<small>computers"), "lanes");
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
