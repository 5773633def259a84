//! `run` and `list`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Context as _;

use super::junit;
use crate::config::{Config, RunConfig};
use crate::emulators::{Found, Kind, find};
use crate::scenario;
use crate::suite::{Outcome, Report, Suite, chain};

/// The code for a scenario that failed.
const FAILED: u8 = 1;

/// Runs the scenarios on every emulator that is there, and prints what happened.
pub async fn run(config: &Config, run: &RunConfig) -> anyhow::Result<ExitCode> {
    let scenarios = scenario::all(&config.places, &run.filters)?;
    let (which, parts) = run.shard;
    let scenarios: Vec<_> = scenarios.into_iter().skip(which).step_by(parts).collect();
    let found = find(&config.emulators, config.craftos_pc.as_deref()).await?;
    for kind in &run.require {
        if let Some(missing) = found.missing.iter().find(|missing| missing.kind == *kind) {
            anyhow::bail!("{kind} is required and not there: {}", missing.reason);
        }
        anyhow::ensure!(found.get(*kind).is_some(), "{kind} is required and `--emulator` leaves it out");
    }
    anyhow::ensure!(
        !found.emulators.is_empty(),
        "no emulator is there\nhint: `craftos-harness doctor` says more"
    );
    for emulator in &found.emulators {
        eprintln!("{} {}: `{}`", emulator.kind, emulator.version, emulator.path.display());
    }
    let suite = Suite {
        scenarios,
        emulators: found.emulators.clone(),
        places: config.places.clone(),
        jobs: run.jobs,
        accept: run.accept,
        repeat: run.repeat,
        bridge: run.bridge.clone(),
        report: Some(run.report.clone().unwrap_or_else(|| config.places.root.join("target/e2e"))),
    };
    let started = Instant::now();
    let reports = suite.run(tell).await;
    print!("{}", summary(&reports, &found, started.elapsed()));
    if let Some(path) = &run.junit {
        std::fs::write(path, junit::write(&reports))
            .with_context(|| format!("failed to write `{}`", path.display()))?;
    }
    let failed = reports.iter().any(|report| matches!(report.outcome, Outcome::Failed(_)));
    Ok(if failed { ExitCode::from(FAILED) } else { ExitCode::SUCCESS })
}

/// Names the scenarios, with what each shows.
pub fn list(config: &Config, filters: &[String]) -> anyhow::Result<ExitCode> {
    for scenario in scenario::all(&config.places, filters)? {
        println!("{:<28} {}", scenario.name, scenario.file.about);
    }
    Ok(ExitCode::SUCCESS)
}

fn tell(report: &Report) {
    let Report { scenario, emulator, outcome, time } = report;
    let seconds = time.as_secs_f64();
    match outcome {
        Outcome::Passed => eprintln!("ok       {emulator:<10} {scenario}  {seconds:.2} s"),
        Outcome::Accepted => eprintln!("accepted {emulator:<10} {scenario}  {seconds:.2} s"),
        Outcome::Skipped(reason) => eprintln!("skipped  {emulator:<10} {scenario}: {reason}"),
        Outcome::Failed(why) => eprintln!("FAILED   {emulator:<10} {scenario}  {seconds:.2} s\n{why}"),
    }
}

/// What a person reads at a glance: for each emulator how many passed, failed and did not run, and why.
fn summary(reports: &[Report], found: &Found, time: Duration) -> String {
    let mut text = String::new();
    let mut by_emulator: BTreeMap<Kind, Vec<&Report>> = BTreeMap::new();
    for report in reports {
        by_emulator.entry(report.emulator).or_default().push(report);
    }
    for (kind, reports) in by_emulator {
        let count = |is: fn(&Outcome) -> bool| reports.iter().filter(|report| is(&report.outcome)).count();
        let passed = count(|outcome| matches!(outcome, Outcome::Passed | Outcome::Accepted));
        let failed = count(|outcome| matches!(outcome, Outcome::Failed(_)));
        let skipped = count(|outcome| matches!(outcome, Outcome::Skipped(_)));
        let _ = writeln!(text, "{kind}: {passed} passed, {failed} failed, {skipped} skipped");
        for report in reports {
            let _ = match &report.outcome {
                Outcome::Failed(_) => writeln!(text, "  failed: {}", report.scenario),
                Outcome::Skipped(reason) => writeln!(text, "  skipped: {}: {reason}", report.scenario),
                Outcome::Passed | Outcome::Accepted => Ok(()),
            };
        }
    }
    for missing in &found.missing {
        let reason = chain(&missing.reason).trim_end().replace('\n', "; ");
        let _ = writeln!(text, "{}: did not run: {reason}", missing.kind);
    }
    let _ = writeln!(text, "{:.1} s", time.as_secs_f64());
    text
}
