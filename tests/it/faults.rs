//! Faults: the project's own bridge and program hold what they promise. Wrong ones are in `wrong_sides`.

use std::path::PathBuf;
use std::sync::Arc;

use craftos_harness::faults::{Invariant, Plan, Profile, When, Wrong, shrink};
use craftos_harness::places::Places;
use craftos_harness::report::Shard;
use craftos_harness::scenario::{self, Scenario};
use craftos_harness::simulate::{self, Once, One, Seeds, simulate};
use craftos_harness::suite::{Outcome, Suite};
use rstest::rstest;

use crate::context::{Fixtures, places};

/// Seeds within which what is wrong has to be found.
const SEEDS: u64 = 1000;

/// What is left of a plan that was shrunk.
const EVENTS: usize = 10;

const PAIR: &str = "about = \"Two computers.\"\n[[computers]]\nid = 12\n[[computers]]\nid = 13\n";

/// A pair of computers, with what is wrong about them.
pub struct Pair {
    scenario: Arc<Scenario>,
    places: Places,
    profile: Profile,
    make_wrong: Box<dyn Fn() -> Wrong>,
    _fixtures: Fixtures,
}

impl Pair {
    /// A pair that should hold what is promised.
    fn right(profile: Profile) -> Self {
        Self::new(profile, None, Wrong::default)
    }

    /// A pair with a program of its own, and with what is made wrong anew for each play.
    pub fn new(profile: Profile, program: Option<PathBuf>, make_wrong: impl Fn() -> Wrong + 'static) -> Self {
        let fixtures = Fixtures::with("pair", PAIR);
        let program = program.unwrap_or_else(|| places().program);
        let places = Places::find(Some(program), Some(fixtures.path("")));
        let scenario = Arc::new(scenario::all(&places, &[]).expect("it is ours").remove(0));
        Self { scenario, places, profile, make_wrong: Box::new(make_wrong), _fixtures: fixtures }
    }

    fn plan(&self, seed: u64) -> Plan {
        Plan::draw(self.profile, seed, &["12".to_owned(), "13".to_owned()])
    }

    fn play(&self, seed: u64, plan: &Plan) -> Once {
        let mut suite = Suite::new(Vec::new(), Vec::new(), self.places.clone(), 1);
        suite.wrong = (self.make_wrong)();
        let plan = Some(Arc::new(plan.clone()));
        let one = One { scenario: self.scenario.clone(), seed, proves: false, plan };
        simulate(&suite, &one).expect("a runtime")
    }

    /// Why a plan fails; nothing where it holds.
    fn why(&self, seed: u64, plan: &Plan) -> Option<String> {
        match self.play(seed, plan).report.outcome {
            Outcome::Passed => None,
            Outcome::Failed(why) => Some(why),
            other => panic!("seed {seed}: {other:?}"),
        }
    }

    /// Finds what is wrong, and the least that shows it.
    pub fn found(&self, invariant: &str) {
        let found = (1..=SEEDS).find(|seed| {
            let why = self.why(*seed, &self.plan(*seed));
            why.is_some_and(|why| why.contains(invariant))
        });
        let seed = found.unwrap_or_else(|| panic!("no seed of {SEEDS} violates `{invariant}`"));
        let fails = |plan: &Plan| self.why(seed, plan).is_some_and(|why| why.contains(invariant));
        let least = shrink(&self.plan(seed), fails);
        assert!(least.len() <= EVENTS, "{least:?}");
        assert!(fails(&least), "{least:?}");
    }
}

#[test]
fn the_project_s_own_bridge_and_program_hold_what_they_promise() {
    let pair = Pair::right(Profile::All);
    for seed in 1..=6 {
        let plan = pair.plan(seed);
        assert_eq!(pair.why(seed, &plan), None, "seed {seed}: {plan:?}");
    }
}

/// A plan that is written down.
fn written(text: &str) -> Plan {
    toml::from_str(text).expect("a plan")
}

/// Each failed before what it found was mended.
#[test]
fn what_seeds_have_found_in_this_project_holds() {
    let places = Places::find(Some(places().program), Some(places().fixtures.join("found")));
    let scenarios: Vec<_> =
        scenario::all(&places, &[]).expect("they are ours").into_iter().map(Arc::new).collect();
    let count = scenarios.len();
    let suite = Suite::new(Vec::new(), Vec::new(), places, 1);
    let plan = simulate::Plan {
        scenarios,
        seeds: Seeds { first: 1, end: Some(4) },
        time: None,
        shard: Shard { index: 1, of: 1 },
        repeat: 1,
        jobs: 2,
        stop: tokio_util::sync::CancellationToken::new(),
    };
    let all = plan.play(&suite, |played| {
        assert!(played.plan.is_some(), "{} has no faults", played.scenario.name);
        assert_eq!(played.outcome, Outcome::Passed, "{}, seed {}", played.scenario.name, played.seed);
    });
    assert_eq!(all.passed, 3 * count);
}

const CALL: &str = r#"
    [[calls]]
    at_ms = 500
    client = 0
    computer = "12"
    sleep_ms = 1000
    timeout_ms = 5000
"#;

/// Something that is called on computer 12 while something else is the case.
fn during(fault: &str) -> Plan {
    written(&format!("{CALL}\n[[faults]]\ncomputer = \"12\"\n{fault}"))
}

/// What users want to hold, in Lua.
fn wanting(lua: &str, when: When, plan: Plan) -> Plan {
    let (about, lua) = ("it is well".to_owned(), lua.to_owned());
    let invariant = Invariant { about, computer: Some("12".to_owned()), lua, when };
    Plan { invariants: vec![invariant], ..plan }
}

#[rstest]
#[case::holds("return true", When::Always, None)]
#[case::says_why("return false, 'it burns'", When::Always, Some("violated: it is well: on 12: it burns"))]
#[case::raises("error('boom', 0)", When::After, Some("on 12: boom"))]
#[case::waits("sleep(1) return true", When::After, Some("on 12: it waits, which it must not"))]
#[case::is_no_lua("return return", When::After, Some("on 12: invariant:1:"))]
#[case::says_nothing("", When::After, Some("on 12: it returned nil"))]
// Only while the chunk runs, which has written that it began and not that it ended.
#[case::for_a_moment(
    "local f = fs.open('ran.log', 'r') local text = f and f.readAll() or '' if f then f.close() end
    return not (text:find('call%-0') and not text:find('end')), 'in the midst of it'",
    When::Always,
    Some("on 12: in the midst of it")
)]
#[case::not_in_the_end(
    "local f = fs.open('ran.log', 'r') local text = f.readAll() f.close() return text:find('end') ~= nil",
    When::After,
    None
)]
fn what_users_want_to_hold_is_asked_of_their_computers(
    #[case] lua: &str,
    #[case] when: When,
    #[case] said: Option<&str>,
) {
    let plan = wanting(lua, when, written(CALL));
    let why = Pair::right(Profile::Calm).why(1, &plan);
    match (why, said) {
        (None, None) => {}
        (Some(why), Some(said)) => assert!(why.contains(said), "{why}"),
        (why, said) => panic!("{why:?} and not {said:?}"),
    }
}

/// What a fault does to a computer, as its own Lua sees it.
#[rstest]
#[case::full_disk(
    "kind = \"full-disk\"\nat_ms = 100\nfor_ms = 3000",
    "local f = fs.open('x', 'w') local ok, why = pcall(f.write, 'x') f.close() return ok, why",
    "on 12: Out of space"
)]
#[case::clock_jump(
    "kind = \"clock-jump\"\nat_ms = 100\njump_ms = 50000",
    "return os.epoch('utc') / 1000 - os.clock() < 1704067230, 'it is late'",
    "on 12: it is late"
)]
fn a_fault_does_what_it_says(#[case] fault: &str, #[case] lua: &str, #[case] said: &str) {
    let pair = Pair::right(Profile::Calm);
    assert_eq!(pair.why(1, &during(fault)), None, "the project's own side copes with it");
    let why = pair.why(1, &wanting(lua, When::Always, during(fault)));
    assert!(why.as_ref().is_some_and(|why| why.contains(said)), "{why:?}");
    let calm = pair.why(1, &wanting(lua, When::Always, written(CALL)));
    assert_eq!(calm, None, "without the fault it holds");
}

#[test]
fn requests_that_are_refused_do_not_reach_the_network() {
    let once =
        Pair::right(Profile::Calm).play(1, &during("kind = \"refuse-http\"\nat_ms = 100\nfor_ms = 3000"));
    assert_eq!(once.report.outcome, Outcome::Passed);
    let trace = once.record.trace();
    assert!(trace.contains("RefuseHttp of 12 begins") && trace.contains("Connection refused"), "{trace}");
    // The proxy would have refused them too, and have written that down.
    assert!(!trace.contains("\"refused\""), "{trace}");
}

#[test]
fn a_computer_that_is_frozen_answers_afterwards() {
    let fault = "kind = \"freeze\"\nat_ms = 100\nfor_ms = 3000";
    let once = Pair::right(Profile::Calm).play(1, &during(fault));
    assert_eq!(once.report.outcome, Outcome::Passed);
    // The chunk begins when the computer goes on, and sleeps a second then.
    let answered = |once: &Once| {
        let lines = once.record.trace();
        let answer = lines.lines().find(|line| line.contains("response") && line.contains("call-0"));
        let line: serde_json::Value = serde_json::from_str(answer.expect("it answers")).expect("JSON");
        line["at_ms"].as_f64().expect("a time")
    };
    let calm = Pair::right(Profile::Calm).play(1, &written(CALL));
    let late = answered(&once) - answered(&calm);
    assert!((2_400.0..2_900.0).contains(&late), "{late} ms");
}
