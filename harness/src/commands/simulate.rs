//! `simulate`.

use std::cmp::Reverse;
use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use craftos_computers::scratch;
use tokio_util::sync::CancellationToken;

use super::least::Failure;
use super::out::{out, write};
use super::run::{FAILED, flags_of, flags_of_program};
use crate::config::{Config, SimulateConfig, Task};
use crate::report::files::{Folder, shown};
use crate::scenario::{self, Scenario};
use crate::simulate::{Plan, Played, Simulated, on_a_thread};
use crate::suite::{Outcome, Suite, chain};

/// The code for a run in which nothing ran.
const COULD_NOT_RUN: u8 = 2;

/// Faults are for a few computers: a thousand would only take longer.
const MOST_WITH_FAULTS: usize = 50;

/// How often a long simulation says how far it is: seldom enough for a log that is kept.
const PROGRESS: Duration = Duration::from_secs(60);

/// Plays the scenarios with every seed, and prints what failed and how it is played again.
pub fn simulate(config: &Config, stop: &CancellationToken) -> anyhow::Result<ExitCode> {
    let Task::Simulate(wanted) = &config.task else { unreachable!("only `simulate` comes here") };
    scratch::keep_in_memory();
    let places = config.places.read_project()?;
    let (mut scenarios, mut left_out) = (Vec::new(), Vec::new());
    for scenario in scenario::all(&places, &wanted.filters)? {
        match why_not(&scenario, wanted) {
            Some(reason) => left_out.push((scenario.name.clone(), reason)),
            None => scenarios.push(Arc::new(scenario)),
        }
    }
    // What takes longest begins first: the others fit beside it.
    scenarios.sort_by_key(|scenario| Reverse(scenario.size()));
    let report = wanted.report.clone().unwrap_or_else(|| places.report().with_file_name("simulate"));
    Folder::prepare(&report)?;
    let mut flags = flags_of(config);
    if let Some(profile) = wanted.faults {
        let _ = write!(flags, " --faults {profile}");
    }
    let suite = Suite {
        report: Some(report.clone()),
        flags: flags.clone(),
        faults: wanted.faults.map(|profile| (profile, wanted.seeds.first)),
        ..Suite::new(Vec::new(), Vec::new(), places, wanted.jobs)
    };
    let plan = Plan {
        scenarios,
        seeds: wanted.seeds,
        time: wanted.time,
        shard: wanted.shard,
        repeat: wanted.repeat,
        jobs: wanted.jobs,
        stop: stop.clone(),
    };
    if cfg!(not(tokio_unstable)) {
        eprintln!(
            "warning: two plays of a seed may differ: this program was built without `--cfg tokio_unstable`\nhint: build it in the project's folder, without `RUSTFLAGS` of your own"
        );
    }
    eprintln!("simulating {} scenarios with {}", plan.scenarios.len(), plan.seeds);
    let clock = Instant::now();
    let (mut unheard, mut failures) = (Ok(()), Vec::new());
    let (mut plays, mut passed, mut told) = (0_u64, 0_u64, clock);
    let all = plan.play(&suite, |played| {
        plays += 1;
        passed += u64::from(matches!(played.outcome, Outcome::Passed));
        if told.elapsed() >= PROGRESS {
            told = Instant::now();
            eprintln!("{plays} plays so far, up to seed {}: {} did not pass", played.seed, plays - passed);
        }
        let said = write(format_args!("{}", tell(played, &report, &flags)));
        // Nobody reads any more: the rest would be for nothing.
        if said.is_err() {
            plan.stop.cancel();
            unheard = said;
        }
        if let (Some(plan), Outcome::Failed(why)) = (&played.plan, &played.outcome) {
            let (scenario, plan, why) = (played.scenario.clone(), plan.clone(), why.clone());
            failures.push(Failure { scenario, seed: played.seed, plan, why });
        }
    });
    unheard?;
    let program = flags_of_program(config);
    for failure in failures {
        // That it failed is known: whether the least of it can be written decides nothing.
        match on_a_thread(|| failure.keep_least(&suite.places, &report, &program)) {
            Ok(told) => out!("{told}"),
            Err(error) => {
                eprint!("warning: {} is not shrunk: {}", failure.scenario.name, chain(error.as_ref()));
            }
        }
    }
    for (name, reason) in &left_out {
        out!("not simulated: {name}: {reason}\n");
    }
    out!("{}", summary(&plan.scenarios, wanted.seeds.first, &all, clock.elapsed()));
    Ok(ExitCode::from(match all {
        Simulated { failed: 1.., .. } => FAILED,
        Simulated { broken: 1.., .. } => COULD_NOT_RUN,
        Simulated { passed: 0, .. } => {
            anyhow::bail!(nothing(wanted, plan.scenarios.len(), left_out.len()))
        }
        _ => 0,
    }))
}

/// Why a scenario is left out, if it is.
fn why_not(scenario: &Scenario, wanted: &SimulateConfig) -> Option<String> {
    if scenario.file.not_simulated.is_some() {
        return scenario.file.not_simulated.clone();
    }
    wanted.faults?;
    match scenario.linked_names().len() {
        0 => Some("no computer of it links: there is nothing to disturb".to_owned()),
        many @ MOST_WITH_FAULTS.. => Some(format!("{many} computers are too many for faults")),
        _ => None,
    }
}

/// Why nothing was played.
fn nothing(wanted: &SimulateConfig, scenarios: usize, left_out: usize) -> String {
    let why = match (scenarios, wanted.shard.of) {
        (0, _) => format!("none of {left_out} scenarios can be played so, each for the reason above"),
        (_, 1) => "the time was over, or the run was stopped, before a play began".to_owned(),
        _ => format!(
            "there are too few plays for shard {}\nhint: use fewer shards, or more seeds",
            wanted.shard
        ),
    };
    format!("nothing was played: {why}")
}

/// What is said of a play that did not pass: how, and the line that plays it again.
fn tell(played: &Played, report: &Path, flags: &str) -> String {
    let (word, why) = match &played.outcome {
        Outcome::Passed | Outcome::Accepted => return String::new(),
        Outcome::Failed(why) => ("failed", why),
        Outcome::Broken(why) => ("broken", why),
        Outcome::Skipped(why) => ("skipped", why),
    };
    let (name, seed) = (&played.scenario.name, played.seed);
    let mut text = format!("{word} {name}, seed {seed}\n");
    for line in why.lines() {
        let _ = writeln!(text, "    {line}");
    }
    let page = played.once.as_ref().and_then(|once| once.report.files.get("page"));
    if let Some(page) = page {
        let _ = writeln!(text, "page: {}", shown(&report.join(page)));
    }
    text + &replay(name, seed, flags)
}

/// The line that plays a seed again.
pub fn replay(name: &str, seed: u64, flags: &str) -> String {
    format!("replay: craftos-harness simulate {name} --seed {seed}{flags}\n")
}

fn summary(scenarios: &[Arc<Scenario>], first: u64, all: &Simulated, took: Duration) -> String {
    let seeds =
        if all.end > first + 1 { format!("seeds {first}..{}", all.end) } else { format!("seed {first}") };
    let (count, virtual_s) = (scenarios.len(), all.virtual_time.as_secs_f64());
    let plays = all.passed + all.failed + all.broken;
    format!(
        "{plays} plays of {count} scenarios, {seeds}: {} passed, {} failed, {} broken, in {:.2} s; {virtual_s:.0} s of virtual time\n",
        all.passed,
        all.failed,
        all.broken,
        took.as_secs_f64()
    )
}
