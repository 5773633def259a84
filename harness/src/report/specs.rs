//! The page of a run of specs: every `it` on every emulator, those that failed first, with why.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use craftos_specs::coverage::Coverage;
use craftos_specs::results::{Counts, Outcome, TestResult};
use craftos_specs::show;
use craftos_specs::suite::{Broken, Ran};
use maud::{Markup, html};

use super::coverage::{INDEX, share};
use super::html::{Shown, address, page, seconds};
use super::results::milliseconds;
use crate::suite::chain;

/// What a page of specs is made from.
#[derive(Debug)]
pub struct SpecRun<'a> {
    pub ran: &'a Ran,
    pub took: Duration,
    pub coverage: Option<&'a Coverage>,
}

/// A test, and what came of it on each emulator in each round.
type Row<'a> = ((&'a Path, &'a [String]), Vec<&'a TestResult>);

/// Writes the whole page.
pub fn write(run: &SpecRun<'_>) -> String {
    let counts = Counts::of(&run.ran.results);
    let title = show::counts(counts);
    let rows = rows(run.ran);
    let emulators = emulators(run.ran);
    let body = html! {
        header {
            h1 { (title) }
            div.facts {
                span { (seconds(milliseconds(run.took))) }
                @if run.ran.not_begun > 0 { span.failed { (run.ran.not_begun) " files were not started" } }
            }
        }
        main {
            section.tallies aria-label="emulators" {
                @for emulator in &emulators { (card(run.ran, emulator)) }
                @if let Some(coverage) = run.coverage {
                    div.tally {
                        h2 { "coverage " span { "of the embedded emulator" } }
                        p {
                            a href=(address(INDEX)) { b { (share(coverage.ran(), coverage.total())) } }
                            span { (coverage.ran()) " of " (coverage.total()) " lines" }
                        }
                    }
                }
            }
            @for broken in &run.ran.broken { (could_not_run(broken)) }
            section aria-labelledby="tests" {
                h2 #tests { "Tests" }
                (filters(&rows))
                table {
                    thead {
                        tr {
                            th scope="col" { "test" }
                            @for emulator in &emulators { th scope="col" { (Shown(emulator)) } }
                        }
                    }
                    tbody { @for row in &rows { (line(row, &emulators)) } }
                }
            }
        }
        footer { "craftos-harness " (env!("CARGO_PKG_VERSION")) " · " a href="results.jsonl" { "results.jsonl" } }
    };
    page(&format!("{title} · craftos-harness test"), &body)
}

fn emulators(ran: &Ran) -> Vec<String> {
    let mut names: Vec<String> = ran.results.iter().map(|result| result.emulator.clone()).collect();
    names.extend(ran.broken.iter().map(|broken| broken.emulator.clone()));
    names.sort();
    names.dedup();
    names
}

/// The tests by file and in their order, those that failed before the others.
fn rows(ran: &Ran) -> Vec<Row<'_>> {
    let mut places: BTreeMap<(&Path, &[String]), usize> = BTreeMap::new();
    let mut rows: Vec<Row<'_>> = Vec::new();
    for result in &ran.results {
        let test = (result.file.as_path(), &result.name[..]);
        let place = *places.entry(test).or_insert_with(|| {
            rows.push((test, Vec::new()));
            rows.len() - 1
        });
        rows[place].1.push(result);
    }
    rows.sort_by_key(|(_, results)| !results.iter().any(|result| result.is_failed()));
    rows
}

fn word(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Passed => "passed",
        Outcome::Failed(_) => "failed",
        Outcome::Pending => "pending",
    }
}

/// The class that gives an outcome its colour: what is pending did not run, as what is skipped.
fn class(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Pending => "skipped",
        other => word(other),
    }
}

fn card(ran: &Ran, emulator: &str) -> Markup {
    let counts = Counts::of(ran.results.iter().filter(|result| result.emulator == emulator));
    let parts = [
        ("passed", "passed", counts.passed),
        ("failed", "failed", counts.failed),
        ("pending", "skipped", counts.pending),
    ];
    html! {
        div.tally {
            h2 { (Shown(emulator)) }
            p {
                @for (word, class, count) in parts {
                    @if count > 0 || word != "pending" {
                        span class=(if count == 0 { "none" } else { class }) { b { (count) } " " (word) }
                    }
                }
            }
            div.bar aria-hidden="true" {
                @for (_, class, count) in parts { i class=(class) style={ "flex:" (count) } {} }
            }
        }
    }
}

/// Filters the rows by how they ended. They work without a script.
fn filters(rows: &[Row<'_>]) -> Markup {
    let count = |name: &str| {
        let has = |(_, results): &&Row<'_>| results.iter().any(|result| class(&result.outcome) == name);
        rows.iter().filter(has).count()
    };
    let choices = [
        ("all", "all", rows.len()),
        ("failed", "failed", count("failed")),
        ("skipped", "pending", count("skipped")),
    ];
    html! {
        div.tools {
            fieldset {
                legend { "show" }
                @for (id, name, count) in choices {
                    label {
                        input type="radio" name="only" id={ "only-" (id) } value=(id) checked[id == "all"];
                        " " (name) " " span.soft { "(" (count) ")" }
                    }
                }
            }
            input type="search" #find placeholder="find ( / )" aria-label="find" hidden;
        }
    }
}

fn line(((file, name), results): &Row<'_>, emulators: &[String]) -> Markup {
    let mut kinds: Vec<&str> = results.iter().map(|result| class(&result.outcome)).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let at =
        results.first().and_then(|result| result.line).map(|line| format!(":{line}")).unwrap_or_default();
    html! {
        tr data-row data-is=(kinds.join(" ")) {
            th scope="row" {
                (Shown(&name.join(" › ")))
                span.soft { (Shown(&file.to_string_lossy().replace('\\', "/"))) (at) }
                @for (why, on) in &reasons(results) {
                    p.soft { "on " (Shown(&on.join(", "))) ":" }
                    div.diff { pre { (Shown(why)) } }
                }
            }
            @for emulator in emulators {
                td.run data-name=(Shown(emulator)) {
                    @for result in results.iter().filter(|result| result.emulator == *emulator) { (cell(result)) }
                }
            }
        }
    }
}

/// What failed, told once where it is the same on several emulators.
fn reasons(results: &[&TestResult]) -> Vec<(String, Vec<String>)> {
    let mut reasons: Vec<(String, Vec<String>)> = Vec::new();
    for result in results {
        let Outcome::Failed(failure) = &result.outcome else { continue };
        let why = show::failure(failure);
        match reasons.iter_mut().find(|(known, _)| *known == why) {
            Some((_, on)) if on.contains(&result.emulator) => {}
            Some((_, on)) => on.push(result.emulator.clone()),
            None => reasons.push((why, vec![result.emulator.clone()])),
        }
    }
    reasons
}

fn cell(result: &TestResult) -> Markup {
    let milliseconds = milliseconds(Duration::from_secs_f64(result.ms.max(0.0) / 1000.0));
    html! {
        span class={ "badge " (class(&result.outcome)) } { (word(&result.outcome)) }
        @if result.outcome != Outcome::Pending { " " small { (seconds(milliseconds)) } }
        " "
    }
}

fn could_not_run(broken: &Broken) -> Markup {
    html! {
        div.reason {
            span class="badge broken" { "broken" } " "
            (Shown(&broken.file.to_string_lossy())) " on " (Shown(&broken.emulator))
            pre { (Shown(&chain(&broken.error))) }
        }
    }
}
