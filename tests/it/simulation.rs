//! Scenarios in virtual time: the same transcripts as on real sockets, the same bytes for the same seed.

#[cfg(target_os = "linux")]
use std::path::{Path, PathBuf};
use std::sync::Arc;

use craftos_harness::scenario::{self, Scenario};
use craftos_harness::simulate::{Once, One, simulate};
use craftos_harness::suite::{Outcome, Suite};
use rstest::rstest;

use crate::context::{Fixtures, harness, places};

fn load(name: &str) -> Arc<Scenario> {
    Arc::new(scenario::all(&places(), &[name.to_owned()]).expect("it is there").remove(0))
}

fn play(scenario: &Arc<Scenario>, seed: u64) -> Once {
    let suite = Suite::new(Vec::new(), Vec::new(), places(), 1);
    let one = One { scenario: scenario.clone(), seed, proves: false, plan: None };
    simulate(&suite, &one).expect("a runtime")
}

#[test]
fn a_seed_decides_everything_that_happens() {
    for name in ["probe/three", "link/one-id-twice", "exec/modem"] {
        let scenario = load(name);
        let (first, again, other) = (play(&scenario, 7), play(&scenario, 7), play(&scenario, 8));
        for once in [&first, &again, &other] {
            assert_eq!(once.report.outcome, Outcome::Passed, "{name}");
        }
        assert_eq!(first.record.trace(), again.record.trace(), "{name}");
        if name == "probe/three" {
            assert_ne!(first.record.trace(), other.record.trace(), "another seed, another order");
        }
        assert_eq!(first.transcript, other.transcript, "{name}: and the same transcript");
    }
}

#[test]
fn virtual_minutes_take_no_minutes() {
    let scenario = r#"
        about = "A chunk that sleeps."
        [[computers]]
        id = 1
        [[steps]]
        exec = { computer = "1", code = "sleep(50) return os.clock() > 50", timeout_ms = 55000 }
    "#;
    let fixtures = Fixtures::with("sleeps", scenario);
    let output = fixtures.harness(&["simulate", "--seed", "3"]).output().expect("the program runs");
    let printed = String::from_utf8_lossy(&output.stdout);
    // There is no snapshot: what was played is shown, and the line that plays it again.
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(printed.contains("failed sleeps, seed 3") && printed.contains("\"value\":true"), "{printed}");
    assert!(printed.contains("replay: craftos-harness simulate sleeps --seed 3 --program "), "{printed}");
    assert!(printed.contains("; 50 s of virtual time"), "{printed}");
}

#[test]
fn scenarios_give_their_snapshots_in_virtual_time_with_any_seed() {
    let output = harness()
        .args([
            "simulate",
            "exec",
            "link",
            "mcp",
            "tools",
            "http",
            "computer",
            "probe/leaves",
            "probe/old-client",
        ])
        .args(["--seeds", "41..43"])
        .output()
        .expect("the program runs");
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && printed.contains(" 0 failed, 0 broken"), "{printed}");
    assert!(printed.contains("seeds 41..43"), "{printed}");
}

/// The folders that a simulation made and kept; they are removed when this returns.
#[cfg(target_os = "linux")]
fn folders_of_a_simulation(temporary: Option<&Path>) -> Vec<PathBuf> {
    let mut command = harness();
    command.args(["simulate", "probe/one"]).env("KEEP_TEMP_DIR", "1").env_remove("TMPDIR");
    if let Some(folder) = temporary {
        command.env("TMPDIR", folder);
    }
    let output = command.output().expect("the program runs");
    assert!(output.status.success(), "{output:?}");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let folders: Vec<_> = said
        .lines()
        .filter_map(|line| Some(line.strip_suffix("` is kept")?.split_once('`')?.1.into()))
        .collect();
    for folder in &folders {
        std::fs::remove_dir_all(folder).expect("it was kept");
    }
    assert!(!folders.is_empty(), "{said}");
    folders
}

/// Whether a gigabyte of memory is free for files.
#[cfg(target_os = "linux")]
fn has_room_in_memory() -> bool {
    let output = std::process::Command::new("df").args(["--output=avail", "-B1", "/dev/shm"]).output();
    let printed =
        output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    printed
        .lines()
        .nth(1)
        .and_then(|bytes| bytes.trim().parse::<u64>().ok())
        .is_some_and(|bytes| bytes >= 1 << 30)
}

#[test]
#[cfg(target_os = "linux")]
fn simulated_computers_are_kept_in_memory_unless_a_place_is_named() {
    let named = tempfile::tempdir().expect("a folder");
    assert!(
        folders_of_a_simulation(Some(named.path())).iter().all(|folder| folder.starts_with(named.path()))
    );
    // Machines without so much memory have them where the system has its temporary files.
    let place = if has_room_in_memory() { "/dev/shm" } else { "/tmp" };
    let folders = folders_of_a_simulation(None);
    assert!(folders.iter().all(|folder| folder.starts_with(place)), "{folders:?}");
}

#[test]
fn a_run_in_which_nothing_is_played_is_no_success() {
    let scenario =
        "about = \"Not here.\"\nnot_simulated = \"it asks the weather\"\n[[steps]]\nsay = \"Rain.\"\n";
    let fixtures = Fixtures::with("weather", scenario);
    let output = fixtures.harness(&["simulate"]).output().expect("it runs");
    let printed = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(2), "{printed}");
    assert!(printed.contains("not simulated: weather: it asks the weather"), "{printed}");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("error: nothing was played: none of 1 scenarios can be played so"), "{stderr}");
}

#[rstest]
#[case::no_seed(&["--seeds", "5..5"], "`5..5` is neither a number of seeds nor a range")]
#[case::backwards(&["--seeds", "9..3"], "`9..3` is neither a number of seeds nor a range")]
#[case::no_seeds(&["--seeds", "0"], "`0` is neither a number of seeds nor a range")]
#[case::last_number(&["--seed", "18446744073709551615"], "is not in 0..18446744073709551615")]
#[case::two_ways(&["--seed", "1", "--seeds", "2"], "cannot be used with")]
#[case::no_time(&["--for", "0"], "it is not between a millisecond and a year")]
#[case::no_jobs(&["--jobs", "0"], "`--jobs 0` runs nothing")]
#[case::many_jobs(&["--jobs", "1000000"], "`--jobs` of `simulate` is at most 1024")]
#[case::no_rounds(&["--repeat", "0"], "`--repeat 0` runs nothing")]
#[case::no_shard(&["--shard", "3/2"], "`--shard 3/2` is not `K/N`")]
#[case::shard_of_any_seeds(&["--shard", "1/2", "--for", "1s"], "needs `--seed`: each shard would draw seeds of its own")]
#[case::empty_shard(&["--shard", "2/2"], "nothing was played: there are too few plays for shard 2/2")]
#[case::last_shard(&["--shard", "18446744073709551615/18446744073709551615"], "there are too few plays for shard 18446744073709551615/18446744073709551615")]
#[case::no_profile(&["--faults", "bad-luck"], "[possible values: calm, slow-link")]
#[case::no_links(&["--faults", "calm"], "nothing was played: none of 1 scenarios can be played so")]
#[case::no_scenario(&["nowhere"], "no scenario matches `nowhere`")]
fn what_cannot_be_played_is_said(#[case] arguments: &[&str], #[case] message: &str) {
    let output = harness().args(["simulate", "probe/none"]).args(arguments).output().expect("it runs");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(2) && stderr.contains(message), "{stderr}");
}

#[test]
fn what_fails_with_a_seed_has_a_page_of_its_own_and_the_least_of_it_plays_by_itself() {
    let scenario = r#"
        about = "A computer that writes although it must not, and one that has nothing to do with it."
        [[computers]]
        id = 12
        files = { "data.txt" = { from = "data.txt" } }
        [[computers]]
        id = 13
        [faults]
        profile = "flaky-link"
        [[faults.invariants]]
        about = "nothing is written"
        lua = "return not (fs.exists('data.txt') and fs.exists('ran.log')), 'there is a log'"
        # Whatever else fails in the end is another failure.
        [[faults.invariants]]
        about = "never"
        computer = "12"
        lua = "return false"
        when = "after"
    "#;
    let fixtures = Fixtures::with("pair", scenario);
    std::fs::write(fixtures.path("scenarios/pair/data.txt"), "12").expect("the folder is ours");
    let report = fixtures.report();
    // All words that stand after `what` in what a run prints, and the run's exit code.
    let run = |words: &[&str]| {
        let output = fixtures.harness(words).output().expect("it runs");
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        String::from_utf8(output.stdout).expect("text")
    };
    let after = |printed: &str, what: &str| -> Vec<String> {
        printed.lines().filter_map(|line| line.strip_prefix(what)).map(str::to_owned).collect()
    };
    let printed = run(&["simulate", "--seeds", "3..5", "--jobs", "2"]);
    let pages = after(&printed, "page: ");
    let trace = |page: &str| {
        let path = Path::new(page).with_file_name("trace.jsonl");
        std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{page}: {error}"))
    };
    let own: Vec<&String> = pages.iter().filter(|page| page.contains("pair@seed-")).collect();
    assert!((1..=2).contains(&own.len()), "{printed}");
    for page in own {
        let seed = page.split("seed-").nth(1).and_then(|rest| rest.split('/').next()).expect("a seed");
        let (before, html) = (trace(page), std::fs::read_to_string(page).expect("it is there"));
        assert!(html.contains(&format!("<span>seed {seed}</span>")) && !html.contains("all scenarios"));
        run(&["simulate", "--seed", seed]);
        assert_eq!(trace(page), before, "the page of seed {seed} is that of seed {seed}");
    }
    let least: Vec<&String> = pages.iter().filter(|page| !page.contains("pair@seed-")).collect();
    assert_eq!(least.len(), after(&printed, "shrunk: ").len(), "{printed}");
    for page in least {
        let trace = trace(page);
        assert!(trace.contains("\"computer\":\"12\"") && !trace.contains("\"computer\":\"13\""), "{trace}");
    }
    let replays = after(&printed, "replay: craftos-harness ");
    let shrunk = replays.iter().find(|line| line.contains("shrunk")).expect("how the least of it is played");
    let words: Vec<&str> = shrunk.split(' ').collect();
    let output = harness().args(words).arg("--report").arg(&report).output().expect("it runs");
    let again = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.code() == Some(1) && again.contains("violated: nothing is written"), "{output:?}");
}

#[test]
fn a_simulation_whose_scenarios_have_all_failed_is_over() {
    let scenario = "about = \"It has no snapshot.\"\n[[steps]]\nsay = \"x\"\n";
    let fixtures = Fixtures::with("one", scenario).and("two", scenario);
    let mut simulation = fixtures.harness(&["simulate", "--for", "1h"]);
    // The rest of the hour would be for nobody.
    let output = simulation.timeout(std::time::Duration::from_secs(60)).output().expect("it runs");
    let printed = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{printed}");
    assert!(printed.contains("plays of 2 scenarios") && printed.contains("0 passed, "), "{printed}");
}

#[test]
fn shards_share_the_plays_among_them() {
    let plays = |shard: &str| {
        let output = harness()
            .args(["simulate", "probe/none", "probe/one", "--seeds", "3", "--shard", shard])
            .output()
            .expect("it runs");
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{printed}");
        printed.split(" plays").next().and_then(|count| count.parse::<usize>().ok()).expect("a count")
    };
    assert_eq!([plays("1/4"), plays("2/4"), plays("3/4"), plays("4/4")], [2, 2, 1, 1]);
}

#[test]
fn a_time_that_a_scenario_gives_may_be_longer_than_that_of_other_steps() {
    let exec = "exec = { computer = \"12\", code = \"sleep(70)\", timeout_ms = 80000 }";
    let long = format!("within = {{ seconds = 90, steps = [{{ {exec} }}] }}");
    for (step, why) in [(long.as_str(), "there is no snapshot yet"), (exec, "took longer than 60 s")] {
        let scenario = format!("about = \"x\"\n[[computers]]\nid = 12\n[[steps]]\n{step}\n");
        let fixtures = Fixtures::with("long", &scenario);
        let output = fixtures.harness(&["simulate"]).output().expect("it runs");
        let said =
            format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.code() == Some(1) && said.contains(why), "{said}");
    }
}
