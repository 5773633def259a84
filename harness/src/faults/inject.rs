//! Makes the faults of a plan happen, each at its time, and ends them.

use std::time::Duration;

use embedded_craftos::Faults as Dials;
use embedded_craftos::faults::{Chance, Span};
use futures_util::future::join_all;
use tokio::time::{Instant, sleep, sleep_until};

use super::{Fault, Kind, Plan, Towards};
use crate::computer::Exit;
use crate::proxy::{Conditions, Delay, Direction, Side};
use crate::report::trace::What;
use crate::stage::{Stage, StageError};

/// Faults that lie over each other may meet a bridge or a computer that is down already: then they change nothing.
type Tried = Result<(), StageError>;

/// What is said of a fault that this emulator cannot be asked for.
const NOT_HERE: &str = "cannot be: it needs a simulation";

/// Waits until all faults have happened and ended.
pub async fn inject(stage: &Stage, plan: &Plan, start: Instant) {
    join_all(plan.faults.iter().map(|fault| one(stage, fault, start))).await;
}

/// Ends what faults that lie over each other have left: everything runs, and nothing is suffered.
pub async fn heal(stage: &Stage, names: &[String]) -> Tried {
    for name in names {
        stage.proxy()?.set_conditions(name, |conditions| *conditions = Conditions::default());
        stage.proxy()?.cut(name, false);
        let Ok(computer) = stage.computer(name) else { continue };
        computer.thaw();
        computer.turn_dials(|dials| *dials = Dials::default());
        // One that has ended by itself is not one of the faults.
        if computer.exit() == Some(Exit::Killed) {
            stage.boot(name).await?;
        }
    }
    if stage.mcp_url().await.is_err() {
        stage.start_bridge().await?;
    }
    Ok(())
}

async fn one(stage: &Stage, fault: &Fault, start: Instant) {
    sleep_until(start + Duration::from_millis(fault.at_ms)).await;
    if fault.kind.is_simulated_only() && stage.emulator.simulation.is_none() {
        return note(stage, fault, NOT_HERE);
    }
    note(stage, fault, "begins");
    let _ = begin(stage, fault).await;
    sleep(Duration::from_millis(fault.for_ms)).await;
    let _ = end(stage, fault).await;
    note(stage, fault, "ends");
}

fn note(stage: &Stage, fault: &Fault, word: &str) {
    let whose = fault.computer.as_deref().unwrap_or("the bridge");
    let line = format!("{:?} of {whose} {word}", fault.kind);
    stage.record.note(What::Log { log: "faults".to_owned(), line });
}

async fn begin(stage: &Stage, fault: &Fault) -> Tried {
    let Some(name) = &fault.computer else { return stage.kill_bridge().await };
    match fault.kind {
        Kind::KillBridge => return stage.kill_bridge().await,
        Kind::KillComputer => stage.computer(name)?.kill().await?,
        Kind::Reboot => return stage.reboot(name).await,
        Kind::Freeze => {
            stage.computer(name)?.freeze(Duration::from_millis(fault.for_ms));
        }
        Kind::ClockJump => {
            stage.computer(name)?.jump_clock(f64::from(fault.jump_ms) / 1000.0);
        }
        _ => return turn(stage, name, fault, true),
    }
    Ok(())
}

async fn end(stage: &Stage, fault: &Fault) -> Tried {
    let Some(name) = &fault.computer else { return stage.start_bridge().await };
    match fault.kind {
        Kind::KillBridge => return stage.start_bridge().await,
        Kind::KillComputer => {
            let was_killed = stage.computer(name)?.exit() == Some(Exit::Killed);
            return if was_killed { stage.boot(name).await } else { Ok(()) };
        }
        Kind::Reboot | Kind::ClockJump => {}
        Kind::Freeze => stage.computer(name)?.thaw(),
        _ => return turn(stage, name, fault, false),
    }
    Ok(())
}

/// Turns the dials of a fault on or off: those of the proxy, and those of the emulator.
fn turn(stage: &Stage, name: &str, fault: &Fault, on: bool) -> Tried {
    let proxy = stage.proxy()?;
    match fault.kind {
        Kind::Delay | Kind::Cut | Kind::HalfOpen | Kind::Unread => {
            proxy.set_conditions(name, |conditions| turn_link(conditions, fault, on));
            return Ok(());
        }
        Kind::RefuseHttp => {
            proxy.cut(name, on);
        }
        _ => {}
    }
    stage.computer(name)?.turn_dials(|dials| turn_dials(dials, fault, on));
    Ok(())
}

fn turn_link(conditions: &mut Conditions, fault: &Fault, on: bool) {
    let (towards, from) = match fault.towards {
        Towards::Bridge => (Side::Bridge, Side::Computer),
        Towards::Computer => (Side::Computer, Side::Bridge),
    };
    let direction = match fault.towards {
        Towards::Bridge => Direction::ToBridge,
        Towards::Computer => Direction::ToComputer,
    };
    match fault.kind {
        Kind::Delay => {
            let (least, jitter) = (fault.delay_ms, fault.jitter_ms);
            let delay = Delay { least: Duration::from_millis(least), jitter: Duration::from_millis(jitter) };
            *conditions.delay_mut(direction) = if on { delay } else { Delay::default() };
        }
        Kind::Cut => conditions.cut = on.then_some(direction),
        Kind::HalfOpen => conditions.half_open = on.then_some(towards),
        // What is sent to one side is what the other side sends.
        _ => conditions.unread = on.then_some(from),
    }
}

fn turn_dials(dials: &mut Dials, fault: &Fault, on: bool) {
    let chance = |chance| if on { chance } else { Chance::NEVER };
    let seconds = |ms: u64| Duration::from_millis(ms).as_secs_f64();
    match fault.kind {
        Kind::RefuseHttp => dials.http.refused = chance(Chance::ALWAYS),
        Kind::FullDisk => dials.disk.full = chance(Chance::ALWAYS),
        Kind::LoseMessages => dials.modem.lost = chance(Chance::HALF),
        Kind::DoubleMessages => dials.modem.doubled = chance(Chance::HALF),
        _ => {
            let (least, jitter) = (fault.delay_ms, fault.jitter_ms);
            dials.modem.delayed = chance(Chance::ALWAYS);
            dials.modem.delay = Span::between(seconds(least), seconds(least + jitter));
        }
    }
}
