//! The pages of coverage: a list of the project's files, and for each its source with what did not run.

use std::path::{Path, PathBuf};

use craftos_specs::coverage::{Coverage, FileCoverage, ranges};
use maud::{Markup, html};

use super::html::{Shown, address, page};

/// The list, below the report's folder.
pub const INDEX: &str = "coverage/index.html";

/// The part of the lines that ran, rounded down: what is not everything is not 100.
pub fn share(ran: usize, total: usize) -> String {
    let tenths = (ran * 1000).checked_div(total).unwrap_or(1000);
    format!("{}.{} %", tenths / 10, tenths % 10)
}

/// All pages, with their paths below the report's folder.
pub fn write(coverage: &Coverage, root: &Path) -> Vec<(PathBuf, String)> {
    let mut pages = vec![(PathBuf::from(INDEX), list(coverage))];
    for file in &coverage.files {
        // The source may have been changed since: what it has now is shown.
        let text = std::fs::read(root.join(&file.path)).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        pages.push((PathBuf::from("coverage").join(page_of(file)), source(file, &text)));
    }
    pages
}

/// The page of a file, beside the list. The folder `files` keeps a source named `index` away from it.
fn page_of(file: &FileCoverage) -> String {
    format!("files/{}.html", name(file))
}

fn name(file: &FileCoverage) -> String {
    file.path.to_string_lossy().replace('\\', "/")
}

fn list(coverage: &Coverage) -> String {
    let (ran, total) = (coverage.ran(), coverage.total());
    let body = html! {
        header {
            p { a href="../index.html" { "tests" } }
            h1 { "Coverage: " (share(ran, total)) }
            div.facts { span { (ran) " of " (total) " lines ran, on the embedded emulator" } }
        }
        main {
            table.coverage {
                thead { tr { th scope="col" { "file" } th scope="col" { "ran" } th scope="col" { "lines" } th scope="col" { "missed" } } }
                tbody { @for file in &coverage.files { (row(file)) } }
            }
            @for (path, message) in &coverage.unreadable {
                p.soft { (Shown(&path.to_string_lossy())) " does not count, because it is not Lua: " (Shown(message)) }
            }
        }
        footer { "craftos-harness " (env!("CARGO_PKG_VERSION")) " · " a href="../lcov.info" { "lcov.info" } }
    };
    page("coverage · craftos-harness test", &body)
}

fn row(file: &FileCoverage) -> Markup {
    let missed = file.missed();
    html! {
        tr data-row {
            th scope="row" { a.whole href=(address(&page_of(file))) { (Shown(&name(file))) } }
            td { (share(file.ran(), file.total())) }
            td { (file.ran()) " of " (file.total()) }
            td {
                @for ((first, _), text) in missed.iter().zip(ranges(&missed)) {
                    a.above href={ (address(&page_of(file))) "#L" (first) } { (text) } " "
                }
            }
        }
    }
}

/// The source: each line with how often it ran.
fn source(file: &FileCoverage, text: &str) -> String {
    let name = name(file);
    let up = "../".repeat(1 + name.matches('/').count());
    let body = html! {
        header {
            p { a href={ (up) "index.html" } { "coverage" } }
            h1 { (Shown(&name)) ": " (share(file.ran(), file.total())) }
            div.facts { span { (file.ran()) " of " (file.total()) " lines ran" } }
        }
        main {
            div.source tabindex="0" role="region" aria-label="source" {
                @for (number, line) in (1..).zip(text.lines()) {
                    @let count = file.lines.get(&number).copied();
                    div id={ "L" (number) } class=[class(count)] {
                        span.number { (number) }
                        span.count { (times(count)) }
                        code { (Shown(line)) }
                    }
                }
            }
        }
    };
    page(&format!("{name} · coverage"), &body)
}

fn times(count: Option<u64>) -> String {
    match count {
        None => String::new(),
        Some(0) => "never".to_owned(),
        Some(count) => format!("{count}×"),
    }
}

fn class(count: Option<u64>) -> Option<&'static str> {
    count.map(|count| if count == 0 { "missed" } else { "ran" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_marks_what_ran_and_what_did_not() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join("src")).expect("the folder is ours");
        std::fs::write(folder.path().join("src/a.lua"), "-- <b>\nf()\ng()\n").expect("the folder is ours");
        let file = FileCoverage { path: "src/a.lua".into(), lines: [(2, 3), (3, 0)].into() };
        let coverage = Coverage { files: vec![file], unreadable: Vec::new() };
        let pages = write(&coverage, folder.path());
        let [(index, list), (path, source)] = &pages[..] else { panic!("two pages: {pages:?}") };
        assert_eq!(
            (index.as_path(), path.as_path()),
            (Path::new(INDEX), Path::new("coverage/files/src/a.lua.html"))
        );
        assert!(list.contains("href=\"files/src/a.lua.html#L3\""), "{list}");
        assert!(list.contains("50.0 %"), "{list}");
        assert!(source.contains("href=\"../../index.html\""), "{source}");
        assert!(source.contains("<div id=\"L1\"><span class=\"number\">1</span><span class=\"count\"></span><code>-- &lt;b&gt;</code>"), "{source}");
        assert!(
            source.contains("<div class=\"ran\" id=\"L2\">")
                || source.contains("<div id=\"L2\" class=\"ran\">"),
            "{source}"
        );
        assert!(source.contains("class=\"missed\"") && source.contains("never"), "{source}");
    }
}
