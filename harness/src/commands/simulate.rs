//! `simulate`.

use std::cmp::Reverse;
use std::fmt::Write as _;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use super::out::{out, write};
use super::run::{FAILED, flags_of};
use crate::config::{Config, Task};
use crate::report::files::Folder;
use crate::scenario::{self, Scenario};
use crate::simulate::{Plan, Played, Simulated};
use crate::suite::{Outcome, Suite};

/// The code for a run in which nothing ran.
const COULD_NOT_RUN: u8 = 2;

/// Plays the scenarios with every seed, and prints what failed and how it is played again.
pub fn simulate(config: &Config, stop: &CancellationToken) -> anyhow::Result<ExitCode> {
    let Task::Simulate(wanted) = &config.task else { unreachable!("only `simulate` comes here") };
    let places = config.places.read_project()?;
    let (mut scenarios, mut left_out) = (Vec::new(), Vec::new());
    for scenario in scenario::all(&places, &wanted.filters)? {
        match &scenario.file.not_simulated {
            Some(reason) => left_out.push((scenario.name.clone(), reason.clone())),
            None => scenarios.push(Arc::new(scenario)),
        }
    }
    // What takes longest begins first: the others fit beside it.
    scenarios.sort_by_key(|scenario| Reverse(scenario.size()));
    let report = wanted.report.clone().unwrap_or_else(|| places.report().with_file_name("simulate"));
    Folder::prepare(&report)?;
    let flags = flags_of(config);
    let suite = Suite {
        report: Some(report.clone()),
        flags: flags.clone(),
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
    eprintln!("simulating {} scenarios with {}", plan.scenarios.len(), plan.seeds);
    let clock = Instant::now();
    let mut unheard = Ok(());
    let all = plan.play(&suite, |played| {
        let said = write(format_args!("{}", tell(played, &flags)));
        // Nobody reads any more: the rest would be for nothing.
        if said.is_err() {
            plan.stop.cancel();
            unheard = said;
        }
    });
    unheard?;
    for (name, reason) in &left_out {
        out!("not simulated: {name}: {reason}\n");
    }
    out!("{}", summary(&plan.scenarios, wanted.seeds.first, &all, clock.elapsed()));
    Ok(ExitCode::from(match all {
        Simulated { failed: 1.., .. } => FAILED,
        Simulated { broken: 1.., .. } | Simulated { passed: 0, .. } => COULD_NOT_RUN,
        _ => 0,
    }))
}

/// What is said of a play that did not pass: how, and the line that plays it again.
fn tell(played: &Played, flags: &str) -> String {
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
        let _ = writeln!(text, "page: {page}");
    }
    let _ = writeln!(text, "replay: craftos-harness simulate {name} --seed {seed}{flags}");
    text
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
