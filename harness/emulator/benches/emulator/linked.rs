//! A thousand computers that run `mcp-computer`, linked to a bridge in this process, each with its answer to a ping.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use clap::Parser as _;
use mcp_bridge::{Bridge, Config, cli::Cli};

use crate::emulators::{Data, Emulators};
use crate::process::{Process, own_cpu};
use crate::table::{Table, median};

const COMPUTERS: usize = 1000;
/// Seconds from the spawn to the last answer.
const GOAL: f64 = 2.0;
/// Far longer than it takes: only a computer that never links reaches it.
const PATIENCE: Duration = Duration::from_secs(120);

struct Round {
    seconds: f64,
    emulator_cpu: Option<f64>,
    bridge_cpu: Option<f64>,
    memory: Option<f64>,
}

async fn round(emulator: &Path) -> anyhow::Result<Round> {
    let flags = ["mcp-bridge", "--mcp-port", "0", "--cc-link-port", "0", "--cc-link-host", "127.0.0.1"];
    let bridge = Bridge::start(Config::try_from(Cli::try_parse_from(flags)?)?).await?;
    let registry = bridge.view().registry;
    let data = Data::new("")?;
    let lua = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../lua");
    let own_before = own_cpu();
    let start = Instant::now();
    let mut command = data.command(emulator);
    command.args(["-i", &format!("0-{}", COMPUTERS - 1)]);
    for folder in ["programs", "apis"] {
        command.arg("--mount-ro").arg(format!("{folder}={}", lua.join(folder).display()));
    }
    command.arg("--exec").arg(format!("shell.run('/programs/mcp-computer.lua', '{}')", bridge.link_url()));
    let mut process = Process::spawn(&mut command)?;
    let mut changed = registry.watch();
    while registry.count() < COMPUTERS {
        let left = PATIENCE.saturating_sub(start.elapsed());
        tokio::time::timeout(left, changed.changed())
            .await
            .with_context(|| format!("{} of {COMPUTERS} computers linked", registry.count()))??;
        anyhow::ensure!(!process.ended(), "the emulator ended");
    }
    let mut asked = Vec::with_capacity(COMPUTERS);
    for computer in registry.all() {
        asked.push(computer.ping(registry.next_request())?);
    }
    for mut request in asked {
        let left = PATIENCE.saturating_sub(start.elapsed());
        let answer = tokio::time::timeout(left, request.answer()).await.context("no answer to a ping")?;
        anyhow::ensure!(answer.is_ok(), "a computer went away");
    }
    let round = Round {
        seconds: start.elapsed().as_secs_f64(),
        emulator_cpu: process.cpu_seconds(),
        bridge_cpu: own_before.zip(own_cpu()).map(|(before, after)| after - before),
        memory: process.proportional_kib(),
    };
    drop(process);
    bridge.shutdown().await;
    Ok(round)
}

pub fn measure(emulators: &Emulators, rounds: usize, table: &mut Table) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let rounds: Vec<Round> =
        (0..rounds).map(|_| runtime.block_on(round(&emulators.embedded))).collect::<anyhow::Result<_>>()?;
    let middle = |value: fn(&Round) -> Option<f64>| {
        let values: Vec<f64> = rounds.iter().filter_map(value).collect();
        (!values.is_empty()).then(|| median(&values))
    };
    let seconds = middle(|round| Some(round.seconds)).unwrap_or(f64::NAN);
    let times = format!("median of {}", rounds.len());
    table.goal(
        &format!("1000 computers linked and answering, {times}"),
        &format!("{seconds:.2} s"),
        "-",
        &format!("< {GOAL:.0} s"),
        seconds < GOAL,
    );
    let mut shown = |name: &str, value: Option<f64>, unit: &str, scale: f64| {
        let Some(value) = value else { return };
        table.shown(name, &format!("{:.2} {unit}", value * scale), "-");
    };
    shown("  CPU of the emulator", middle(|round| round.emulator_cpu), "s", 1.0);
    shown("  CPU of the bridge", middle(|round| round.bridge_cpu), "s", 1.0);
    #[expect(clippy::cast_precision_loss, reason = "a thousand")]
    let each = 1.0 / COMPUTERS as f64;
    shown("  memory for each (proportional)", middle(|round| round.memory), "KiB", each);
    if emulators.reference.is_some() {
        table.left_out("1000 linked on CraftOS-PC", "one process for each computer takes about a minute");
    }
    Ok(())
}
