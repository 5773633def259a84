//! Faults: the project's own bridge and program hold what they promise. Wrong ones are in `wrong_sides`.

use std::path::PathBuf;
use std::sync::Arc;

use craftos_harness::faults::{Plan, Profile, Wrong, shrink};
use craftos_harness::places::Places;
use craftos_harness::scenario::{self, Scenario};
use craftos_harness::simulate::{One, simulate};
use craftos_harness::suite::{Outcome, Suite};

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

    /// Why a plan fails; nothing where it holds.
    fn why(&self, seed: u64, plan: &Plan) -> Option<String> {
        let mut suite = Suite::new(Vec::new(), Vec::new(), self.places.clone(), 1);
        suite.wrong = (self.make_wrong)();
        let plan = Some(Arc::new(plan.clone()));
        let one = One { scenario: self.scenario.clone(), seed, proves: false, plan };
        match simulate(&suite, &one).expect("a runtime").report.outcome {
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

/// Was found by seed 1 of `restarts`: the client asked for the rest of its stream for ever, and never said that the call had
/// failed.
#[test]
fn a_call_ends_when_its_bridge_is_killed_and_another_takes_its_place() {
    let text = r#"
        [[calls]]
        at_ms = 10
        client = 0
        computer = "12"
        sleep_ms = 20000
        timeout_ms = 8000
        [[faults]]
        kind = "kill-bridge"
        at_ms = 500
        for_ms = 700
    "#;
    let plan: Plan = toml::from_str(text).expect("a plan");
    let pair = Pair::right(Profile::Restarts);
    assert_eq!(pair.why(1, &plan), None);
}
