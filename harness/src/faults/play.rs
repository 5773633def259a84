//! Plays a plan on the computers of a scenario, in virtual or in real time. Transcripts are not compared: what has to hold
//! is looked at.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::time::{Instant, timeout};

use super::calls::Callers;
use super::users::When;
use super::watch::Watch;
use super::{Plan, Violation, inject, invariants};
use crate::client::Answer;
use crate::emulators::Emulator;
use crate::places::Places;
use crate::proxy::Meddler;
use crate::record::Record;
use crate::scenario::{PlayError, Scenario};
use crate::stage::{Stage, StageError};

/// After the last fault a computer waits 30 s at most before it connects again, and 15 s for its greeting.
const LINKED: Duration = Duration::from_secs(60);

/// How long a computer has to notice that its link has ended, before it is asked again.
const NOTICED: Duration = Duration::from_secs(1);

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
    pub wrong: Wrong,
}

/// What is changed on its way, as a wrong bridge or a wrong computer would: for tests of what has to hold.
#[derive(Debug, Clone, Default)]
pub struct Wrong {
    /// The frames of links.
    pub frames: Option<Meddler>,
    /// The messages of clients.
    pub messages: Option<mcp_host::client::Meddler>,
}

/// Plays a plan; what did not hold is the error's text.
pub async fn play(given: Given<'_>, record: &Arc<Record>, plan: &Plan) -> Result<(), PlayError> {
    match timeout(WHOLE, Box::pin(play_within(given, record, plan))).await {
        Ok(played) => played,
        Err(_) => Err(PlayError::Deadline { seconds: WHOLE.as_secs(), step: record.present() }),
    }
}

async fn play_within(given: Given<'_>, record: &Arc<Record>, plan: &Plan) -> Result<(), PlayError> {
    let Given { scenario, emulator, places, bridge, wrong } = given;
    let failed = |source: StageError| PlayError::Stage(Box::new(source));
    let names = scenario.linked_names();
    let specs = scenario.specs(places).concat();
    let specs = specs.into_iter().filter(|spec| names.contains(&spec.name)).collect();
    let version = scenario.file.mcp.get_ref();
    record.step(0, "boot");
    let bridge = Some(scenario.bridge(bridge, places));
    let setting = Stage::set_with(record.clone(), emulator.clone(), bridge, version, specs);
    let stage = setting.await.map_err(failed)?;
    stage.proxy().map_err(failed)?.set_meddler(wrong.frames);
    stage.boot_and_link(&names).await.map_err(failed)?;
    let watch = Watch::new(&stage, plan, &names);
    let callers = Callers { stage: &stage, version, meddler: wrong.messages, watch: &watch };
    let disturbed = tokio::select! {
        biased;
        disturbed = disturb(&callers, plan, &names) => disturbed,
        () = watch.violated() => Ok(()),
        never = watch.keep_looking() => never,
    };
    disturbed.map_err(failed)?;
    let found = watch.found();
    if !found.is_empty() {
        stage.keep_screens(&mut BTreeMap::new());
        return Err(PlayError::Violated(found));
    }
    let ended = stage.end().await;
    let at_the_end = |source: StageError| PlayError::End(Box::new(source));
    stage.ended_in_order(&ended).map_err(at_the_end)?;
    stage.clear().await.map_err(at_the_end)
}

/// Lets things go wrong while calls are made, and sees that everything works again afterwards.
async fn disturb(callers: &Callers<'_>, plan: &Plan, names: &[String]) -> Result<(), StageError> {
    let Callers { stage, watch, .. } = callers;
    stage.record.step(1, "faults and calls");
    let start = Instant::now();
    let ((), connections) = tokio::join!(inject::inject(stage, plan, start), callers.make(plan, start));
    watch.find(invariants::check_connections(&connections));
    // What should have been cancelled would have ended by then.
    tokio::time::sleep_until(start + plan.longest()).await;
    stage.record.step(2, "everything works again");
    watch.look();
    watch.find(recover(stage, names).await?);
    watch.ask(When::After, true).await;
    Ok(())
}

/// Ends all faults, and sees that every computer is linked again and answers, and that nothing waits.
async fn recover(stage: &Stage, names: &[String]) -> Result<Vec<Violation>, StageError> {
    let mut found = Vec::new();
    inject::heal(stage, names).await?;
    let until = Instant::now() + LINKED;
    loop {
        for name in names {
            let left = until.saturating_duration_since(Instant::now());
            if !matches!(timeout(left, stage.linked(name)).await, Ok(Ok(()))) {
                let found_text = format!("{name} is not, after {} s", LINKED.as_secs());
                found.push(Violation::of("after the last fault every computer is linked", found_text));
            }
        }
        if !found.is_empty() {
            break;
        }
        let answer = stage.call("probe-computers", json!({})).await?;
        if all_answer(&answer, ids(stage, names)) {
            break;
        }
        if Instant::now() >= until {
            found.push(Violation::of("a linked computer answers", format!("{answer:?}")));
            break;
        }
        // A link may have ended that is only read again since the faults have.
        tokio::time::sleep(NOTICED).await;
    }
    found.extend(invariants::nothing_waits(stage).await);
    Ok(found)
}

/// Whether so many computers have answered a probe.
fn all_answer(answer: &Answer, computers: usize) -> bool {
    let Answer::Result(called) = answer else { return false };
    called.text.lines().filter(|line| line.starts_with("pong from ")).count() >= computers
}

/// How many computers the bridge can tell apart: those with one id are one.
fn ids(stage: &Stage, names: &[String]) -> usize {
    let ids: std::collections::BTreeSet<u32> =
        names.iter().filter_map(|name| stage.id_of(name).ok()).collect();
    ids.len()
}
