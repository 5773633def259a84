//! Plays a plan on the computers of a scenario, in virtual or in real time. Transcripts are not compared: what has to hold
//! is looked at.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::time::{Instant, timeout};

use super::{Plan, Violation, calls, inject, invariants};
use crate::client::Answer;
use crate::emulators::Emulator;
use crate::places::Places;
use crate::proxy::Meddler;
use crate::record::Record;
use crate::scenario::{PlayError, Scenario};
use crate::stage::{Stage, StageError};

/// After the last fault a computer waits 30 s at most before it connects again, and 15 s for its greeting.
const LINKED: Duration = Duration::from_secs(60);

/// What the bridge may take to notice that a link or a client is gone: three pings without an answer.
const NOTICED: Duration = Duration::from_secs(60);

/// All of it together: minutes of faults, and of waiting for what should not happen.
const WHOLE: Duration = Duration::from_secs(600);

/// What a plan is played on.
#[derive(Debug)]
pub struct Given<'a> {
    pub scenario: &'a Scenario,
    pub emulator: &'a Emulator,
    pub places: &'a Places,
    /// A bridge of the user's.
    pub bridge: Option<Vec<String>>,
    pub meddler: Option<Meddler>,
}

/// Plays a plan; what did not hold is the error's text.
pub async fn play(given: Given<'_>, record: &Arc<Record>, plan: &Plan) -> Result<(), PlayError> {
    match timeout(WHOLE, play_within(given, record, plan)).await {
        Ok(played) => played,
        Err(_) => Err(PlayError::Deadline { seconds: WHOLE.as_secs(), step: record.present() }),
    }
}

async fn play_within(given: Given<'_>, record: &Arc<Record>, plan: &Plan) -> Result<(), PlayError> {
    let Given { scenario, emulator, places, bridge, meddler } = given;
    let failed = |source: StageError| PlayError::Stage(Box::new(source));
    let names = scenario.linked_names(places);
    let specs = scenario.specs(places).concat();
    let specs = specs.into_iter().filter(|spec| names.contains(&spec.name)).collect();
    let version = scenario.file.mcp.get_ref();
    record.step(0, "boot");
    let bridge = Some(scenario.bridge(bridge, places));
    let setting = Stage::set_with(record.clone(), emulator.clone(), bridge, version, specs);
    let stage = setting.await.map_err(failed)?;
    stage.proxy().map_err(failed)?.set_meddler(meddler);
    stage.boot_and_link(&names).await.map_err(failed)?;
    record.step(1, "faults and calls");
    let start = Instant::now();
    let ((), (made, connections)) =
        tokio::join!(inject::inject(&stage, plan, start), calls::make(&stage, plan, version, start));
    // What should have been cancelled would have ended by then.
    tokio::time::sleep_until(start + plan.longest()).await;
    record.step(2, "everything works again");
    let mut found = recover(&stage, &names).await.map_err(failed)?;
    stage.end().await;
    found.extend(invariants::check_calls(&stage, plan, &made));
    found.extend(invariants::check_connections(&connections));
    let _ = stage.clear().await;
    if found.is_empty() { Ok(()) } else { Err(PlayError::Violated(found)) }
}

/// Ends all faults, and sees that every computer is linked again and answers, and that nothing waits.
async fn recover(stage: &Stage, names: &[String]) -> Result<Vec<Violation>, StageError> {
    let mut found = Vec::new();
    inject::heal(stage, names).await?;
    let since = Instant::now();
    for name in names {
        let left = (since + LINKED).saturating_duration_since(Instant::now());
        if !matches!(timeout(left, stage.linked(name)).await, Ok(Ok(()))) {
            let found_text = format!("{name} is not, after {} s", LINKED.as_secs());
            found.push(Violation {
                invariant: "after the last fault every computer is linked",
                found: found_text,
            });
        }
    }
    if found.is_empty() {
        match stage.call("probe-computers", json!({})).await? {
            Answer::Result(called)
                if called.text.lines().filter(|line| line.starts_with("pong from ")).count()
                    >= ids(stage, names) => {}
            answer => {
                let found_text = format!("{answer:?}");
                found.push(Violation { invariant: "a linked computer answers", found: found_text });
            }
        }
    }
    let deadline = Instant::now() + NOTICED;
    while stage.waiting().await > 0 && Instant::now() < deadline {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let waiting = stage.waiting().await;
    if waiting > 0 {
        let found_text = format!("{waiting} requests wait, after {} s", NOTICED.as_secs());
        found.push(Violation { invariant: "nothing waits for ever", found: found_text });
    }
    Ok(found)
}

/// How many computers the bridge can tell apart: those with one id are one.
fn ids(stage: &Stage, names: &[String]) -> usize {
    let ids: std::collections::BTreeSet<u32> =
        names.iter().filter_map(|name| stage.id_of(name).ok()).collect();
    ids.len()
}
