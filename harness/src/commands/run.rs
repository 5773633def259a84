//! `run` and `list`.

use std::cmp::Reverse;
use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Instant, SystemTime};

use anyhow::Context as _;
use craftos_specs::project::own_folder;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::out::{out, outln};
use super::paste::quoted;
use crate::cli::OutputArgs;
use crate::config::{Config, RunConfig};
use crate::emulators::{Found, Kind, find};
use crate::places::Places;
use crate::report::files::Folder;
use crate::report::live::Live;
use crate::report::results::{Absent, Used, milliseconds};
use crate::report::summary::{Colours, summary};
use crate::report::{Entry, Machine, Results, Run, junit};
use crate::scenario;
use crate::suite::{Suite, chain};

/// The code for a scenario that failed.
pub const FAILED: u8 = 1;

/// Runs the scenarios on every emulator that is there, and prints what happened, also where it was stopped.
pub async fn run(
    config: &Config,
    run: &RunConfig,
    tasks: &TaskTracker,
    stop: &CancellationToken,
) -> anyhow::Result<ExitCode> {
    let places = config.places.read_project()?;
    let mut all = scenario::all(&places, &run.filters)?;
    if run.faults.is_some() {
        all.retain(|scenario| !scenario.linked_names().is_empty());
        anyhow::ensure!(!all.is_empty(), "no computer of these scenarios links: there is nothing to disturb");
    }
    let count = all.len();
    // Shards are of the order by name, so that they are the same whatever the seeds are.
    let mut scenarios: Vec<_> = all.into_iter().skip(run.shard.index - 1).step_by(run.shard.of).collect();
    anyhow::ensure!(
        !scenarios.is_empty(),
        "shard {} has no scenario: there are {count} in all\nhint: use at most {count} shards",
        run.shard
    );
    let planned: Vec<String> = scenarios.iter().map(|scenario| scenario.name.clone()).collect();
    // What takes longest begins first: the others fit into its waiting.
    scenarios.sort_by_key(|scenario| Reverse(scenario.size()));
    let mut found = find(&config.emulators, config.craftos_pc.as_deref()).await?;
    if let Some(wanted) = places.project.as_ref().and_then(|project| project.emulators.as_ref())
        && config.emulators.is_empty()
    {
        found.keep(wanted);
    }
    check(config, &run.require, &found)?;
    for emulator in &found.emulators {
        eprintln!("{} {}: `{}`", emulator.kind, emulator.version, emulator.path.display());
    }
    if let Some(seed) = run.seed {
        eprintln!("shuffled: `--shuffle {seed}` gives this order again");
        shuffle(&mut scenarios, seed);
    }
    if let Some((profile, seed)) = run.faults {
        eprintln!("faults: `--faults {profile} --seed {seed}` gives these again");
    }
    let folder = report_folder(&places, run)?;
    let report = folder.as_ref().map(|folder| folder.root().to_owned());
    let suite = Suite {
        accept: run.accept,
        repeat: run.repeat,
        bridge: run.bridge.clone(),
        faults: run.faults,
        deadline: run.deadline,
        report: report.clone(),
        flags: flags(config, run),
        tasks: tasks.clone(),
        stop: stop.clone(),
        ..Suite::new(scenarios, found.emulators.clone(), places, run.jobs)
    };
    let (started, clock) = (SystemTime::now(), Instant::now());
    let live = Arc::new(Live::new(suite.planned(), report.clone()));
    let listener = live.clone();
    let reports = Arc::new(suite).run(move |told| listener.hear(&told)).await;
    live.finish();
    let entries: Vec<Entry> = reports.iter().map(Entry::from_report).collect();
    let mut facts = facts(run, &found);
    facts.started = humantime::format_rfc3339_seconds(started).to_string();
    facts.duration_ms = milliseconds(clock.elapsed());
    facts.left = reports.iter().filter(|report| report.was_stopped()).count();
    facts.planned = planned;
    facts.report.clone_from(&report);
    let results = Results::new(count, vec![facts], entries);
    // A disk that is full hides neither what failed nor that it did.
    let finished = folder.map_or(Ok(()), |folder| folder.finish(&results)).map_err(anyhow::Error::from);
    let told = tell(&results, report.as_deref(), &run.outputs);
    for written in [finished, told] {
        match (written, results.end().code()) {
            (Err(error), FAILED) => eprint!("error: {}", chain(error.as_ref())),
            (written, _) => written?,
        }
    }
    Ok(ExitCode::from(results.end().code()))
}

/// The folder for the report. A checkout that cannot be written has none, unless another place is named: what the
/// scenarios do is still told.
fn report_folder(places: &Places, run: &RunConfig) -> anyhow::Result<Option<Folder>> {
    if let Some(report) = &run.outputs.report {
        return Ok(Some(Folder::prepare(report)?));
    }
    let made = if places.in_project { own_folder(&places.root).map(drop) } else { Ok(()) };
    let prepared = made.map_err(anyhow::Error::from).and_then(|()| Ok(Folder::prepare(&places.report())?));
    match prepared {
        Ok(folder) => Ok(Some(folder)),
        Err(error) => {
            eprintln!("warning: there will be no report: {}", chain(error.as_ref()).trim_end());
            eprintln!("hint: `--report DIR` names another place");
            Ok(None)
        }
    }
}

/// What was asked for in a way that a hint has to repeat.
fn flags(config: &Config, run: &RunConfig) -> String {
    let mut flags = flags_of(config);
    for name in &config.emulators {
        add_flag(&mut flags, "--emulator", name);
    }
    if let Some(path) = &config.craftos_pc {
        add_flag(&mut flags, "--craftos-pc", &path.display().to_string());
    }
    if let Some(command) = &run.bridge_words {
        add_flag(&mut flags, "--bridge", command);
    }
    flags
}

/// The same of what every command takes.
pub fn flags_of(config: &Config) -> String {
    let mut flags = flags_of_program(config);
    if let Some(path) = &config.given.fixtures {
        add_flag(&mut flags, "--fixtures", &path.display().to_string());
    }
    flags
}

/// The same without the scenarios' folder.
pub fn flags_of_program(config: &Config) -> String {
    let mut flags = String::new();
    if let Some(path) = &config.given.program {
        add_flag(&mut flags, "--program", &path.display().to_string());
    }
    flags
}

pub fn add_flag(flags: &mut String, flag: &str, value: &str) {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,".contains(c);
    let is_plain = !value.is_empty() && value.chars().all(plain);
    let word = if is_plain {
        value.to_owned()
    } else if value.contains('\'') && !value.contains(['"', '$', '`', '\\', '!']) {
        format!("\"{value}\"")
    } else {
        quoted(value)
    };
    let _ = write!(flags, " {flag} {word}");
}

pub fn check(config: &Config, require: &[Kind], found: &Found) -> anyhow::Result<()> {
    // What was named is wanted: a run without it is not the run that was asked for.
    if let Some(path) = &config.craftos_pc
        && let Some(missing) = found.missing.iter().find(|missing| missing.kind == Kind::CraftosPc)
    {
        let reason = chain(&missing.reason);
        anyhow::bail!("`--craftos-pc {}` cannot be used: {}", path.display(), reason.trim_end());
    }
    for kind in require {
        if let Some(missing) = found.missing.iter().find(|missing| missing.kind == *kind) {
            anyhow::bail!("{kind} is required and not there: {}", missing.reason);
        }
        anyhow::ensure!(found.get(*kind).is_some(), "{kind} is required and `--emulator` leaves it out");
    }
    anyhow::ensure!(
        !found.emulators.is_empty(),
        "no emulator is there\nhint: `craftos-harness doctor` says more"
    );
    Ok(())
}

/// What is known before anything runs.
fn facts(run: &RunConfig, found: &Found) -> Run {
    let used = found.emulators.iter().enumerate().map(|(place, emulator)| Used {
        emulator: emulator.kind,
        instance: 1 + found.emulators[..place].iter().filter(|other| other.kind == emulator.kind).count(),
        version: emulator.version.clone(),
        path: emulator.path.clone(),
    });
    let missing = found.missing.iter().map(|missing| Absent {
        emulator: missing.kind,
        reason: chain(&missing.reason).trim_end().replace('\n', "; "),
    });
    Run {
        harness: env!("CARGO_PKG_VERSION").to_owned(),
        shard: run.shard,
        started: String::new(),
        duration_ms: 0,
        seed: run.seed,
        filters: run.filters.clone(),
        jobs: run.jobs,
        repeat: run.repeat,
        machine: Machine::here(),
        emulators: used.collect(),
        missing: missing.collect(),
        planned: Vec::new(),
        left: 0,
        report: None,
    }
}

/// Puts things into an order made from a seed: Fisher and Yates with `SplitMix64`, so that it is the same everywhere
/// and for ever.
fn shuffle<T>(things: &mut [T], seed: u64) {
    let mut state = seed;
    let mut next = move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    };
    for place in (1..things.len()).rev() {
        let other = next() % (place as u64 + 1);
        things.swap(place, usize::try_from(other).expect("it is not larger than a place"));
    }
}

/// Prints the summary, on stderr where the results are on stdout, and writes what was asked for.
pub fn tell(results: &Results, report: Option<&Path>, outputs: &OutputArgs) -> anyhow::Result<()> {
    let write = |path: &Path, text: String| {
        std::fs::write(path, text).with_context(|| format!("failed to write `{}`", path.display()))
    };
    let json = outputs.json.as_deref();
    if json == Some(Path::new("-")) {
        eprint!("{}", summary(results, report, &Colours::of_stderr()));
        out!("{}", results.to_json());
    } else {
        out!("{}", summary(results, report, &Colours::of_stdout()));
    }
    if let Some(path) = json.filter(|path| *path != Path::new("-")) {
        write(path, results.to_json())?;
    }
    if let Some(path) = &outputs.junit {
        write(path, junit::write(results))?;
    }
    Ok(())
}

/// Names the scenarios, with what each shows.
pub fn list(config: &Config, filters: &[String]) -> anyhow::Result<ExitCode> {
    for scenario in scenario::all(&config.places.read_project()?, filters)? {
        outln!("{:<28} {}", scenario.name, scenario.file.about);
    }
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::{add_flag, shuffle};

    #[test]
    fn a_flag_is_one_word_of_a_shell_whatever_is_in_it() {
        let flag = |value| {
            let mut flags = String::new();
            add_flag(&mut flags, "--bridge", value);
            flags
        };
        assert_eq!(flag("mcp-bridge"), " --bridge mcp-bridge");
        assert_eq!(flag("a --b"), " --bridge 'a --b'");
        assert_eq!(flag("a 'b c'"), " --bridge \"a 'b c'\"");
        assert_eq!(flag("sh -c 'echo \"$X\"'"), r#" --bridge 'sh -c '\''echo "$X"'\'''"#);
    }

    #[test]
    fn a_seed_gives_one_order_and_another_seed_another() {
        let shuffled = |seed| {
            let mut numbers: Vec<u32> = (0..20).collect();
            shuffle(&mut numbers, seed);
            numbers
        };
        assert_eq!(shuffled(7), shuffled(7));
        assert_ne!(shuffled(7), shuffled(8));
        let mut sorted = shuffled(7);
        sorted.sort_unstable();
        assert_eq!(sorted, (0..20).collect::<Vec<_>>());
    }
}
