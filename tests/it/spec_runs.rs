//! How a run of specs and probes goes: what begins, what is left out, what cannot be run, and what the computers have.

use std::time::Duration;

use craftos_harness::emulators::Kind;
use rstest::rstest;

use crate::context::emulator;
use crate::project::{Project, outcomes};

/// More than any of these runs takes, on a busy machine too.
const LONGEST: Duration = Duration::from_secs(120);

const PASSES: &str = "it('passes', function() end)";
const FAILS: &str = "it('fails', function() error('on purpose') end)";

/// A text that says it is compressed and is not: its probe cannot be run.
fn with_a_broken_probe() -> Project {
    Project::with(&[
        ("craftos.toml", "probes = { folder = \"probes\" }\n"),
        ("probes/a.lua", "print(1)"),
        ("probes/a.recorded.gz", "not compressed"),
        ("probes/b.lua", "print(1)"),
        ("probes/b.recorded", "1\n"),
    ])
}

#[test]
fn after_the_first_failure_no_other_file_begins() {
    let project = Project::with(&[
        ("craftos.toml", ""),
        ("spec/a_spec.lua", FAILS),
        ("spec/b_spec.lua", PASSES),
        ("spec/c_spec.lua", PASSES),
    ]);
    let (results, stderr) = project.test(Kind::Embedded, &["--fail-fast", "--jobs", "1"], 1);
    assert_eq!(outcomes(&results), [("fails", "failed")]);
    assert!(stderr.contains("2 files were not started after the first failure"), "{stderr}");
    let (results, _) = project.test(Kind::Embedded, &["--jobs", "1"], 1);
    assert_eq!(results.len(), 3);
}

#[test]
fn what_cannot_be_run_is_told_and_is_no_success() {
    let project = with_a_broken_probe();
    let (results, stderr) = project.test(Kind::Embedded, &["--junit", "out.xml"], 2);
    assert_eq!(outcomes(&results), [("b", "passed")]);
    assert!(stderr.contains("BROKEN") && stderr.contains("probes/a.recorded"), "{stderr}");
    let junit = project.read("out.xml");
    assert!(junit.contains("<error") && junit.contains("probes/a.lua"), "{junit}");
    let (results, stderr) = project.test(Kind::Embedded, &["--fail-fast", "--jobs", "1"], 2);
    assert_eq!(outcomes(&results), [], "{stderr}");
}

#[test]
fn shards_divide_files_and_probes_together() {
    let project = Project::with(&[
        ("craftos.toml", "probes = { folder = \"probes\" }\n"),
        ("spec/a_spec.lua", PASSES),
        ("probes/b.lua", "print(1)"),
        ("probes/b.recorded", "1\n"),
    ]);
    for (shard, expected) in [("1/2", "passes"), ("2/2", "b")] {
        let (results, _) = project.test(Kind::Embedded, &["--shard", shard], 0);
        assert_eq!(outcomes(&results), [(expected, "passed")], "shard {shard}");
    }
    // Nothing but probes is recorded.
    let (results, _) = project.test(Kind::Embedded, &["--accept"], 0);
    assert_eq!(outcomes(&results), [("b", "passed")]);
}

#[rstest]
#[case::embedded(Kind::Embedded)]
#[case::craftos_pc(Kind::CraftosPc)]
#[tokio::test]
async fn the_clock_of_a_probe_is_in_utc_wherever_the_machine_is(#[case] kind: Kind) {
    if emulator(kind).await.is_none() {
        return;
    }
    let project = Project::with(&[
        ("craftos.toml", "probes = { folder = \"probes\" }\n"),
        ("probes/hour.lua", "print(os.date('%H', 0))"),
        ("probes/hour.recorded", "00\n"),
    ]);
    let mut command = project.harness(&["test", "--emulator", &kind.to_string()]);
    command.env("TZ", "Asia/Tokyo").assert().success();
}

#[tokio::test]
async fn what_craftos_pc_prints_is_what_is_recorded() {
    if emulator(Kind::CraftosPc).await.is_none() {
        return;
    }
    let project = Project::with(&[
        ("craftos.toml", "probes = { folder = \"probes\" }\n"),
        // Without a window CraftOS-PC has no monitors, and the embedded emulator has.
        ("probes/monitor.lua", "print((pcall(periphemu.create, 'left', 'monitor')))"),
    ]);
    let both = ["test", "--accept", "--json", "--emulator", "embedded", "--emulator", "craftos-pc"];
    let (stdout, stderr) = project.said(&both, 1);
    assert!(stderr.contains("what they print on craftos-pc is recorded"), "{stderr}");
    let (_, recorded) = project.test(Kind::CraftosPc, &[], 0);
    assert!(stdout.contains("\"failed\""), "the other emulator prints something else: {stdout}{recorded}");
}

#[test]
fn a_failure_shows_who_called() {
    let body = "local function inner()\n    error('on purpose')\nend\nlocal function outer()\n    inner()\n    return 1\nend\n\
        it('fails', function()\n    outer()\n    return 1\nend)\n";
    let project = Project::with(&[("craftos.toml", ""), ("spec/a_spec.lua", body)]);
    let (_, stderr) = project.said(&["test", "--emulator", "embedded"], 1);
    let (_, calls) = stderr.split_once("called from:\n").unwrap_or_else(|| panic!("{stderr}"));
    for line in ["a_spec.lua:2", "a_spec.lua:5", "a_spec.lua:9"] {
        assert!(calls.contains(line), "{line} in\n{calls}");
    }
}

#[test]
fn the_report_of_the_last_run_goes_and_a_named_folder_keeps_what_it_has() {
    let project = Project::with(&[
        ("craftos.toml", ""),
        ("spec/a_spec.lua", PASSES),
        (".craftos/test/stale.html", "of a file that is gone"),
        ("out/mine.txt", "somebody's"),
    ]);
    project.test(Kind::Embedded, &[], 0);
    assert!(!project.root.join(".craftos/test/stale.html").exists());
    assert!(project.root.join(".craftos/test/index.html").exists());
    project.test(Kind::Embedded, &["--report", "out"], 0);
    assert_eq!(project.read("out/mine.txt"), "somebody's");
}

#[test]
fn a_test_that_looks_at_another_computer_for_ever_is_late() {
    let body = "local test = require('craftos.test')\n\
        it('looks', function() local other = test.computer() while true do other:screen() end end)\n\
        it('goes on', function() end)\n";
    let project = Project::with(&[("craftos.toml", "timeout_s = 3\n"), ("spec/a_spec.lua", body)]);
    let mut command = project.harness(&["test", "--emulator", "embedded"]);
    let output = command.timeout(LONGEST).assert().code(1).get_output().clone();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("the test did not end within 3 s"), "{stderr}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("1 passed, 1 failed"));
}

#[cfg(unix)]
#[test]
fn a_server_without_an_address_is_told() {
    let project = with_a_broken_probe();
    project.write("craftos.toml", "probes = { folder = \"probes\", server = \"serve\" }\n");
    project.write_program("serve", "#!/bin/sh\necho\ncat >/dev/null\n");
    let (results, stderr) = project.test(Kind::Embedded, &[], 2);
    assert_eq!(outcomes(&results), []);
    assert!(stderr.contains("did not print its address"), "{stderr}");
}

#[rstest]
#[case::embedded(Kind::Embedded)]
#[case::craftos_pc(Kind::CraftosPc)]
#[tokio::test]
async fn another_computer_has_the_projects_files_and_mounts_unless_it_is_told_not_to(#[case] kind: Kind) {
    if emulator(kind).await.is_none() {
        return;
    }
    let shows = "write('has') for _, is in ipairs({ fs.exists('/a.lua'), fs.exists('/lib/b.lua'), fs.isReadOnly('/lib/b.lua') }) do write(' ' .. tostring(is)) end os.pullEvent('never')";
    let body = format!(
        "local test = require('craftos.test')\nlocal shows = {{ ['shows.lua'] = {shows:?} }}\n\
        it('has all', function() test.computer({{ program = '/shows.lua', files = shows }}):shows('has true true true') end)\n\
        it('has none', function()\n\
        test.computer({{ program = '/shows.lua', files = shows, project = false }}):shows('has false true true') end)\n"
    );
    let project = Project::with(&[
        ("craftos.toml", "files = { \"src\" = \"/\", \"lib\" = { path = \"/lib\", mount = true } }\n"),
        ("src/a.lua", ""),
        ("lib/b.lua", ""),
        ("spec/a_spec.lua", &body),
    ]);
    let (results, stderr) = project.test(kind, &[], 0);
    assert_eq!(results.len(), 2, "{stderr}");
}

#[test]
fn the_innermost_place_of_a_file_is_the_one_that_counts() {
    let project = Project::with(&[
        ("craftos.toml", "files = { \"lib\" = \"/lib\", \"src\" = \"/\" }\n"),
        ("lib/a.lua", "return 'inner'\n"),
        ("src/lib/a.lua", "return 'outer'\n"),
        ("spec/a_spec.lua", "it('a', function() expect(require('lib.a')):eq('inner') end)"),
    ]);
    let (stdout, stderr) = project.said(&["test", "--emulator", "embedded", "--coverage"], 0);
    let ran =
        |file: &str| stdout.lines().find(|line| line.starts_with(file)).map(|line| line.contains("1 of 1"));
    assert_eq!((ran("lib/a.lua"), ran("src/lib/a.lua")), (Some(true), Some(false)), "{stdout}{stderr}");
}

#[test]
fn what_runs_before_the_specs_has_run_on_each_computer() {
    let project = Project::with(&[
        ("craftos.toml", ""),
        ("before.lua", "_G.before = (_G.before or 0) + 1"),
        ("spec/a_spec.lua", "it('a', function() expect(_G.before):eq(1) end)"),
    ]);
    project.test(Kind::Embedded, &["--before", "before.lua"], 0);
    project.test(Kind::Embedded, &[], 1);
}
