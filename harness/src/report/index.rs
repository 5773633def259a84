//! The page of a run: what passed, what failed, what did not run and why, with the way to each scenario's page.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::html::{address, badge, page, seconds};
use super::results::{End, Entry, Results, Tally, Verdict};
use super::text::markup;

/// Writes the whole page.
pub fn write(results: &Results) -> String {
    let failed: usize = results.summary.iter().map(|tally| tally.failed).sum();
    let passed: usize = results.summary.iter().map(|tally| tally.passed + tally.accepted).sum();
    let title =
        if failed > 0 { format!("{failed} failed, {passed} passed") } else { format!("{passed} passed") };
    let (title, verdict) = match results.end() {
        End::Passed => (title, Verdict::Passed),
        End::Failed => (title, Verdict::Failed),
        End::Broken => (format!("{title}, the rest is broken"), Verdict::Broken),
        End::NothingRan => ("nothing ran".to_owned(), Verdict::Broken),
    };
    let mut body =
        format!("<header>\n<h1>{title} {}</h1>\n{}</header>\n<main>\n", badge(verdict), facts(results));
    body.push_str("<div class=\"tallies\">\n");
    for tally in &results.summary {
        body.push_str(&card(results, tally));
    }
    for (kind, reason) in results.missing() {
        let _ = writeln!(
            body,
            "<section class=\"tally\"><h3>{kind}</h3><p class=\"none\">did not run: {}</p></section>",
            markup(&reason)
        );
    }
    body.push_str("</div>\n");
    body.push_str(
        "<div class=\"tools\"><input type=\"search\" id=\"find\" placeholder=\"find ( / )\" aria-label=\"find\" hidden></div>\n",
    );
    body.push_str(&table(results));
    body.push_str("</main>\n<footer>craftos-harness ");
    body.push_str(&markup(env!("CARGO_PKG_VERSION")));
    body.push_str(" · <a href=\"results.json\">results.json</a></footer>\n");
    page(&format!("{title} · craftos-harness"), &body)
}

fn facts(results: &Results) -> String {
    let mut html = String::new();
    for run in &results.runs {
        let machine = &run.machine;
        let shard =
            if run.shard.of > 1 { format!("<span>shard {}</span>", run.shard) } else { String::new() };
        let seed = run.seed.map(|seed| format!("<span>shuffled with seed {seed}</span>")).unwrap_or_default();
        let left = if run.left > 0 {
            format!("<span class=\"failed\">broken off: {} not played to the end</span>", run.left)
        } else {
            String::new()
        };
        let _ = writeln!(
            html,
            "<div class=\"facts\">{shard}<span>{}</span><span>{}</span><span>{} {}, {} processors, {} at once</span>{seed}{left}</div>",
            markup(&run.started),
            seconds(run.duration_ms),
            markup(&machine.os),
            markup(&machine.architecture),
            machine.processors,
            run.jobs,
        );
    }
    html
}

fn card(results: &Results, tally: &Tally) -> String {
    let part = |count: usize, name: &str| {
        let class = if count == 0 { "none" } else { name };
        format!("<span class=\"{class}\"><b>{count}</b>{name}</span>")
    };
    let bar = |count: usize, name: &str| format!("<i class=\"{name}\" style=\"flex:{count}\"></i>");
    let accepted = if tally.accepted > 0 { part(tally.accepted, "accepted") } else { String::new() };
    let broken = if tally.broken > 0 { part(tally.broken, "broken") } else { String::new() };
    format!(
        "<section class=\"tally\"><h3>{} <span>{} · {}</span></h3><p>{}{accepted}{}{broken}{}</p><div class=\"bar\">{}{}{}{}{}</div></section>\n",
        tally.name(),
        markup(&results.versions(tally.emulator).join(", ")),
        seconds(tally.duration_ms),
        part(tally.passed, "passed"),
        part(tally.failed, "failed"),
        part(tally.skipped, "skipped"),
        bar(tally.passed, "passed"),
        bar(tally.accepted, "accepted"),
        bar(tally.failed, "failed"),
        bar(tally.broken, "broken"),
        bar(tally.skipped, "skipped"),
    )
}

/// A row for each scenario, a column for each emulator; what failed comes first.
fn table(results: &Results) -> String {
    let mut rows: BTreeMap<(bool, &str, usize), Vec<&Entry>> = BTreeMap::new();
    let key = |entry: &Entry| (entry.scenario.clone(), entry.round);
    let is_red = |entry: &Entry| matches!(entry.outcome, Verdict::Failed | Verdict::Broken);
    let mut failed: Vec<(String, usize)> =
        results.results.iter().filter(|entry| is_red(entry)).map(key).collect();
    failed.sort();
    for entry in &results.results {
        let passed = failed.binary_search(&key(entry)).is_err();
        // Later rounds are of interest where they failed.
        if entry.round == 1 || !passed {
            rows.entry((passed, &entry.scenario, entry.round)).or_default().push(entry);
        }
    }
    let heads: String =
        results.summary.iter().map(|tally| ["<th>", &tally.name(), "</th>"].concat()).collect();
    let mut html = format!("<table><thead><tr><th>scenario</th>{heads}</tr></thead><tbody>\n");
    for ((_, scenario, round), entries) in rows {
        let round =
            if round > 1 { format!(" <span class=\"skipped\">round {round}</span>") } else { String::new() };
        let about = entries.first().map(|entry| markup(&entry.about)).unwrap_or_default();
        let name = markup(scenario);
        let _ = write!(html, "<tr data-row><td>{name}{round}<span class=\"soft\">{about}</span></td>");
        for tally in &results.summary {
            let entry = entries.iter().find(|entry| tally.counts(entry));
            html.push_str(&entry.map_or_else(|| "<td class=\"run\"></td>".to_owned(), |entry| cell(entry)));
        }
        html.push_str("</tr>\n");
    }
    html + "</tbody></table>\n"
}

fn cell(entry: &Entry) -> String {
    let badge = badge(entry.outcome);
    let linked = match entry.files.get("page") {
        Some(page) => format!("<a href=\"{}\">{badge}</a>", address(page)),
        None => badge,
    };
    let why = entry.reason.as_deref().and_then(|reason| reason.lines().next()).unwrap_or_default();
    let time = if entry.outcome == Verdict::Skipped { String::new() } else { seconds(entry.duration_ms) };
    format!("<td class=\"run\" title=\"{}\">{linked}<small>{time}</small></td>", markup(why))
}
