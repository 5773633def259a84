//! Plays a scenario on one emulator and gives its transcript.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use thiserror::Error;

use super::file::{FrameOrder, Ready, ScenarioFile};
use super::load::Scenario;
use super::steps::{Scene, Step};
use super::transcript;
use crate::computer::{Exit, Spec};
use crate::emulators::Emulator;
use crate::faults::Violation;
use crate::places::Places;
use crate::record::Record;
use crate::report::trace::What;
use crate::servers::Servers;
use crate::stage::{Stage, StageError};

/// The longest step waits for a loop that never yields to be stopped: 17 s on CraftOS-PC.
const STEP: Duration = Duration::from_secs(60);

/// All steps of a scenario together.
const SCENARIO: Duration = Duration::from_secs(180);

/// What a bridge waits for an answer to a probe where the scenario says nothing: how busy a machine is decides nothing.
const PROBE_MS: u64 = 30_000;

/// What it waits for a computer's hello, for the same reason: a thousand that boot at once on a busy machine connect before
/// they have the time to speak. It is the bridge's own tests that show its usual limit.
const HELLO: Duration = Duration::from_secs(120);

/// A scenario that was played.
#[derive(Debug)]
pub struct Played {
    pub transcript: String,
    /// The last screens and lines of output, for a failure.
    pub last: String,
}

/// Why a scenario could not be played to its end.
#[derive(Debug, Error)]
pub enum PlayError {
    #[error("it failed before its first step")]
    Stage(#[source] Box<StageError>),
    #[error("step {number} (`{step}`) failed")]
    Step { number: usize, step: String, source: Box<StageError> },
    #[error("step {number} (`{step}`) took longer than {seconds} s\n{last}")]
    StepDeadline { number: usize, step: String, seconds: u64, last: String },
    #[error("the scenario took longer than {seconds} s, at step `{step}`")]
    Deadline { seconds: u64, step: String },
    #[error("{}", violations(.0))]
    Violated(Vec<Violation>),
    #[error("the scenario was played, and then something did not end as it should")]
    End(#[source] Box<StageError>),
}

impl PlayError {
    /// Whether something died that the scenario does not test: the emulator, the bridge or the harness.
    pub fn is_broken(&self) -> bool {
        match self {
            Self::Stage(source) | Self::Step { source, .. } | Self::End(source) => source.is_broken(),
            Self::StepDeadline { .. } | Self::Deadline { .. } | Self::Violated(_) => false,
        }
    }
}

fn violations(found: &[Violation]) -> String {
    found.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// Plays a scenario from the first boot to the last exit. What happens is in the record, also where it fails.
pub async fn play(
    scenario: &Scenario,
    emulator: &Emulator,
    places: &Places,
    bridge: Option<Vec<String>>,
    record: &Arc<Record>,
) -> Result<Played, PlayError> {
    let failed = |source: StageError| PlayError::Stage(Box::new(source));
    let sections = scenario.specs(places);
    record.step(0, "boot");
    let bridge = needs_bridge(&scenario.file).then(|| {
        let mut bridge = scenario.bridge(bridge, places);
        bridge.probe_timeout_ms.get_or_insert(PROBE_MS);
        bridge.hello_timeout = Some(HELLO);
        bridge
    });
    let version = scenario.file.mcp.get_ref();
    let setting = Stage::set_with(record.clone(), emulator.clone(), bridge, version, sections.concat());
    let mut stage = setting.await.map_err(failed)?;
    let servers = scenario.file.servers.iter();
    let servers = servers.map(|(name, server)| (name.clone(), server.get_ref().clone())).collect();
    stage.servers = Servers::new(servers, stage.net.dialer());
    let limit = scenario.file.deadline_s.as_ref();
    let limit = limit.map_or(SCENARIO, |seconds| Duration::from_secs(*seconds.get_ref()));
    let playing = tokio::time::timeout(limit, play_on(&stage, scenario, &sections));
    let played = if let Ok(played) = playing.await {
        played
    } else {
        let (seconds, step) = (limit.as_secs(), first_line(&record.present()));
        Err(PlayError::Deadline { seconds, step })
    };
    if let Err(error) = &played {
        record.note(What::Failed { failed: first_line(&error.to_string()) });
        stage.end().await;
    }
    let cleared = stage.clear().await;
    match (played, cleared) {
        (Ok(_), Err(source)) => Err(PlayError::End(Box::new(source))),
        (played, _) => played,
    }
}

/// A scenario whose computers do not run the program that links, and whose steps need no link, has no bridge.
pub(super) fn needs_bridge(file: &ScenarioFile) -> bool {
    let steps = file.steps.iter().flat_map(|step| step.get_ref().all());
    let mut computers = file.computers.iter().map(toml::Spanned::get_ref);
    computers.any(|computer| computer.program != "none" || computer.boot == Ready::Linked)
        || file.servers.values().any(|server| server.get_ref().names_bridge())
        || steps.into_iter().any(|step| step.act().needs_bridge())
}

async fn play_on(stage: &Stage, scenario: &Scenario, sections: &[Vec<Spec>]) -> Result<Played, PlayError> {
    let mut screens = BTreeMap::new();
    let names = |ready: Ready| -> Vec<String> {
        std::iter::zip(&scenario.file.computers, sections)
            .filter(|(computer, _)| computer.get_ref().boot == ready)
            .flat_map(|(_, specs)| specs.iter().map(|spec| spec.name.clone()))
            .collect()
    };
    let booting = async {
        stage.boot_and_link(&names(Ready::Linked)).await?;
        stage.boot_and_run(&names(Ready::Booted)).await
    };
    stage.unless_broken(booting).await.map_err(|source| PlayError::Stage(Box::new(source)))?;

    stage.keep_screens(&mut screens);
    let mut text = format!("# {}\n\n", scenario.file.about);
    for (index, step) in scenario.file.steps.iter().enumerate() {
        let (number, step) = (index + 1, step.get_ref());
        let title = step.act().title();
        stage.record.step(number, &title);
        let scene = Scene::now(stage);
        let limit = step.act().limit().map_or(STEP, |limit| limit.max(STEP));
        let acted = tokio::time::timeout(limit, stage.unless_broken(scene.play(step))).await;
        stage.keep_screens(&mut screens);
        match acted {
            Ok(Ok(lines)) => text.push_str(&lines),
            Ok(Err(source)) => {
                let (step, source) = (first_line(&title), Box::new(source));
                return Err(PlayError::Step { number, step, source });
            }
            Err(_) => {
                let (step, last, seconds) = (first_line(&title), stage.last(), limit.as_secs());
                return Err(PlayError::StepDeadline { number, step, seconds, last });
            }
        }
    }
    let last = stage.last();
    stage.record.step(scenario.file.steps.len() + 1, "end");
    let ended = stage.end().await;
    let at_the_end = |source: StageError| PlayError::End(Box::new(source));
    stage.ended_in_order(&ended).map_err(at_the_end)?;
    for name in ended.keys() {
        stage.gone(name).await.map_err(at_the_end)?;
    }
    text.push_str(&computers(stage, scenario, sections, &ended));
    Ok(Played { transcript: text, last })
}

/// The part of the transcript that tells of the computers.
fn computers(
    stage: &Stage,
    scenario: &Scenario,
    sections: &[Vec<Spec>],
    ended: &BTreeMap<String, (Exit, String)>,
) -> String {
    let how = transcript::How {
        port: stage.proxy().ok().map(|proxy| proxy.address.port()),
        greetings: scenario.file.greetings,
    };
    let steps: Vec<&Step> = scenario.file.steps.iter().flat_map(|step| step.get_ref().all()).collect();
    let awaited: Vec<&str> = steps.iter().filter_map(|step| step.act().awaited_output()).collect();
    let mut text = String::new();
    for specs in sections {
        let parts = specs.iter().filter_map(|spec| {
            let ended = ended.get(&spec.name)?;
            let mut links = stage.record.links(&spec.name);
            for link in &mut links {
                transcript::drop_unawaited_output(link, &awaited);
                if scenario.file.frames == FrameOrder::BySide {
                    transcript::part_sides(link);
                }
            }
            let printed = stage.computer(&spec.name).ok()?.printed_by_boot();
            Some((spec, transcript::computer(spec, &links, ended, printed.odd_lines(), how)))
        });
        text.push_str(&transcript::crowd(&parts.collect::<Vec<_>>()));
    }
    text
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}
