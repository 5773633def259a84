//! The page of a run: what passed, what failed, what did not run and why, with the way to each scenario's page.

use std::collections::BTreeMap;

use maud::{Markup, html};

use super::failure::Failure;
use super::html::{Shown, address, badge, page, seconds};
use super::results::{End, Entry, Results, Run, Tally, Verdict};
use super::text::cut;

/// A scenario is slow that takes so many times what half of them take, and at least `SLOW_LEAST_MS`: in a suite that is
/// quick throughout nobody has to look at any.
const SLOW_TIMES: u64 = 3;
const SLOW_LEAST_MS: u64 = 1000;

/// Of the first line that differs: the rest is on the page of the scenario.
const LINE_BYTES: usize = 200;

/// Writes the whole page.
pub fn write(results: &Results) -> String {
    let (title, verdict) = headline(results);
    let rows = rows(results);
    let body = html! {
        header {
            h1 { (title) " " (badge(verdict)) }
            @for run in &results.runs { (facts(run)) }
        }
        main {
            section.tallies aria-label="emulators" {
                @for tally in &results.summary { (card(results, tally)) }
                @for (kind, reason) in results.missing() {
                    div.tally { h2 { (kind) } p.none { "did not run: " (Shown(&reason)) } }
                }
            }
            section aria-labelledby="scenarios" {
                h2 #scenarios { "Scenarios" }
                (filters(&rows, slow_from(results)))
                (table(results, &rows))
            }
        }
        footer { "craftos-harness " (env!("CARGO_PKG_VERSION")) " · " a href="results.json" { "results.json" } }
    };
    page(&format!("{title} · craftos-harness"), &body)
}

/// The whole in a few words, and its colour.
fn headline(results: &Results) -> (String, Verdict) {
    let failed: usize = results.summary.iter().map(|tally| tally.failed).sum();
    let passed: usize = results.summary.iter().map(|tally| tally.passed + tally.accepted).sum();
    match results.end() {
        End::Passed => (format!("{passed} passed"), Verdict::Passed),
        End::Failed => (format!("{failed} failed, {passed} passed"), Verdict::Failed),
        End::Broken => (format!("{passed} passed, the rest is broken"), Verdict::Broken),
        End::NothingRan => ("nothing ran".to_owned(), Verdict::Broken),
    }
}

fn facts(run: &Run) -> Markup {
    let machine = &run.machine;
    html! {
        div.facts {
            @if run.shard.of > 1 { span { "shard " (run.shard) } }
            span { (Shown(&run.started)) }
            span { (seconds(run.duration_ms)) }
            span {
                (Shown(&machine.os)) " " (Shown(&machine.architecture)) ", " (machine.processors) " processors, "
                (run.jobs) " at once"
            }
            @if let Some(seed) = run.seed { span { "shuffled with seed " (seed) } }
            @if run.left > 0 { span.failed { "stopped: " (run.left) " not played to the end" } }
        }
    }
}

fn card(results: &Results, tally: &Tally) -> Markup {
    let counts = counts(tally);
    html! {
        div.tally {
            h2 {
                (tally.name()) " "
                span { (Shown(&results.versions(tally.emulator).join(", "))) " · " (seconds(tally.duration_ms)) }
            }
            p {
                @for (verdict, count) in counts {
                    @if count > 0 || !is_rare(verdict) {
                        span class=(if count == 0 { "none" } else { verdict.name() }) {
                            b { (count) } " " (verdict.name())
                        }
                    }
                }
            }
            div.bar aria-hidden="true" {
                @for (verdict, count) in counts { i class=(verdict.name()) style={ "flex:" (count) } {} }
            }
        }
    }
}

fn counts(tally: &Tally) -> [(Verdict, usize); 5] {
    [
        (Verdict::Passed, tally.passed),
        (Verdict::Accepted, tally.accepted),
        (Verdict::Failed, tally.failed),
        (Verdict::Broken, tally.broken),
        (Verdict::Skipped, tally.skipped),
    ]
}

/// Whether a count of none need not be said.
fn is_rare(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Accepted | Verdict::Broken)
}

/// The worst first.
fn rank(verdict: Verdict) -> u8 {
    match verdict {
        Verdict::Failed => 1,
        Verdict::Broken => 2,
        Verdict::Skipped => 3,
        Verdict::Accepted => 4,
        Verdict::Passed => 5,
    }
}

/// Whether somebody has to look at it.
fn is_red(verdict: Verdict) -> bool {
    rank(verdict) < 3
}

/// One round of a scenario, on all emulators.
struct Row<'a> {
    scenario: &'a str,
    round: usize,
    entries: Vec<&'a Entry>,
    is_slow: bool,
}

impl<'a> Row<'a> {
    fn has(&self, verdict: Verdict) -> bool {
        self.entries.iter().any(|entry| entry.outcome == verdict)
    }

    fn is_red(&self) -> bool {
        self.entries.iter().any(|entry| is_red(entry.outcome))
    }

    /// The page that the whole row leads to: that of the worst result that has one.
    fn page(&self) -> Option<&'a String> {
        let mut entries = self.entries.clone();
        entries.sort_by_key(|entry| rank(entry.outcome));
        entries.into_iter().find_map(|entry| entry.files.get("page"))
    }

    /// What it can be filtered by.
    fn kinds(&self) -> String {
        let mut kinds: Vec<&str> = self.entries.iter().map(|entry| entry.outcome.name()).collect();
        if self.is_slow {
            kinds.push("slow");
        }
        kinds.sort_unstable();
        kinds.dedup();
        kinds.join(" ")
    }
}

/// The scenarios, those that need a look first. Later rounds are of interest where they failed.
fn rows(results: &Results) -> Vec<Row<'_>> {
    let mut rounds: BTreeMap<(&str, usize), Vec<&Entry>> = BTreeMap::new();
    for entry in &results.results {
        rounds.entry((&entry.scenario, entry.round)).or_default().push(entry);
    }
    let slow_from = slow_from(results);
    let mut rows = Vec::new();
    for ((scenario, round), entries) in rounds {
        let is_slow = entries.iter().any(|entry| entry.duration_ms >= slow_from);
        let row = Row { scenario, round, entries, is_slow };
        if round == 1 || row.is_red() {
            rows.push(row);
        }
    }
    rows.sort_by_key(|row| !row.is_red());
    rows
}

/// The time from which a scenario counts as slow.
fn slow_from(results: &Results) -> u64 {
    let played = results.results.iter().filter(|entry| entry.outcome != Verdict::Skipped);
    let mut times: Vec<u64> = played.map(|entry| entry.duration_ms).collect();
    times.sort_unstable();
    let median = times.get(times.len() / 2).copied().unwrap_or(0);
    median.saturating_mul(SLOW_TIMES).max(SLOW_LEAST_MS)
}

/// Filters the rows by how they ended. They work without a script.
fn filters(rows: &[Row<'_>], slow_from: u64) -> Markup {
    let count = |verdict: Verdict| rows.iter().filter(|row| row.has(verdict)).count();
    let slow = rows.iter().filter(|row| row.is_slow).count();
    let choices = [
        ("all", rows.len(), String::new()),
        ("failed", count(Verdict::Failed), String::new()),
        ("broken", count(Verdict::Broken), String::new()),
        ("skipped", count(Verdict::Skipped), String::new()),
        ("slow", slow, format!(", {} or more", seconds(slow_from))),
    ];
    html! {
        div.tools {
            fieldset {
                legend { "show" }
                @for (name, count, more) in choices {
                    label {
                        input type="radio" name="only" id={ "only-" (name) } value=(name) checked[name == "all"];
                        " " (name) " " span.soft { "(" (count) (more) ")" }
                    }
                }
            }
            input type="search" #find placeholder="find ( / )" aria-label="find" hidden;
        }
    }
}

/// A row for each scenario, a column for each emulator.
fn table(results: &Results, rows: &[Row<'_>]) -> Markup {
    html! {
        table {
            thead {
                tr {
                    th scope="col" { "scenario" }
                    @for tally in &results.summary { th scope="col" { (tally.name()) } }
                }
            }
            tbody {
                @for row in rows {
                    tr data-row data-is=(row.kinds()) {
                        th scope="row" { (subject(row)) }
                        @for tally in &results.summary {
                            (cell(tally, row.entries.iter().copied().find(|entry| tally.counts(entry))))
                        }
                    }
                }
            }
        }
    }
}

/// The name of a scenario, which is a link as large as the row, what it shows, and why it did not pass.
fn subject(row: &Row<'_>) -> Markup {
    let about = row.entries.first().map(|entry| entry.about.as_str()).unwrap_or_default();
    let mut reasons: Vec<(Verdict, String)> = Vec::new();
    for entry in &row.entries {
        let Some(reason) = &entry.reason else { continue };
        let first = Failure::of(reason).first_line();
        let (line, left_out) = cut(&first, LINE_BYTES);
        let line = if left_out > 0 { format!("{line}…") } else { line.to_owned() };
        if !reasons.contains(&(entry.outcome, line.clone())) {
            reasons.push((entry.outcome, line));
        }
    }
    html! {
        @match row.page() {
            Some(page) => a.whole href=(address(page)) { (Shown(row.scenario)) },
            None => (Shown(row.scenario)),
        }
        @if row.round > 1 { " " span.skipped { "round " (row.round) } }
        span.soft { (Shown(about)) }
        @for (verdict, line) in &reasons {
            code class={ "why " (verdict.name()) } { (Shown(line)) }
        }
    }
}

fn cell(tally: &Tally, entry: Option<&Entry>) -> Markup {
    html! {
        td.run data-name=(tally.name()) {
            @if let Some(entry) = entry {
                @match entry.files.get("page") {
                    Some(page) => a href=(address(page)) aria-label={ (Shown(&entry.scenario)) " on " (tally.name()) ": " (entry.outcome.name()) } {
                        (badge(entry.outcome))
                    },
                    None => (badge(entry.outcome)),
                }
                @if entry.outcome != Verdict::Skipped { " " small { (seconds(entry.duration_ms)) } }
            }
        }
    }
}
