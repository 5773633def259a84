//! Makes the faults of a plan happen, each at its time, and ends them.

use std::time::Duration;

use futures_util::future::join_all;
use tokio::time::{Instant, sleep, sleep_until};

use super::{Fault, Kind, Plan, Towards};
use crate::computer::Exit;
use crate::proxy::{Conditions, Delay, Direction, Side};
use crate::report::trace::What;
use crate::stage::{Stage, StageError};

/// Faults that lie over each other may meet a bridge or a computer that is down already: then they change nothing.
type Tried = Result<(), StageError>;

/// Waits until all faults have happened and ended.
pub async fn inject(stage: &Stage, plan: &Plan, start: Instant) {
    join_all(plan.faults.iter().map(|fault| one(stage, fault, start))).await;
}

/// Ends what faults that lie over each other have left: everything runs, and nothing is suffered.
pub async fn heal(stage: &Stage, names: &[String]) -> Tried {
    for name in names {
        stage.proxy()?.set_conditions(name, |conditions| *conditions = Conditions::default());
        // One that has ended by itself is not one of the faults.
        let was_killed = stage.computer(name).is_ok_and(|computer| computer.exit() == Some(Exit::Killed));
        if was_killed {
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
    let turn = |turn: &dyn Fn(&mut Conditions)| -> Tried {
        stage.proxy()?.set_conditions(name, |conditions| turn(conditions));
        Ok(())
    };
    match fault.kind {
        Kind::Delay => turn(&|conditions| {
            let (least, jitter) = (fault.delay_ms, fault.jitter_ms);
            let delay = Delay { least: Duration::from_millis(least), jitter: Duration::from_millis(jitter) };
            *delay_of(conditions, fault.towards) = delay;
        }),
        Kind::Cut => turn(&|conditions| {
            conditions.cut = Some(match fault.towards {
                Towards::Bridge => Direction::ToBridge,
                Towards::Computer => Direction::ToComputer,
            });
        }),
        Kind::HalfOpen => turn(&|conditions| conditions.half_open = Some(side(fault.towards))),
        // What is sent to one side is what the other side sends.
        Kind::Unread => turn(&|conditions| {
            conditions.unread = Some(match fault.towards {
                Towards::Bridge => Side::Computer,
                Towards::Computer => Side::Bridge,
            });
        }),
        Kind::KillBridge => stage.kill_bridge().await,
        Kind::KillComputer => Ok(stage.computer(name)?.kill().await?),
        Kind::Reboot => stage.reboot(name).await,
    }
}

async fn end(stage: &Stage, fault: &Fault) -> Tried {
    let Some(name) = &fault.computer else { return stage.start_bridge().await };
    match fault.kind {
        Kind::KillBridge => return stage.start_bridge().await,
        Kind::KillComputer => {
            let was_killed = stage.computer(name)?.exit() == Some(Exit::Killed);
            return if was_killed { stage.boot(name).await } else { Ok(()) };
        }
        Kind::Reboot => return Ok(()),
        Kind::Delay | Kind::Cut | Kind::HalfOpen | Kind::Unread => {}
    }
    stage.proxy()?.set_conditions(name, |conditions| match fault.kind {
        Kind::Delay => *delay_of(conditions, fault.towards) = Delay::default(),
        Kind::Cut => conditions.cut = None,
        Kind::HalfOpen => conditions.half_open = None,
        _ => conditions.unread = None,
    });
    Ok(())
}

fn delay_of(conditions: &mut Conditions, towards: Towards) -> &mut Delay {
    match towards {
        Towards::Bridge => &mut conditions.to_bridge,
        Towards::Computer => &mut conditions.to_computer,
    }
}

fn side(towards: Towards) -> Side {
    match towards {
        Towards::Bridge => Side::Bridge,
        Towards::Computer => Side::Computer,
    }
}
