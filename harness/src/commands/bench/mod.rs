//! `bench`: the figures of this machine, as ratios of what was measured in the same run.

mod specs;

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::StreamExt as _;
use serde_json::json;

use super::out::outln;
use super::run::FAILED;
use crate::bridge::{BridgeSpec, RunningBridge};
use crate::cli::BenchArgs;
use crate::client::{Client, DEFAULT_VERSION};
use crate::computer::{Computer, PROGRAM, Spec};
use crate::config::{Config, default_jobs};
use crate::emulators::{Emulator, Kind, find};
use crate::net::Net;
use crate::scenario::{Ready, Scenario, all};
use crate::stage::{ADDRESS, Stage};
use crate::suite::{Outcome, Suite};

/// Probes in one measurement of what recording costs.
const PROBES: usize = 300;

/// A computer links within this, also on a busy machine.
const BOOT: Duration = Duration::from_secs(60);

/// What the whole suite may take on two processors.
const fn goal(kind: Kind) -> Duration {
    match kind {
        Kind::Embedded => Duration::from_secs(15),
        Kind::CraftosPc => Duration::from_secs(60),
    }
}

/// Measures every emulator that is there and prints a table.
pub async fn bench(config: &Config, args: &BenchArgs) -> anyhow::Result<ExitCode> {
    if cfg!(debug_assertions) {
        eprintln!("this is a debug build: `cargo run --release -- bench` measures what people run");
    }
    let scenarios = all(&config.places, &args.filters)?;
    let found = find(&config.emulators, config.craftos_pc.as_deref()).await?;
    let jobs = args.jobs.unwrap_or_else(default_jobs);
    outln!("{} scenarios, {jobs} at once, medians of {} rounds", scenarios.len(), args.rounds.max(1));
    outln!(
        "{:<11} {:>9} {:>9} {:>12} {:>11} {:>7} {:>10}",
        "emulator",
        "suite",
        "boot only",
        "suite / boot",
        "scenarios/s",
        "goal",
        "recording"
    );
    let mut code = ExitCode::SUCCESS;
    for emulator in &found.emulators {
        let played =
            scenarios.iter().filter(|scenario| !scenario.file.skip.contains_key(&emulator.kind)).count();
        let (mut suites, mut boots, mut costs) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..args.rounds.max(1) {
            boots.push(boot_alone(&scenarios, emulator, config, jobs).await?);
            let (time, failed) = run_suite(&scenarios, emulator, config, jobs).await;
            for name in failed {
                eprintln!("failed on {}: {name}", emulator.kind);
                code = ExitCode::from(FAILED);
            }
            suites.push(time);
            costs.push(recording(emulator, config).await?);
        }
        let (suite, boot) = (median(suites), median(boots));
        let goal = goal(emulator.kind);
        let verdict = if suite <= goal { "met" } else { "missed" };
        #[expect(clippy::cast_precision_loss, reason = "there are not that many scenarios")]
        let rate = played as f64 / suite.as_secs_f64();
        outln!(
            "{:<11} {:>7.1} s {:>7.1} s {:>12.2} {:>11.1} {:>7} {:>9.2}x",
            emulator.kind.to_string(),
            suite.as_secs_f64(),
            boot.as_secs_f64(),
            suite.as_secs_f64() / boot.as_secs_f64(),
            rate,
            format!("{} s", goal.as_secs()),
            median(costs)
        );
        outln!("{:<11} under {} s: {verdict}", "", goal.as_secs());
    }
    for missing in &found.missing {
        outln!("{:<11} did not run: {}", missing.kind.to_string(), missing.reason);
    }
    for emulator in &found.emulators {
        if emulator.kind == Kind::Embedded {
            specs::specs(emulator, jobs, args.rounds.max(1)).await?;
        }
    }
    outln!("suite / boot: the suite's time against booting its emulators alone, with nothing to do");
    outln!("recording: the time of a probe through the recording proxy against one without it");
    Ok(code)
}

async fn run_suite(
    scenarios: &[Scenario],
    emulator: &Emulator,
    config: &Config,
    jobs: usize,
) -> (Duration, Vec<String>) {
    let suite = Suite::new(scenarios.to_vec(), vec![emulator.clone()], config.places.clone(), jobs);
    let started = Instant::now();
    let reports = Arc::new(suite).run(|_| {}).await;
    let time = started.elapsed();
    let failed = reports
        .into_iter()
        .filter(|report| matches!(report.outcome, Outcome::Failed(_) | Outcome::Broken(_)));
    (time, failed.map(|report| report.scenario).collect())
}

/// Boots what the suite boots before its first steps, as many at once, and ends each once it is up.
async fn boot_alone(
    scenarios: &[Scenario],
    emulator: &Emulator,
    config: &Config,
    jobs: usize,
) -> anyhow::Result<Duration> {
    let started = Instant::now();
    let played = scenarios.iter().filter(|scenario| !scenario.file.skip.contains_key(&emulator.kind));
    // Tasks, as the scenarios of a run are.
    let booting = played.map(|scenario| {
        let sections = std::iter::zip(&scenario.file.computers, scenario.specs(&config.places));
        let first = sections.filter(|(section, _)| section.get_ref().boot == Ready::Linked);
        let specs: Vec<Spec> = first.flat_map(|(_, specs)| specs).map(idle).collect();
        let emulator = emulator.clone();
        async move {
            let booting = tokio::spawn(async move {
                let booted = boot(&emulator, specs).await?;
                futures_util::future::try_join_all(booted.iter().map(Computer::booted)).await?;
                anyhow::Ok(())
            });
            booting.await?
        }
    });
    let booted: Vec<_> = futures_util::stream::iter(booting).buffer_unordered(jobs).collect().await;
    booted.into_iter().collect::<anyhow::Result<Vec<()>>>()?;
    Ok(started.elapsed())
}

/// The same computer with nothing to do.
fn idle(spec: Spec) -> Spec {
    let mut spec = Spec { program: "/idle.lua".to_owned(), ..spec };
    spec.files.insert("idle.lua".to_owned(), "os.pullEvent('nothing')".to_owned());
    spec
}

async fn boot(emulator: &Emulator, specs: Vec<Spec>) -> anyhow::Result<Vec<Computer>> {
    let (shared, alone): (Vec<Spec>, Vec<Spec>) = specs.into_iter().partition(|spec| spec.process.is_some());
    let mut computers = Vec::new();
    for spec in alone {
        computers.push(Computer::boot(emulator, spec)?);
    }
    let mut processes: BTreeMap<Option<String>, Vec<Spec>> = BTreeMap::new();
    for spec in shared {
        processes.entry(spec.process.clone()).or_default().push(spec);
    }
    for specs in processes.into_values() {
        computers.extend(Computer::boot_together(emulator, specs).await?);
    }
    Ok(computers)
}

/// The time of probes through the proxy, with everything recorded, against the time of probes without.
async fn recording(emulator: &Emulator, config: &Config) -> anyhow::Result<f64> {
    let spec = Spec {
        install: Some(config.places.program.clone()),
        program: PROGRAM.to_owned(),
        arguments: vec![ADDRESS.to_owned()],
        ..Spec::new(1)
    };
    let stage =
        Stage::set(emulator.clone(), BridgeSpec::default(), DEFAULT_VERSION, vec![spec.clone()]).await?;
    stage.boot_and_link(&["1".to_owned()]).await?;
    let client = stage.client().await?;
    let recorded = probes(&client).await?;
    drop(client);
    stage.end().await;
    stage.clear().await?;

    let bridge = RunningBridge::start(&BridgeSpec::default(), &Arc::default(), &Net::Loopback).await?;
    let direct = Spec { arguments: vec![format!("ws://{}", bridge.link)], ..spec };
    let computer = Computer::boot(emulator, direct)?;
    computer.shows("linked as ", 1, BOOT).await?;
    let client = Client::connect(&bridge.mcp_url, DEFAULT_VERSION, None).await?;
    let bare = probes(&client).await?;
    client.close().await;
    computer.end().await;
    bridge.shutdown().await?;
    Ok(recorded.as_secs_f64() / bare.as_secs_f64())
}

/// The median time of a probe of one computer.
async fn probes(client: &Client) -> anyhow::Result<Duration> {
    let mut times = Vec::new();
    for _ in 0..PROBES {
        let started = Instant::now();
        client.call("probe-computers", json!({}), None::<std::future::Pending<()>>).await?;
        times.push(started.elapsed());
    }
    Ok(median(times))
}

fn median<T: Copy + PartialOrd>(mut values: Vec<T>) -> T {
    values.sort_by(|one, other| one.partial_cmp(other).expect("a measured time is a number"));
    values[values.len() / 2]
}
