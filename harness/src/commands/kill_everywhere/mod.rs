//! `simulate --kill-everywhere`: plays a program once, then kills its computer at each yield of that run in turn, boots it
//! again, and checks what has to hold. It is all in one process and in virtual time.

mod kill;
mod report;
mod stage;
mod subject;

use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;

use anyhow::{Context as _, bail};

use self::kill::{Trial, Verdict};
use self::report::Report;
use self::stage::{End, For, Ran, Stage, Yield};
use self::subject::Subject;
use super::out::outln;
use super::run::FAILED;
use crate::cli_kill::KillArgs;
use crate::computer::copy_whole;
use crate::scratch::{self, Scratch};

/// The most yields that a first run is followed for: a program that yields without end has as many as its time allows.
const MOST_YIELDS: usize = 1_000_000;

/// Disks that wait for a worker, for each of them: enough that none waits, and few enough that they take little room.
const WAITING: usize = 2;

/// What is asked for.
#[derive(Debug, Clone)]
pub struct KillConfig {
    pub program: PathBuf,
    pub args: KillArgs,
    pub seed: u64,
    pub json: bool,
}

/// Plays, kills and checks; tells what failed.
pub async fn kill_everywhere(config: &KillConfig) -> anyhow::Result<ExitCode> {
    // Computers run on threads of their own; they are asked to stop where this is dropped, after a signal.
    let stop = Arc::new(AtomicBool::new(false));
    let _guard = StopOnDrop(stop.clone());
    let config = config.clone();
    tokio::task::spawn_blocking(move || run(&config, &stop))
        .await
        .context("the thread that kills panicked")?
}

struct StopOnDrop(Arc<AtomicBool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

fn run(config: &KillConfig, stop: &AtomicBool) -> anyhow::Result<ExitCode> {
    let subject = Subject::find(&config.program, &config.args)?;
    scratch::keep_in_memory();
    let scratch = Scratch::new("the computer's disks").context("failed to make a temporary folder")?;
    let (yields, ran) = first_run(config, &subject, &scratch.path().join("first"))?;
    let trial =
        Trial { subject: &subject, seed: config.seed, until: config.args.until, ends: ran.end == End::Ended };
    check_first(config, &trial, &ran, &scratch.path().join("first"))?;
    let wanted = wanted(&config.args, &yields)?;
    let verdicts = kills(config, &trial, &wanted, scratch.path(), stop)?;
    tell(config, &subject, (&yields, &ran), &verdicts)
}

/// Plays the program without a kill, and notes its yields.
fn first_run(config: &KillConfig, subject: &Subject, data: &Path) -> anyhow::Result<(Vec<Yield>, Ran)> {
    stage::prepare(subject, data)?;
    let stage = boot_first(config, subject, data)?;
    let mut yields = Vec::new();
    loop {
        match stage.next_yield() {
            Err(ran) => return Ok((yields, ran)),
            Ok(_) if yields.len() >= MOST_YIELDS => {
                bail!("it yields more than {MOST_YIELDS} times\nhint: give it less time with `--until`")
            }
            Ok(at) => yields.push(at),
        }
    }
}

fn boot_first(config: &KillConfig, subject: &Subject, data: &Path) -> anyhow::Result<Stage> {
    Stage::boot(subject, data, For::First, config.seed, std::time::Duration::ZERO, config.args.until)
}

/// A program that fails by itself, or does not hold what is checked, shows nothing when it is killed.
fn check_first(config: &KillConfig, trial: &Trial<'_>, ran: &Ran, data: &Path) -> anyhow::Result<()> {
    let shown = config.program.display();
    let screen = || ran.screen.lines().fold(String::new(), |shown, line| shown + "| " + line + "\n");
    match &ran.end {
        End::Ended | End::StillRuns | End::Waits => {}
        End::Failed(error) => bail!("`{shown}` fails without being killed: {error}\n{}", screen().trim_end()),
        End::Endless(endless) => bail!(
            "`{shown}` does not stop without being killed: {endless}\n{}hint: {}",
            screen(),
            endless.hint()
        ),
    }
    if let Some(problem) = trial.check(data, &ran.end, &ran.screen, ran.time, None)? {
        bail!("`{shown}`, without being killed: {}\n{}", problem.told(), screen().trim_end());
    }
    Ok(())
}

/// The yields at which the computer is killed.
fn wanted(args: &KillArgs, yields: &[Yield]) -> anyhow::Result<Vec<Yield>> {
    if yields.is_empty() {
        bail!("the program never yields: there is no moment at which its computer could be killed");
    }
    if let Some(number) = args.at {
        let at = yields.iter().find(|at| at.number == number);
        let Some(at) = at else {
            bail!("there is no yield {number}\nhint: the run without a kill has {}", yields.len())
        };
        return Ok(vec![at.clone()]);
    }
    let (all, most) = (yields.len(), usize::try_from(args.kills).unwrap_or(usize::MAX));
    if all <= most {
        return Ok(yields.to_vec());
    }
    // Spread over the run, with the first and the last one.
    let chosen: BTreeSet<usize> = (0..most).map(|index| index * (all - 1) / (most - 1).max(1)).collect();
    Ok(chosen.into_iter().map(|index| yields[index].clone()).collect())
}

/// Plays the first run again, takes the disk at each wanted yield, and has a few threads judge what becomes of it.
fn kills(
    config: &KillConfig,
    trial: &Trial<'_>,
    wanted: &[Yield],
    scratch: &Path,
    stop: &AtomicBool,
) -> anyhow::Result<Vec<Verdict>> {
    let workers = thread::available_parallelism().map_or(1, usize::from).min(wanted.len());
    let (sender, receiver) = mpsc::sync_channel::<(PathBuf, Yield)>(workers * WAITING);
    let receiver = Mutex::new(receiver);
    let next = || receiver.lock().expect("no thread panics while it holds it").recv().ok();
    let work = || {
        let mut verdicts = Vec::new();
        while let Some((data, at)) = next() {
            if stop.load(Ordering::Acquire) {
                break;
            }
            verdicts.push(trial.judge(&data, at)?);
            std::fs::remove_dir_all(&data).context("failed to remove a disk")?;
        }
        anyhow::Ok(verdicts)
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        let sent = send_disks(config, trial.subject, wanted, scratch, stop, &sender);
        drop(sender);
        let mut verdicts = Vec::new();
        for thread in threads {
            verdicts.extend(thread.join().map_err(|_| anyhow::anyhow!("a thread that judges panicked"))??);
        }
        sent?;
        verdicts.sort_by_key(|verdict| verdict.at.number);
        Ok(verdicts)
    })
}

fn send_disks(
    config: &KillConfig,
    subject: &Subject,
    wanted: &[Yield],
    scratch: &Path,
    stop: &AtomicBool,
    sender: &mpsc::SyncSender<(PathBuf, Yield)>,
) -> anyhow::Result<()> {
    let data = scratch.join("second");
    stage::prepare(subject, &data)?;
    let stage = boot_first(config, subject, &data)?;
    for at in wanted {
        let now = loop {
            match stage.next_yield() {
                Ok(now) if now.number < at.number && !stop.load(Ordering::Acquire) => {}
                Ok(now) => break now,
                Err(ran) => bail!("a second run was not the same as the first: it ended with {:?}", ran.end),
            }
        };
        if stop.load(Ordering::Acquire) {
            return Ok(());
        }
        anyhow::ensure!(now == *at, "a second run was not the same as the first: {now:?} and {at:?}");
        let disk = scratch.join(at.number.to_string());
        copy_whole(&data, &disk)
            .and_then(|()| keep_times(&data, &disk))
            .context("failed to copy the computer's disk")?;
        if sender.send((disk, now)).is_err() {
            // The threads are gone: one of them says why.
            return Ok(());
        }
    }
    Ok(())
}

/// Gives files that were copied the times of those that they were copied from: the computer goes by them after the restart.
fn keep_times(from: &Path, to: &Path) -> std::io::Result<()> {
    for entry in std::fs::read_dir(from)? {
        let (entry, copied) = entry.map(|entry| (entry.path(), to.join(entry.file_name())))?;
        if entry.is_dir() {
            keep_times(&entry, &copied)?;
        } else {
            let modified = entry.metadata()?.modified()?;
            File::options().write(true).open(copied)?.set_modified(modified)?;
        }
    }
    Ok(())
}

fn tell(
    config: &KillConfig,
    subject: &Subject,
    (yields, ran): (&[Yield], &Ran),
    verdicts: &[Verdict],
) -> anyhow::Result<ExitCode> {
    let report = Report { subject, yields: yields.len() as u64, command: command(config) };
    if config.json {
        for verdict in verdicts {
            outln!("{}", report.json(verdict));
        }
    }
    eprint!("{}", report.failures(verdicts));
    let failed = verdicts.iter().filter(|verdict| verdict.problem.is_some()).count();
    let how = match ran.end {
        End::Ended => "ends",
        End::Waits => "waits for what nobody does",
        _ => "still runs",
    };
    let time = ran.time.as_secs_f64();
    let held = match (&subject.check, ran.end == End::Ended) {
        (Some(check), _) => format!("no error, and the check `{}` holds", check.given),
        (None, true) => "it ends without an error".to_owned(),
        (None, false) => "it runs on without an error".to_owned(),
    };
    let all = if verdicts.len() < yields.len() && config.args.at.is_none() {
        format!(" (`--kills {}` kills at each)", yields.len())
    } else {
        String::new()
    };
    let summary = format!(
        "{}: {how} after {time:.1} s of virtual time with {} yields; killed at {}{all}: {} passed, {failed} failed\n\
         checked after each restart: {held}",
        config.program.display(),
        yields.len(),
        verdicts.len(),
        verdicts.len() - failed,
    );
    if config.json {
        eprintln!("{summary}");
    } else {
        outln!("{summary}");
    }
    Ok(if failed > 0 { ExitCode::from(FAILED) } else { ExitCode::SUCCESS })
}

/// The command that does this again.
fn command(config: &KillConfig) -> String {
    let args = &config.args;
    let mut words = vec![
        "craftos-harness simulate --kill-everywhere".to_owned(),
        quoted(&config.program.display().to_string()),
    ];
    for (flag, value) in
        [("--arguments", &args.arguments), ("--again", &args.again), ("--check", &args.check)]
    {
        if let Some(value) = value {
            words.push(format!("{flag} {}", quoted(value)));
        }
    }
    words.push(format!("--until {}", args.until.as_secs_f64()));
    words.push(format!("--seed {}", config.seed));
    words.join(" ")
}

/// A word for a shell.
fn quoted(word: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./".contains(&byte);
    if !word.is_empty() && word.bytes().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}
