//! `simulate`.

use std::cmp::Reverse;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use craftos_computers::scratch;
use tokio_util::sync::CancellationToken;

use super::out::{out, write};
use super::run::{FAILED, flags_of};
use crate::config::{Config, SimulateConfig, Task};
use crate::faults::{shrink, written};
use crate::places::Places;
use crate::report::files::Folder;
use crate::scenario::{self, Scenario};
use crate::simulate::{One, Plan, Played, Simulated, simulate as simulate_one};
use crate::suite::{Outcome, Suite};

/// The code for a run in which nothing ran.
const COULD_NOT_RUN: u8 = 2;

/// Faults are for a few computers: a thousand would only take longer.
const MOST_WITH_FAULTS: usize = 50;

/// Plays the scenarios with every seed, and prints what failed and how it is played again.
pub fn simulate(config: &Config, stop: &CancellationToken) -> anyhow::Result<ExitCode> {
    let Task::Simulate(wanted) = &config.task else { unreachable!("only `simulate` comes here") };
    scratch::keep_in_memory();
    let places = config.places.read_project()?;
    let (mut scenarios, mut left_out) = (Vec::new(), Vec::new());
    for scenario in scenario::all(&places, &wanted.filters)? {
        match why_not(&scenario, wanted, &places) {
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
    eprintln!("simulating {} scenarios with {}", plan.scenarios.len(), plan.seeds);
    let clock = Instant::now();
    let (mut unheard, mut failures) = (Ok(()), Vec::new());
    let all = plan.play(&suite, |played| {
        let said = write(format_args!("{}", tell(played, &flags)));
        // Nobody reads any more: the rest would be for nothing.
        if said.is_err() {
            plan.stop.cancel();
            unheard = said;
        }
        if let (Some(faults), Outcome::Failed(_)) = (&played.plan, &played.outcome) {
            failures.push((played.scenario.clone(), played.seed, faults.clone()));
        }
    });
    unheard?;
    for (scenario, seed, faults) in failures {
        let path = keep_least(&suite, &report, &scenario, seed, &faults)?;
        out!("shrunk: `{}`\n", path.display());
    }
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

/// Why a scenario is left out, if it is.
fn why_not(scenario: &Scenario, wanted: &SimulateConfig, places: &Places) -> Option<String> {
    if scenario.file.not_simulated.is_some() {
        return scenario.file.not_simulated.clone();
    }
    wanted.faults?;
    match scenario.linked_names(places).len() {
        0 => Some("no computer of it links: there is nothing to disturb".to_owned()),
        many @ MOST_WITH_FAULTS.. => Some(format!("{many} computers are too many for faults")),
        _ => None,
    }
}

/// Shrinks a plan that failed, and writes it as a scenario of its own; gives its file.
fn keep_least(
    suite: &Suite,
    report: &Path,
    scenario: &Arc<Scenario>,
    seed: u64,
    faults: &Arc<crate::faults::Plan>,
) -> anyhow::Result<PathBuf> {
    let least = shrink(faults, |smaller| {
        let plan = Some(Arc::new(smaller.clone()));
        let one = One { scenario: scenario.clone(), seed, proves: false, plan };
        simulate_one(suite, &one).is_ok_and(|once| matches!(once.report.outcome, Outcome::Failed(_)))
    });
    let file = scenario.folder.join("scenario.toml");
    let text =
        std::fs::read_to_string(&file).with_context(|| format!("failed to read `{}`", file.display()))?;
    let about = format!("The least of seed {seed} on {} that fails.", scenario.name);
    let text = written(&text, &least, &about).map_err(anyhow::Error::msg)?;
    let name = format!("{}-{seed}", scenario.name.replace('/', "-"));
    let path = report.join("shrunk").join("scenarios").join(name).join("scenario.toml");
    let folder = path.parent().expect("it was joined from a folder");
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(&path, text))
        .with_context(|| format!("failed to write `{}`", path.display()))?;
    Ok(path)
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
