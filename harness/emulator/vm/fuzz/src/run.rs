//! Batches of cases, compared until the count or the time is reached.

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use clap::Parser;
use craftos_lua::Dialect;
use tempfile::TempDir;

use crate::batch::{results, source};
use crate::calls::call;
use crate::machines::{NO_END, Other, Way, own};
use crate::meant::{self, Known};
use crate::programs::program;
use crate::random::Random;

/// Cases in one run of another machine: its start costs more than hundreds of cases.
const BATCH: usize = 500;

/// Units of work in a slice when our machine is run in slices.
const SLICE: u64 = 13;

/// Every so many batches are also run while collecting at every allocation, which takes long.
const COLLECTING: u64 = 10;

/// Cases of such a batch.
const COLLECTED_CASES: usize = 40;

/// Compares the Lua machine with others on made-up programs and calls. Exit codes: 0 the same, 1 differences, 2 could not run.
#[derive(Debug, Parser)]
pub struct Cli {
    /// Where to begin; the same seed makes up the same cases
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many cases
    #[arg(long, default_value_t = 20_000)]
    count: usize,
    /// Stop after so many seconds, even if fewer cases have run
    #[arg(long)]
    seconds: Option<u64>,
    /// Machines to compare with, as far as they are here
    #[arg(long, default_values = ["lua5.2", "craftos"])]
    against: Vec<String>,
    /// A machine that must be here
    #[arg(long)]
    require: Vec<String>,
    /// How many differences to show
    #[arg(long, default_value_t = 20)]
    show: usize,
}

/// What was found so far.
#[derive(Default)]
struct Findings {
    cases: usize,
    shown: Vec<String>,
    count: usize,
    known: BTreeMap<Known, usize>,
}

impl Findings {
    fn add(&mut self, limit: usize, text: String) {
        self.count += 1;
        if self.shown.len() < limit {
            println!("{text}\n");
            self.shown.push(text);
        }
    }
}

/// Compares, prints what differs, and says whether nothing did.
pub fn run(cli: &Cli) -> Result<ExitCode> {
    let mut others = Vec::new();
    for name in cli.against.iter().chain(&cli.require) {
        match Other::find(name) {
            Some(other) => others.push((name.clone(), other)),
            None if cli.require.contains(name) => bail!("`{name}` is not here, and is required"),
            None => println!("skipped: `{name}` is not here"),
        }
    }
    others.dedup_by(|one, other| one.0 == other.0);
    // A panic of our machine is a finding with its case; the default message would say it again.
    std::panic::set_hook(Box::new(|_| {}));
    let start = Instant::now();
    let over = |cases: usize| {
        cases >= cli.count || cli.seconds.is_some_and(|limit| start.elapsed() >= Duration::from_secs(limit))
    };
    let mut findings = Findings::default();
    let mut number = 0u64;
    while !over(findings.cases) {
        let seed = cli.seed.wrapping_mul(1_000_003).wrapping_add(number);
        if others.is_empty() {
            batch(cli, seed, None, number, &mut findings)?;
        }
        for (name, other) in &others {
            batch(cli, seed, Some((name, other)), number, &mut findings)?;
        }
        number += 1;
    }
    for (known, count) in &findings.known {
        match known {
            Known::Meant(reason) => println!("meant, {count} times: {reason}"),
            Known::Open(reason) => println!("open, {count} times: {reason}"),
        }
    }
    let names: Vec<&str> = others.iter().map(|(name, _)| name.as_str()).collect();
    println!("{} cases from seed {}, against {names:?}: {} differ", findings.cases, cli.seed, findings.count);
    Ok(if findings.count == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn batch(
    cli: &Cli,
    seed: u64,
    other: Option<(&String, &Other)>,
    number: u64,
    findings: &mut Findings,
) -> Result<()> {
    let mut random = Random::new(seed);
    let all = other.is_none_or(|(_, other)| other.has_all());
    let make = |random: &mut Random| {
        if random.once_in(3) { program(random, all) } else { format!("return {}", call(random, all)) }
    };
    let cases: Vec<String> = (0..BATCH).map(|_| make(&mut random)).collect();
    findings.cases += cases.len();
    let text = source(&cases);
    let dialect = other.map_or(Dialect::Stock, |(_, other)| other.dialect());
    let (output, failure) = own(&text, Way::Whole, dialect);
    let ours = results(&output, cases.len());
    let missing = ours.iter().position(Option::is_none);
    let sliced = results(&own(&text, Way::Sliced(SLICE), dialect).0, cases.len());
    compare(cli, seed, &cases, (&ours, &sliced), "in slices", findings);
    if number.is_multiple_of(COLLECTING) {
        let few = &cases[..COLLECTED_CASES];
        let collected = results(&own(&source(few), Way::Collecting, dialect).0, few.len());
        compare(cli, seed, few, (&ours[..few.len()], &collected), "collecting always", findings);
    }
    let told = |failure: &str| {
        format!("seed {seed}: our machine {failure}, at\n{}", missing.map_or("", |at| &cases[at]))
    };
    let Some((name, other)) = other else {
        if let Some(failure) = failure {
            findings.add(cli.show, told(&failure));
        }
        return Ok(());
    };
    let folder = TempDir::new()?;
    let theirs = results(&other.run(&text, folder.path())?, cases.len());
    if theirs.iter().all(Option::is_none) {
        bail!("`{name}` wrote nothing, from seed {seed}");
    }
    let stuck = theirs.iter().position(Option::is_none);
    if let Some(failure) = failure {
        if failure == NO_END && stuck.is_some() && stuck == missing {
            *findings
                .known
                .entry(Known::Meant("what ends on no machine, such as `insert` at 1e15"))
                .or_default() += 1;
        } else {
            findings.add(cli.show, told(&failure));
        }
    }
    if let Some(case) = stuck {
        println!("note: seed {seed}: `{name}` did not get past\n{}", cases[case]);
    }
    for ((case, ours), theirs) in cases.iter().zip(&ours).zip(&theirs) {
        let (Some(ours), Some(theirs)) = (ours, theirs) else { continue };
        let (own, normal) = (meant::normalize(ours), meant::normalize(theirs));
        if own == normal {
            continue;
        }
        if let Some(known) = meant::known(case, &own, &normal, other) {
            *findings.known.entry(known).or_default() += 1;
            continue;
        }
        findings.add(cli.show, format!("seed {seed}\n{case}\n  ours:   {ours}\n  {name}: {theirs}"));
    }
    Ok(())
}

fn compare(
    cli: &Cli,
    seed: u64,
    cases: &[String],
    (whole, changed): (&[Option<String>], &[Option<String>]),
    how: &str,
    findings: &mut Findings,
) {
    let different = cases.iter().zip(whole.iter().zip(changed)).find(|(_, (one, other))| one != other);
    if let Some((case, (one, other))) = different {
        let shown = |result: &Option<String>| result.clone().unwrap_or_else(|| "nothing".to_owned());
        findings.add(
            cli.show,
            format!("seed {seed}\n{case}\n  whole: {}\n  {how}: {}", shown(one), shown(other)),
        );
    }
}
