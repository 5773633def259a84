//! `test`: the specs and probes of a `ComputerCraft` project. No bridge and no MCP is involved.

mod coverage;
mod junit;
mod live;
mod pages;
mod work;

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use anyhow::Context as _;
use console::style;
use craftos_specs::annotations::Annotations;
use craftos_specs::coverage::{Counted, Coverage};
use craftos_specs::play::Target;
use craftos_specs::project::Project;
use craftos_specs::results::{Counts, Outcome, TestResult};
use craftos_specs::show;
use craftos_specs::suite::{Ran, Suite, Told};
use craftos_specs::watch::Edits;

use self::live::Live;
use self::work::Work;
use super::out::outln;
use super::run::{FAILED, check};
use crate::computer::Profile;
use crate::config::{Config, TestConfig};
use crate::emulators::{Emulator, Found, Kind, find};
use crate::suite::chain;

/// The code for a run in which no test ran, or something could not.
const COULD_NOT_RUN: u8 = 2;

/// Runs the specs of the project that the current folder is in.
pub async fn test(config: &Config, test: &TestConfig) -> anyhow::Result<ExitCode> {
    let here = std::env::current_dir().context("failed to find the current folder")?;
    if test.watch {
        return again_and_again(config, test, &here).await;
    }
    let project = project(test, &here)?;
    let all = Work::of(&project, test)?;
    let count = all.len();
    let work = all.shard(test.shard);
    anyhow::ensure!(
        work.len() > 0 || test.shard.of == 1,
        "shard {} has no file: there are {count} in all\nhint: use at most {count} shards",
        test.shard
    );
    once(config, test, &project, work).await
}

fn project(test: &TestConfig, here: &Path) -> anyhow::Result<Project> {
    let mut project = match &test.project {
        Some(file) => Project::read_file(here, file)?,
        None => Project::find(here)?,
    };
    if !test.profiles.is_empty() {
        project.profiles.clone_from(&test.profiles);
    }
    Ok(project)
}

/// Runs everything, and then what each edit touches. What cannot run now may run after the next edit.
async fn again_and_again(config: &Config, test: &TestConfig, here: &Path) -> anyhow::Result<ExitCode> {
    let root = project(test, here)?.root;
    let mut edits = Edits::of(&root).with_context(|| format!("failed to watch `{}`", root.display()))?;
    let mut edited = None;
    loop {
        let ran = async {
            let project = project(test, here)?;
            let all = Work::of(&project, test)?;
            let work = edited.as_ref().map_or_else(|| all.clone(), |edited| all.touched(edited));
            once(config, test, &project, work).await
        };
        if let Err(error) = ran.await {
            eprint!("error: {}", chain(error.as_ref()));
        }
        eprintln!("watching {}: an edit runs it again, Ctrl-C ends it", root.display());
        match edits.next().await {
            Some(files) => edited = Some(files),
            None => anyhow::bail!("`{}` cannot be watched any longer", root.display()),
        }
        for path in edited.iter().flatten() {
            eprintln!("edited {}", path.display());
        }
    }
}

/// Runs some spec files and probes.
async fn once(config: &Config, test: &TestConfig, project: &Project, work: Work) -> anyhow::Result<ExitCode> {
    let before = test.before.as_ref().map(|path| {
        std::fs::read_to_string(path).with_context(|| format!("failed to read `{}`", path.display()))
    });
    let found = find(&config.emulators, config.craftos_pc.as_deref()).await?;
    check(config, &test.require, &found)?;
    let targets = targets(project, &found, config);
    anyhow::ensure!(!targets.is_empty(), "none of the project's `emulators` is there");
    for missing in found.missing.iter().filter(|missing| wants(project, missing.kind)) {
        eprintln!("{}: did not run: {}", missing.kind, chain(&missing.reason).trim_end());
    }
    work.tell(&targets, test);
    if test.coverage.is_some() {
        coverage::check(&targets)?;
    }
    if let Some(seed) = test.seed {
        eprintln!("shuffled: `--shuffle {seed}` gives this order again");
    }
    let annotations = Annotations::of_workflow(&project.root);
    let suite = Suite {
        project,
        files: work.files,
        targets,
        probes: work.probes,
        accept: test.accept,
        filters: test.filters.clone(),
        seed: test.seed,
        rounds: test.repeat,
        before: before.transpose()?,
        jobs: test.jobs,
        fail_fast: test.fail_fast,
        counted: test.coverage.is_some().then(|| Arc::new(Counted::default())),
    };
    let started = Instant::now();
    let live = Live::new(suite.planned());
    let told = |told: Told<'_>| match told {
        Told::Result(result) => {
            let command = annotations.as_ref().and_then(|annotations| annotations.command(result));
            live.result(result.is_failed(), || {
                tell(result, test.json);
                if let Some(command) = command {
                    eprintln!("{command}");
                }
            });
        }
        Told::FileEnded => live.file_ended(),
    };
    let ran = suite.run(&told).await;
    live.finish();
    let coverage = suite.counted.as_ref().map(|counted| Coverage::of(project, counted));
    let code = finish(&ran, test, started)?;
    let is_enough = match &coverage {
        Some(coverage) => coverage::tell(coverage, project, test)?,
        None => true,
    };
    if !test.watch {
        // A disk that is full hides neither what failed nor that it did.
        match pages::write(project, test, &ran, coverage.as_ref(), started.elapsed()) {
            Err(error) if code == FAILED => eprint!("error: {}", chain(error.as_ref())),
            written => written?,
        }
    }
    Ok(ExitCode::from(if code == 0 && !is_enough { FAILED } else { code }))
}

fn tell(result: &TestResult, json: bool) {
    if json {
        let line = serde_json::to_string(result).expect("results hold texts and numbers only");
        let _ = super::out::write(format_args!("{line}\n"));
        return;
    }
    let word = style(show::word(&result.outcome)).for_stderr();
    let word = match &result.outcome {
        Outcome::Passed => word.green(),
        Outcome::Failed(_) => word.red().bold(),
        Outcome::Pending => word.yellow(),
    };
    eprintln!("{word}  {}", show::line(result));
    if let Outcome::Failed(failure) = &result.outcome {
        eprint!("{}", show::failure(failure));
    }
}

/// Prints the summary, writes the files, and decides the code.
fn finish(ran: &Ran, test: &TestConfig, started: Instant) -> anyhow::Result<u8> {
    for broken in &ran.broken {
        let why = chain(&broken.error);
        eprintln!("BROKEN   {:<11}  {}\n{}", broken.emulator, broken.file.display(), why.trim_end());
    }
    if let Some(path) = &test.junit {
        junit::write(path, ran)?;
    }
    let mut emulators: Vec<&str> = ran.results.iter().map(|result| result.emulator.as_str()).collect();
    emulators.sort_unstable();
    emulators.dedup();
    for emulator in emulators {
        let counts = Counts::of(ran.results.iter().filter(|result| result.emulator == emulator));
        let line = format!("{emulator}: {}", show::counts(counts));
        if test.json {
            eprintln!("{line}");
        } else {
            outln!("{line}");
        }
    }
    if ran.not_begun > 0 {
        eprintln!("{} files were not started after the first failure", ran.not_begun);
    }
    eprintln!("{:.1} s", started.elapsed().as_secs_f64());
    let counts = Counts::of(&ran.results);
    if counts.failed > 0 {
        return Ok(FAILED);
    }
    if counts.passed == 0 && ran.broken.is_empty() {
        eprintln!("error: no test ran\nhint: is there a test whose name has one of the filters in it?");
    }
    Ok(if counts.passed == 0 || !ran.broken.is_empty() { COULD_NOT_RUN } else { 0 })
}

fn wants(project: &Project, kind: Kind) -> bool {
    project.emulators.as_ref().is_none_or(|wanted| wanted.contains(&kind))
}

/// What the tests run on: every emulator that the project wants, in each profile that it has.
fn targets(project: &Project, found: &Found, config: &Config) -> Vec<Target> {
    let named = !config.emulators.is_empty();
    let wanted = |emulator: &&Emulator| named || wants(project, emulator.kind);
    let mut targets = Vec::new();
    for emulator in found.emulators.iter().filter(wanted) {
        for profile in &project.profiles {
            // Only the embedded emulator can be like the game.
            if *profile == Profile::CraftosPc || emulator.kind == Kind::Embedded {
                targets.push(Target { emulator: emulator.clone(), profile: *profile });
            }
        }
    }
    targets
}
