//! What a run leaves: the results, the merge of shards, `JUnit`, the trace and the pages.

use std::path::Path;

use rstest::rstest;
use serde_json::{Value, json};

use crate::context::{Fixtures, harness};

const NONE: &str = "about = \"x\"\n[[steps]]\ncall = { tool = \"probe-computers\" }\n";
const SKIPPED: &str =
    "about = \"x\"\n[skip]\nembedded = \"it has no <turtle> & co\"\n[[steps]]\nsay = \"x\"\n";

/// Its label would run on a page that does not escape it.
const LABELLED: &str = r#"
about = "A label that is a <b>tag</b>."
[[computers]]
id = 12
label = "<script>alert(1)</script>"
[[steps]]
call = { tool = "probe-computers" }
[[steps]]
exec = { computer = "12", code = "print('<img src=x onerror=alert(2)>') return '</pre>'" }
"#;

/// Six scenarios whose transcripts are accepted.
fn six() -> Fixtures {
    let names = ["b", "c", "d", "e", "f"];
    let fixtures = names.iter().fold(Fixtures::with("a", NONE), |all, name| all.and(name, NONE));
    fixtures.harness(&["run", "--accept"]).assert().success();
    fixtures
}

/// Runs with `--json -`: what is on stdout is the results, and nothing else.
fn results(fixtures: &Fixtures, arguments: &[&str], code: i32) -> Value {
    let output =
        fixtures.harness(&[arguments, &["--json", "-"]].concat()).assert().code(code).get_output().clone();
    serde_json::from_slice(&output.stdout).expect("stdout is the results")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("`{}`: {error}", path.display()))
}

fn order(results: &Value) -> Vec<String> {
    let mut all: Vec<&Value> = results["results"].as_array().expect("an array").iter().collect();
    all.sort_by_key(|result| result["order"].as_u64());
    all.into_iter().map(|result| result["scenario"].as_str().expect("a name").to_owned()).collect()
}

/// What has to be the same however a run was cut into parts.
fn essence(results: &Value) -> Vec<Value> {
    // The hint of a reason repeats the flags of its run.
    let reason = |result: &Value| {
        let reason = result["reason"].as_str().unwrap_or_default();
        reason.split("hint: ").next().map(ToOwned::to_owned)
    };
    let keep =
        |result: &Value| json!([result["emulator"], result["scenario"], result["outcome"], reason(result)]);
    results["results"].as_array().expect("an array").iter().map(keep).collect()
}

#[test]
fn a_seed_gives_the_same_order_twice() {
    let fixtures = six();
    let shuffled = || results(&fixtures, &["run", "--jobs", "1", "--shuffle", "7"], 0);
    let (one, other) = (shuffled(), shuffled());
    assert_eq!(order(&one), order(&other));
    assert_ne!(order(&one), ["a", "b", "c", "d", "e", "f"]);
    assert_eq!(order(&results(&fixtures, &["run", "--jobs", "1"], 0)), ["a", "b", "c", "d", "e", "f"]);
}

#[test]
fn a_seed_that_was_chosen_is_printed_and_gives_the_same_order_again() {
    let fixtures = six();
    let output = fixtures
        .harness(&["run", "--jobs", "1", "--json", "-", "--shuffle"])
        .assert()
        .success()
        .get_output()
        .clone();
    let one: Value = serde_json::from_slice(&output.stdout).expect("results");
    let seed = one["runs"][0]["seed"].to_string();
    let printed = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(printed.contains(&format!("`--shuffle {seed}` gives this order again")), "{printed}");
    assert_eq!(order(&one), order(&results(&fixtures, &["run", "--jobs", "1", "--shuffle", &seed], 0)));
}

#[test]
fn results_have_the_promised_shape_and_say_everything() {
    let fixtures = Fixtures::with("good", NONE).and("skipped", SKIPPED);
    fixtures.harness(&["run", "--accept"]).assert().success();
    let fixtures = fixtures.and("new", NONE);
    let results = results(&fixtures, &["run", "--shuffle", "3"], 1);
    let schema: Value =
        serde_json::from_str(include_str!("../../docs/results.schema.json")).expect("a schema");
    let schema = jsonschema::validator_for(&schema).expect("a schema");
    let wrong: Vec<String> = schema.iter_errors(&results).map(|error| error.to_string()).collect();
    assert!(wrong.is_empty(), "{wrong:?} in {results:#}");
    assert_eq!(results["summary"][0]["passed"], 1);
    assert_eq!(results["summary"][0]["failed"], 1);
    assert_eq!(results["summary"][0]["skipped"], 1);
    let of = |name: &str| {
        let all = results["results"].as_array().expect("an array");
        all.iter().find(|result| result["scenario"] == name).expect("it ran").clone()
    };
    assert_eq!(of("skipped")["reason"], "it has no <turtle> & co");
    assert!(of("new")["reason"].as_str().expect("a reason").starts_with("there is no snapshot yet"));
    for file in of("good")["files"].as_object().expect("files").values() {
        assert!(fixtures.report().join(file.as_str().expect("a path")).is_file(), "{file}");
    }
    let left: Value = serde_json::from_str(&read(&fixtures.report().join("results.json"))).expect("results");
    assert_eq!(left, results);
}

#[test]
fn three_shards_merge_into_the_whole() {
    let fixtures = six().and("g", NONE);
    let whole = results(&fixtures, &["run"], 1);
    let mut files = Vec::new();
    for shard in ["1/3", "2/3", "3/3"] {
        let folder = fixtures.path(&format!("shard-{}", &shard[..1]));
        let mut command = harness();
        command.args(["run", "--emulator", "embedded", "--shard", shard, "--shuffle", "--fixtures"]);
        command.arg(fixtures.path("")).arg("--report").arg(&folder);
        // The new scenario, the seventh by name, is in the first shard.
        command.assert().code(i32::from(shard == "1/3"));
        files.push(folder.join("results.json"));
    }
    files.reverse();
    let (junit, merged) = (fixtures.path("junit.xml"), fixtures.path("merged"));
    let mut command = harness();
    command
        .arg("merge")
        .args(&files)
        .args(["--json", "-"])
        .arg("--junit")
        .arg(&junit)
        .arg("--report")
        .arg(&merged);
    let output = command.assert().code(1).get_output().clone();
    let joined: Value = serde_json::from_slice(&output.stdout).expect("results");
    assert_eq!(essence(&joined), essence(&whole));
    assert_eq!(joined["scenarios"], whole["scenarios"]);
    assert_eq!(joined["runs"].as_array().expect("runs").len(), 3);
    for key in ["passed", "accepted", "failed", "skipped"] {
        assert_eq!(joined["summary"][0][key], whole["summary"][0][key], "{key}");
    }
    let summary = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(summary.contains("embedded: 6 passed, 1 failed, 0 skipped"), "{summary}");
    assert!(read(&junit).contains("tests=\"7\""));
    let index = read(&merged.join("index.html"));
    for name in ["a", "b", "c", "d", "e", "f", "g"] {
        assert!(index.contains(&format!("href=\"embedded/{name}/index.html\"")), "{name} in {index}");
        assert!(merged.join("embedded").join(name).join("index.html").is_file(), "{name}");
    }

    let own = files[0].parent().expect("a folder");
    let output =
        harness().arg("merge").args(&files).arg("--report").arg(own).assert().code(2).get_output().clone();
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(error.contains("which `merge` only reads"), "{error}");
    assert!(files[0].is_file() && own.join("embedded").is_dir());
}

/// Results of a shard, without anything that ran.
fn shard(folder: &Path, name: &str, change: impl FnOnce(&mut Value)) -> String {
    let mut results = json!({
        "version": 1, "scenarios": 0, "summary": [], "results": [],
        "runs": [{
            "harness": "0.2.0", "shard": { "index": 1, "of": 2 }, "started": "2026-01-01T00:00:00Z", "duration_ms": 1,
            "seed": null, "filters": [], "jobs": 1, "repeat": 1, "emulators": [], "missing": [], "report": null,
            "machine": { "os": "linux", "architecture": "x86_64", "processors": 2 },
        }],
    });
    change(&mut results);
    let path = folder.join(name);
    std::fs::write(&path, results.to_string()).expect("the folder is ours");
    path.to_str().expect("temporary folders have plain names").to_owned()
}

#[rstest]
#[case::one_that_is_there_twice(|_: &mut Value| (), "shard 1/2 is there twice")]
#[case::another_number(|value: &mut Value| value["runs"][0]["shard"] = json!({"index":2,"of":3}), "are not of one run: shards 1/2 and 2/3")]
#[case::other_filters(|value: &mut Value| { value["runs"][0]["shard"]["index"] = json!(2); value["runs"][0]["filters"] = json!(["x"]) }, "are not of one run: filters")]
#[case::other_rounds(|value: &mut Value| { value["runs"][0]["shard"]["index"] = json!(2); value["runs"][0]["repeat"] = json!(2) }, "are not of one run: filters `` x1 and `` x2")]
#[case::other_scenarios(|value: &mut Value| { value["runs"][0]["shard"]["index"] = json!(2); value["scenarios"] = json!(9) }, "are not of one run: scenarios in all: 0 and 9")]
#[case::another_version(|value: &mut Value| value["version"] = json!(2), "holds results of version 2; this program reads version 1")]
#[case::no_results(|value: &mut Value| *value = json!({"version":1}), "holds no results")]
#[case::no_version(|value: &mut Value| *value = json!([]), "holds no results")]
#[case::one_that_was_stopped(|value: &mut Value| { value["runs"][0]["shard"]["index"] = json!(2); value["runs"][0]["left"] = json!(1) }, "was stopped before its end")]
#[case::a_shard_that_cannot_be(|value: &mut Value| value["runs"][0]["shard"]["index"] = json!(0), "there is no shard 0/2")]
#[case::a_path_that_leaves(|value: &mut Value| value["results"] = json!([{
    "scenario":"a","about":"x","emulator":"embedded","round":1,"order":1,"outcome":"passed","reason":null,
    "duration_ms":1,"files":{"page":"../../x"}
}]), "is not below the report's folder")]
fn results_that_cannot_be_merged_are_refused_with_2(#[case] change: fn(&mut Value), #[case] why: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let (one, other) = (shard(folder.path(), "one.json", |_| ()), shard(folder.path(), "other.json", change));
    let output = harness().args(["merge", &one, &other]).assert().code(2).get_output().clone();
    let printed = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(printed.contains(why), "{printed}");
    assert!(output.stdout.is_empty());
}

/// A file from before plans were written down has no other way to be caught.
#[test]
fn shards_that_have_not_all_scenarios_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let of = |name, index| {
        shard(folder.path(), name, |value| {
            value["scenarios"] = json!(1);
            value["runs"][0]["shard"]["index"] = json!(index);
        })
    };
    let output = harness().args(["merge", &of("one.json", 1), &of("other.json", 2)]).assert().code(2);
    let printed = String::from_utf8_lossy(&output.get_output().stderr).into_owned();
    assert!(printed.contains("the shards have 0 of 1 scenarios"), "{printed}");
}

#[test]
fn a_missing_shard_and_a_missing_file_are_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let one = shard(folder.path(), "one.json", |value| value["runs"][0]["shard"]["of"] = json!(3));
    let output = harness().args(["merge", &one]).assert().code(2).get_output().clone();
    let printed = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(printed.contains("missing: shard 2/3, 3/3\nhint: "), "{printed}");
    let output = harness().args(["merge", "no-such.json"]).assert().code(2).get_output().clone();
    let printed = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(printed.contains("failed to read results `no-such.json`"), "{printed}");
}

#[test]
fn junit_has_a_suite_for_each_emulator_with_reasons_and_paths() {
    let fixtures = Fixtures::with("good", NONE).and("skipped", SKIPPED);
    fixtures.harness(&["run", "--accept"]).assert().success();
    let fixtures = fixtures.and("new", NONE);
    let file = fixtures.path("junit.xml");
    fixtures.harness(&["run"]).arg("--junit").arg(&file).assert().code(1);
    let text = read(&file);
    let document = roxmltree::Document::parse(&text).unwrap_or_else(|error| panic!("{error} in {text}"));
    let suites: Vec<_> =
        document.root_element().children().filter(|node| node.has_tag_name("testsuite")).collect();
    assert_eq!(suites.len(), 1);
    let attribute = |name| suites[0].attribute(name);
    assert_eq!((attribute("name"), attribute("tests")), (Some("embedded"), Some("3")));
    assert_eq!((attribute("failures"), attribute("skipped")), (Some("1"), Some("1")));
    let case = |name: &str| {
        let found = suites[0].children().find(|node| node.attribute("name") == Some(name));
        found.expect("it has a case")
    };
    let child = |name: &str, tag: &str| case(name).children().find(|node| node.has_tag_name(tag));
    let reason = child("skipped", "skipped").expect("it was skipped").attribute("message");
    assert_eq!(reason, Some("it has no <turtle> & co"));
    let failure = child("new", "failure").expect("it failed").text().unwrap_or_default();
    assert!(failure.contains("there is no snapshot yet"), "{failure}");
    let paths = child("good", "system-out").expect("it left files").text().unwrap_or_default();
    let page = paths.lines().find_map(|line| line.strip_prefix("page: ")).expect("it has a page");
    assert!(Path::new(page).is_file(), "{page}");
}

#[test]
fn an_emulator_that_is_not_there_is_in_the_results_and_in_junit() {
    let fixtures = Fixtures::with("none", NONE);
    let mut command = harness();
    command.env("PATH", "").args(["run", "--accept", "--json", "-", "--fixtures"]).arg(fixtures.path(""));
    command.arg("--report").arg(fixtures.report()).arg("--junit").arg(fixtures.path("junit.xml"));
    let output = command.assert().success().get_output().clone();
    let results: Value = serde_json::from_slice(&output.stdout).expect("results");
    assert_eq!(results["runs"][0]["missing"][0]["emulator"], "craftos-pc");
    let junit = read(&fixtures.path("junit.xml"));
    assert!(junit.contains("<property name=\"did-not-run\" value=\"CraftOS-PC was not found"), "{junit}");
}

#[test]
fn the_page_shows_every_frame_and_runs_no_strangers_text() {
    let fixtures = Fixtures::with("labelled", LABELLED);
    fixtures.harness(&["run", "--accept"]).assert().success();
    let folder = fixtures.report().join("embedded/labelled");
    let (page, trace) = (read(&folder.join("index.html")), read(&folder.join("trace.jsonl")));
    let (mut frames, mut messages) = (0, 0);
    for line in trace.lines() {
        let line: Value = serde_json::from_str(line).expect("each line is JSON");
        let event = &line["what"]["event"];
        let frame = event["to_bridge"].as_str().or(event["to_computer"].as_str());
        let shown = if let Some(frame) = frame {
            frames += 1;
            serde_json::from_str(frame).expect("a frame is JSON")
        } else if line["what"]["mcp"].is_string() {
            messages += 1;
            line["what"]["message"].clone()
        } else {
            continue;
        };
        let shown = escaped(&serde_json::to_string_pretty(&shown).expect("it is JSON"));
        assert!(page.contains(&shown), "the page lacks\n{shown}");
    }
    // hello, hello-ok, a ping and a chunk with their answers; initialize, initialized and two calls with theirs.
    assert!(frames >= 6 && messages >= 7, "{frames} frames, {messages} messages in\n{trace}");
    for tag in ["<script>alert", "<img", "<b>tag"] {
        assert!(!page.contains(tag), "{tag} in {page}");
    }
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"), "{page}");
    assert!(
        !page.contains("src=\"") && !page.contains("http-equiv=\"refresh"),
        "a page loads nothing: {page}"
    );
    let index = read(&fixtures.report().join("index.html"));
    assert!(index.contains("A label that is a &lt;b&gt;tag&lt;/b&gt;."), "{index}");
}

fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    text.replace('"', "&quot;").replace('\'', "&#39;")
}

#[test]
fn the_trace_has_one_clock_and_everything_is_on_it() {
    let fixtures = Fixtures::with("labelled", LABELLED);
    fixtures.harness(&["run", "--accept"]).assert().success();
    let trace = read(&fixtures.report().join("embedded/labelled/trace.jsonl"));
    let lines: Vec<Value> =
        trace.lines().map(|line| serde_json::from_str(line).expect("each line is JSON")).collect();
    let times: Vec<f64> = lines.iter().map(|line| line["at_ms"].as_f64().expect("each has a time")).collect();
    assert!(times.is_sorted(), "{trace}");
    let place = |is: &dyn Fn(&Value) -> bool, what: &str| {
        lines.iter().position(|line| is(&line["what"])).unwrap_or_else(|| panic!("no {what} in\n{trace}"))
    };
    let with = |what: &Value, way: &str, text: &str| {
        what["event"][way].as_str().is_some_and(|frame| frame.contains(text))
    };
    let story = [
        place(&|what| what["step"] == 0, "boot"),
        place(&|what| with(what, "to_bridge", "\"hello\""), "hello"),
        place(&|what| with(what, "to_computer", "hello-ok"), "hello-ok"),
        place(&|what| what["step"] == 1, "step 1"),
        place(&|what| what["message"]["method"] == "tools/call", "call"),
        place(&|what| with(what, "to_computer", "\"ping\""), "ping"),
        place(&|what| with(what, "to_bridge", "pong from 12"), "pong"),
        place(&|what| what["message"]["result"]["content"].is_array(), "result"),
        place(&|what| what["exit"].is_string(), "exit"),
    ];
    assert!(story.is_sorted(), "{story:?} in\n{trace}");
    let log = place(&|what| what["log"] == "bridge", "line of the bridge's log");
    assert!(
        read(&fixtures.report().join("embedded/labelled/logs/bridge.log"))
            .contains(lines[log]["what"]["line"].as_str().expect("a line"))
    );
    place(&|what| what["screen"].as_str().is_some_and(|screen| screen.contains("linked as 12")), "screen");
}

#[test]
fn a_scenario_that_breaks_off_leaves_its_page_too() {
    let scenario = "about = \"x\"\n[[computers]]\nid = 12\nstart = \"/quit.lua\"\nfiles = { \"quit.lua\" = \"print('not today')\" }\n";
    let fixtures = Fixtures::with("quits", scenario);
    let output = fixtures.harness(&["run"]).assert().code(1).get_output().clone();
    let printed = String::from_utf8_lossy(&output.stderr).into_owned();
    let page =
        printed.lines().find_map(|line| line.strip_prefix("page: ")).expect("it says where the page is");
    let page = read(Path::new(page));
    assert!(page.contains("<pre>not today</pre>") && page.contains("class=\"step failed\""), "{page}");
    let summary = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        summary.contains("  failed: quits  ") && summary.contains("e2e/embedded/quits/index.html"),
        "{summary}"
    );
}

#[test]
fn a_run_removes_what_the_run_before_left_and_nothing_else() {
    let fixtures = Fixtures::with("a", NONE).and("b", NONE);
    fixtures.harness(&["run", "--accept"]).assert().success();
    let own = fixtures.report().join("notes.txt");
    std::fs::write(&own, "mine").expect("the folder is ours");
    fixtures.harness(&["run", "a"]).assert().success();
    assert!(fixtures.report().join("embedded/a/index.html").is_file());
    assert!(!fixtures.report().join("embedded/b").exists());
    assert_eq!(read(&own), "mine");
}

#[test]
fn of_many_rounds_the_first_and_those_that_failed_leave_files() {
    let fixtures = Fixtures::with("good", NONE);
    fixtures.harness(&["run", "--accept"]).assert().success();
    let fixtures = fixtures.and("new", NONE);
    let results = results(&fixtures, &["run", "--repeat", "3", "--jobs", "1"], 1);
    let all = results["results"].as_array().expect("an array");
    let rounds: Vec<_> =
        all.iter().map(|result| (result["scenario"].as_str(), result["round"].as_u64())).collect();
    let round = |name, number| (Some(name), Some(number));
    assert_eq!(
        rounds,
        [1, 2, 3]
            .map(|number| round("good", number))
            .into_iter()
            .chain([1, 2, 3].map(|number| round("new", number)))
            .collect::<Vec<_>>()
    );
    let folder = fixtures.report().join("embedded");
    for (name, there) in [("good", true), ("good@2", false), ("new", true), ("new@2", true), ("new@3", true)]
    {
        assert_eq!(folder.join(name).join("index.html").is_file(), there, "{name}");
    }
    let index = read(&fixtures.report().join("index.html"));
    assert!(index.contains("href=\"embedded/new@3/index.html\"") && !index.contains("good@2"), "{index}");
}

#[test]
fn what_is_no_terminal_gets_plain_lines() {
    let fixtures = six();
    let output = fixtures.harness(&["run"]).assert().success().get_output().clone();
    let (lines, summary) = (String::from_utf8_lossy(&output.stderr), String::from_utf8_lossy(&output.stdout));
    assert_eq!(lines.lines().filter(|line| line.starts_with("ok       embedded   ")).count(), 6, "{lines}");
    assert!(!lines.contains('\u{1b}') && !summary.contains('\u{1b}'), "{lines}{summary}");
    assert!(summary.starts_with("embedded: 6 passed, 0 failed, 0 skipped\n"), "{summary}");
}

/// `script` gives the program a terminal.
#[cfg(target_os = "linux")]
#[rstest]
#[case::in_colour(None, true)]
#[case::without_colour(Some("1"), false)]
fn a_terminal_gets_lines_that_move_and_colours_unless_it_wants_none(
    #[case] no_color: Option<&str>,
    #[case] coloured: bool,
) {
    let fixtures = six();
    let path = |path: &Path| format!("'{}'", path.display());
    let command = format!(
        "{} run --emulator embedded --fixtures {} --report {}",
        path(Path::new(crate::context::PROGRAM)),
        path(&fixtures.path("")),
        path(&fixtures.report())
    );
    let mut script = assert_cmd::Command::new("script");
    script.args(["--quiet", "--return", "--command", &command, "/dev/null"]).env("TERM", "xterm-256color");
    script
        .env_remove("NO_COLOR")
        .env_remove("CLICOLOR")
        .env_remove("CLICOLOR_FORCE")
        .env_remove("HARNESS_REQUIRE");
    if let Some(value) = no_color {
        script.env("NO_COLOR", value);
    }
    let output = script.assert().success().get_output().clone();
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(shown.contains(" of 6 ") && shown.contains("\u{1b}[2K"), "{shown:?}");
    assert_eq!(shown.contains("\u{1b}[32m"), coloured, "{shown:?}");
    assert!(shown.contains("6 passed"), "{shown:?}");
}
