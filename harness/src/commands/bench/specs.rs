//! What the runner of specs costs: against the same Lua in bare emulators, with coverage, and from an edit to its result.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use craftos_specs::coverage::Counted;
use craftos_specs::files;
use craftos_specs::play::Target;
use craftos_specs::project::Project;
use craftos_specs::suite::{Suite, Told};
use craftos_specs::watch::{Edits, touched};
use futures_util::StreamExt as _;

use super::super::out::outln;
use super::median;
use crate::computer::{Computer, Profile, Spec};
use crate::emulators::Emulator;
use crate::scratch::Scratch;

/// Files, and tests in each: a suite of some size, and not a long wait.
const FILES: usize = 16;
const TESTS: usize = 50;

/// How often a computer that runs the specs alone is looked at, as the runner looks at its own.
const LOOK: Duration = Duration::from_millis(5);

/// A test that does what tests do: calls of the code, tables, texts.
const SPEC: &str = "local work = dofile('/work.lua')\n\
    describe('work', function()\n\
    for number = 1, TESTS do\n\
    it('is done ' .. number, function() expect(work(number)):eq(500 * number) end)\n\
    end\n\
    end)\n";
const WORK: &str = "return function(number)\n\
    local parts = {}\n\
    for i = 1, 500 do\n\
    parts[i] = ('%d'):format(number)\n\
    end\n\
    local sum = 0\n\
    for _, part in ipairs(parts) do\n\
    sum = sum + tonumber(part)\n\
    end\n\
    return sum\n\
    end\n";

/// The least that the specs need, for an emulator without the runner.
const BARE: &str = "local function run(_, body) body() end\n\
    _G.describe, _G.it = run, run\n\
    function _G.expect(value) return { eq = function(_, other) assert(value == other) end } end\n\
    dofile('/spec.lua')\n";

/// Measures, and prints a line for each figure.
pub async fn specs(emulator: &Emulator, jobs: usize, rounds: usize) -> anyhow::Result<()> {
    let folder = Scratch::new("the specs of a bench").context("failed to make a folder")?;
    let spec = SPEC.replace("TESTS", &TESTS.to_string());
    write(folder.path(), "craftos.toml", "files = { \"src\" = \"/\" }\n")?;
    write(folder.path(), "src/work.lua", WORK)?;
    for number in 1..=FILES {
        write(folder.path(), &format!("spec/{number}_spec.lua"), &spec)?;
    }
    let project = Project::read(folder.path())?;
    let all = files::all(&project)?;
    let (mut bare, mut plain, mut counted, mut edits) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rounds {
        bare.push(in_bare_emulators(emulator, &spec, jobs).await?);
        plain.push(run(&project, &all, emulator, jobs, None).await?);
        counted.push(run(&project, &all, emulator, jobs, Some(Arc::default())).await?);
        edits.push(edit(&project, &all, emulator).await?);
    }
    #[expect(clippy::cast_precision_loss, reason = "there are not that many tests")]
    let rate = |time: Duration| (FILES * TESTS) as f64 / time.as_secs_f64();
    let (bare, plain, counted) = (median(bare), median(plain), median(counted));
    outln!("specs: {FILES} files with {TESTS} tests each, {jobs} at once, on {}", emulator.kind);
    outln!(
        "  {:.0} tests/s; {:.0} in bare emulators, which is {:.2} times as many",
        rate(plain),
        rate(bare),
        rate(bare) / rate(plain)
    );
    outln!("  coverage: {:.2} times the time (goal 2)", counted.as_secs_f64() / plain.as_secs_f64());
    outln!("  from an edit to its result: {:.0} ms (goal 1000)", median(edits).as_secs_f64() * 1000.0);
    Ok(())
}

fn write(root: &Path, path: &str, text: &str) -> anyhow::Result<()> {
    let path = root.join(path);
    let written =
        path.parent().map_or(Ok(()), std::fs::create_dir_all).and_then(|()| std::fs::write(&path, text));
    written.with_context(|| format!("failed to write `{}`", path.display()))
}

/// The time of some files in the runner.
async fn run(
    project: &Project,
    files: &[PathBuf],
    emulator: &Emulator,
    jobs: usize,
    counted: Option<Arc<Counted>>,
) -> anyhow::Result<Duration> {
    let suite = Suite {
        project,
        files: files.to_vec(),
        targets: vec![Target { emulator: emulator.clone(), profile: Profile::CraftosPc }],
        filters: Vec::new(),
        seed: None,
        rounds: 1,
        before: None,
        jobs,
        fail_fast: false,
        counted,
        probes: Vec::new(),
        accept: false,
    };
    let started = Instant::now();
    let ran = suite.run(&|_: Told<'_>| {}).await;
    let time = started.elapsed();
    let passed = ran.results.iter().filter(|result| !result.is_failed()).count();
    anyhow::ensure!(passed == files.len() * TESTS, "only {passed} tests passed");
    Ok(time)
}

/// The time of the same specs in emulators that run nothing else.
async fn in_bare_emulators(emulator: &Emulator, spec: &str, jobs: usize) -> anyhow::Result<Duration> {
    let started = Instant::now();
    let running = (0..FILES).map(|_| async move {
        let mut computer = Spec { program: "/bare.lua".to_owned(), ..Spec::new(0) };
        for (path, text) in [("spec.lua", spec), ("work.lua", WORK), ("bare.lua", BARE)] {
            computer.files.insert(path.to_owned(), text.to_owned());
        }
        let computer = Computer::boot(emulator, computer)?;
        loop {
            if let Some(exit) = computer.exit() {
                anyhow::ensure!(
                    exit.to_string() == "exit 0",
                    "a bare emulator ended otherwise: {exit}\n{}",
                    computer.last()
                );
                return Ok(());
            }
            tokio::time::sleep(LOOK).await;
        }
    });
    let ended: Vec<anyhow::Result<()>> =
        futures_util::stream::iter(running).buffer_unordered(jobs).collect().await;
    ended.into_iter().collect::<anyhow::Result<Vec<()>>>()?;
    Ok(started.elapsed())
}

/// The time from saving a spec to the result of its last test, as `--watch` does it.
async fn edit(project: &Project, all: &[PathBuf], emulator: &Emulator) -> anyhow::Result<Duration> {
    let mut edits = Edits::of(&project.root).context("failed to watch the folder")?;
    let path = &all[0];
    let text = std::fs::read_to_string(project.root.join(path)).context("failed to read a spec")?;
    let started = Instant::now();
    std::fs::write(project.root.join(path), text).context("failed to write a spec")?;
    let edited = edits.next().await.context("the folder cannot be watched any longer")?;
    run(project, &touched(all, &edited), emulator, 1, None).await?;
    Ok(started.elapsed())
}
