//! Plays a scenario on one emulator and gives its transcript.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, try_join_all};
use serde_json::{Value, json};
use thiserror::Error;

use super::file::{FrameOrder, Ready};
use super::load::Scenario;
use super::names::{Names, canonical, shorten};
use super::steps::{BridgeStep, CancelAfter, Side, Step, Wait};
use super::transcript;
use crate::computer::{Command, ComputerError, Spec};
use crate::emulators::Emulator;
use crate::places::Places;
use crate::record::{Direction, Record};
use crate::report::trace::What;
use crate::servers::Servers;
use crate::stage::{Stage, StageError};

/// The longest step waits for a loop that never yields to be stopped: 17 s on CraftOS-PC.
const STEP: Duration = Duration::from_secs(60);

/// All steps of a scenario together.
const SCENARIO: Duration = Duration::from_secs(180);

/// What a bridge waits for an answer to a probe where the scenario says nothing: how busy a machine is decides nothing.
const PROBE_MS: u64 = 30_000;

/// What a process may take to end by itself once a step waits for that.
const ENDS: Duration = Duration::from_secs(30);

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
    #[error("failed to set the stage")]
    Stage(#[source] StageError),
    #[error("step {number} (`{step}`) failed\n{last}")]
    Step { number: usize, step: String, last: String, source: StageError },
    #[error("step {number} (`{step}`) took longer than {seconds} s\n{last}")]
    StepDeadline { number: usize, step: String, seconds: u64, last: String },
    #[error("the scenario took longer than {seconds} s, at step `{step}`")]
    Deadline { seconds: u64, step: String },
}

impl PlayError {
    /// Whether something died that the scenario does not test: the emulator, the bridge or the harness.
    pub fn is_broken(&self) -> bool {
        match self {
            Self::Stage(source) | Self::Step { source, .. } => source.is_broken(),
            Self::StepDeadline { .. } | Self::Deadline { .. } => false,
        }
    }
}

/// Plays a scenario from the first boot to the last exit. What happens is in the record, also where it fails.
pub async fn play(
    scenario: &Scenario,
    emulator: &Emulator,
    places: &Places,
    bridge: Option<Vec<String>>,
    record: &Arc<Record>,
) -> Result<Played, PlayError> {
    let sections = scenario.specs(places);
    record.step(0, "boot");
    let mut bridge = scenario.bridge(bridge, places);
    bridge.probe_timeout_ms.get_or_insert(PROBE_MS);
    let setting =
        Stage::set_on(record.clone(), emulator.clone(), bridge, &scenario.file.mcp, sections.concat());
    let mut stage = setting.await.map_err(PlayError::Stage)?;
    stage.servers = Servers::new(scenario.file.servers.clone());
    let limit = scenario.file.deadline_s.map_or(SCENARIO, Duration::from_secs);
    let playing = tokio::time::timeout(limit, play_on(&stage, scenario, &sections));
    let played = if let Ok(played) = playing.await {
        played
    } else {
        let (seconds, step) = (limit.as_secs(), first_line(&record.present()));
        Err(PlayError::Deadline { seconds, step })
    };
    if let Err(error) = &played {
        let failed = error.to_string().lines().next().unwrap_or_default().to_owned();
        record.note(What::Failed { failed });
        stage.end().await;
    }
    stage.clear().await;
    played
}

async fn play_on(stage: &Stage, scenario: &Scenario, sections: &[Vec<Spec>]) -> Result<Played, PlayError> {
    let mut screens = BTreeMap::new();
    let first: Vec<String> = std::iter::zip(&scenario.file.computers, sections)
        .filter(|(computer, _)| computer.boot == Ready::Linked)
        .flat_map(|(_, specs)| specs.iter().map(|spec| spec.name.clone()))
        .collect();
    stage.boot_and_link(&first).await.map_err(PlayError::Stage)?;

    stage.keep_screens(&mut screens);
    let mut text = format!("# {}\n\n", scenario.file.about);
    for (index, step) in scenario.file.steps.iter().enumerate() {
        let number = index + 1;
        let shown = || first_line(&title(step));
        stage.record.step(number, &title(step));
        let acted = tokio::time::timeout(STEP, act(stage, step)).await;
        stage.keep_screens(&mut screens);
        match acted {
            Ok(Ok(lines)) => text.push_str(&lines),
            Ok(Err(source)) => {
                let (step, last) = (shown(), stage.last());
                return Err(PlayError::Step { number, step, last, source });
            }
            Err(_) => {
                let (step, last, seconds) = (shown(), stage.last(), STEP.as_secs());
                return Err(PlayError::StepDeadline { number, step, seconds, last });
            }
        }
    }
    let last = stage.last();
    stage.record.step(scenario.file.steps.len() + 1, "end");
    let ended = stage.end().await;
    for name in ended.keys() {
        let gone = stage.until(name, "gone", |record| record.has_left(name)).await;
        gone.map_err(PlayError::Stage)?;
    }
    let port = stage.proxy.address.port();
    let awaited: Vec<&str> = scenario.file.steps.iter().flat_map(Step::awaited).collect();
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
            Some((spec, transcript::computer(spec, &links, ended, port)))
        });
        text.push_str(&transcript::crowd(&parts.collect::<Vec<_>>()));
    }
    Ok(Played { transcript: text, last })
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}

/// The heading of a step.
fn title(step: &Step) -> String {
    match step {
        Step::Say(text) => format!("-- {text}"),
        Step::Call(call) => {
            let server = call.server.as_ref().map_or_else(String::new, |server| format!(" of {server}"));
            let arguments = Some(&call.arguments).filter(|arguments| !arguments.is_null());
            let arguments = arguments.map_or_else(String::new, |value| format!(" {}", canonical(value)));
            format!("call {}{server}{arguments}", call.tool)
        }
        Step::Exec(exec) => {
            let limit = exec.timeout_ms.map_or_else(String::new, |limit| format!(" within {limit} ms"));
            format!("exec on {}{limit}: {}", exec.computer, shorten(exec.code.trim()))
        }
        Step::Boot(name) => format!("boot {name}"),
        Step::Stop(name) => format!("stop {name}"),
        Step::Kill(name) => format!("kill {name}"),
        Step::Reboot(name) => format!("reboot {name}"),
        Step::Cut(name) => format!("cut off {name}"),
        Step::Restore(name) => format!("restore {name}"),
        Step::Mute(name) => format!("hold back what {name} sends"),
        Step::Unmute(name) => format!("let through what {name} sends"),
        Step::Bridge(BridgeStep::Start) => "start the bridge".to_owned(),
        Step::Bridge(BridgeStep::Stop) => "stop the bridge".to_owned(),
        Step::Bridge(BridgeStep::Restart) => "restart the bridge".to_owned(),
        Step::Wait(Wait::Linked(name)) => format!("{name} is linked"),
        Step::Wait(Wait::Left(name)) => format!("{name} has left"),
        Step::Wait(Wait::Ended(name)) => format!("{name} has ended"),
        Step::Wait(Wait::Shows(shows)) => format!("{} shows: {}", shows.computer, shows.text),
        Step::Wait(Wait::Frame(seen)) => format!("the link of {} has carried: {}", seen.computer, seen.text),
        Step::Put(put) => format!("put {} on {}", put.path, put.computer),
        Step::Read(read) => format!("read {} of {}", read.path, read.computer),
        Step::Event(event) => {
            format!("event {} {} on {}", event.name, Value::from(event.values.clone()), event.computer)
        }
        Step::Timer(timer) => format!("raise the timer of {} s on {}", timer.seconds, timer.computer),
        Step::Frame(frame) if frame.to == Side::Bridge => {
            format!("frame to the bridge, as {}: {}", frame.computer, shorten(&frame.text))
        }
        Step::Frame(frame) => format!("frame to {}: {}", frame.computer, shorten(&frame.text)),
        Step::Together(_) => "at once:".to_owned(),
        Step::Within(within) => format!("within {} s:", within.seconds),
    }
}

fn act<'a>(stage: &'a Stage, step: &'a Step) -> BoxFuture<'a, Result<String, StageError>> {
    async move {
        let body = perform(stage, step).await?;
        let title = title(step).replace('\n', "\n      ");
        Ok(format!("{title}\n{}", transcript::indent(&body)))
    }
    .boxed()
}

/// Does a step and gives what is to be read of it.
async fn perform(stage: &Stage, step: &Step) -> Result<String, StageError> {
    let nothing = String::new();
    match step {
        Step::Say(_) => {}
        Step::Call(call) => {
            let arguments = call.arguments.clone();
            if let Some(server) = &call.server {
                let answer = stage.call_server(server, &call.tool, arguments).await?;
                return Ok(transcript::answer(&answer, &Names::default(), call.progress));
            }
            return perform_call(stage, &call.tool, arguments, call.cancel_after.as_ref(), call.progress)
                .await;
        }
        Step::Exec(exec) => {
            let mut arguments = json!({ "computerId": exec.computer, "code": exec.code });
            if let Some(limit) = exec.timeout_ms {
                arguments["timeoutMs"] = limit.into();
            }
            return perform_call(stage, "exec-lua", arguments, exec.cancel_after.as_ref(), exec.progress)
                .await;
        }
        Step::Boot(name) => stage.boot(name).await?,
        Step::Stop(name) => {
            let exit = stage.computer(name)?.stop().await?;
            stage.until(name, "gone", |record| record.has_left(name)).await?;
            return Ok(exit.to_string());
        }
        Step::Kill(name) => {
            stage.computer(name)?.kill().await?;
            stage.until(name, "gone", |record| record.has_left(name)).await?;
        }
        Step::Reboot(name) => {
            stage.computer(name)?.reboot().await?;
            stage.until(name, "gone", |record| record.has_left(name)).await?;
        }
        Step::Cut(name) => {
            stage.proxy.cut(name, true);
            stage.until(name, "cut off", |record| record.has_left(name)).await?;
        }
        Step::Restore(name) => stage.proxy.cut(name, false),
        Step::Mute(name) => stage.proxy.mute(name, true),
        Step::Unmute(name) => stage.proxy.mute(name, false),
        Step::Bridge(BridgeStep::Start) => stage.start_bridge().await?,
        Step::Bridge(BridgeStep::Stop) => stage.stop_bridge().await?,
        Step::Bridge(BridgeStep::Restart) => {
            stage.stop_bridge().await?;
            stage.start_bridge().await?;
        }
        Step::Wait(wait) => return perform_wait(stage, wait).await,
        Step::Put(put) => {
            let computer = stage.computer(&put.computer)?;
            computer.folder().put(&put.path, put.text.as_bytes()).map_err(ComputerError::from)?;
        }
        Step::Read(read) => {
            let computer = stage.computer(&read.computer)?;
            let bytes = computer.folder().read(&read.path).map_err(ComputerError::from)?;
            return Ok(bytes.map_or_else(
                || "there is no such file".to_owned(),
                |bytes| shorten(&String::from_utf8_lossy(&bytes)),
            ));
        }
        Step::Event(event) => {
            let command = Command::event(&event.name, &event.values);
            stage.computer(&event.computer)?.command(&command).await?;
        }
        Step::Timer(timer) => {
            stage.computer(&timer.computer)?.command(&Command::timer(timer.seconds)).await?;
        }
        Step::Frame(frame) => {
            let direction = match frame.to {
                Side::Bridge => Direction::ToBridge,
                Side::Computer => Direction::ToComputer,
            };
            if !stage.proxy.send(&frame.computer, direction, &frame.text) {
                return Err(StageError::NoLink(frame.computer.clone()));
            }
        }
        Step::Together(sequences) => {
            let playing = sequences.iter().map(|sequence| act_all(stage, sequence));
            return Ok(try_join_all(playing).await?.concat());
        }
        Step::Within(within) => {
            let limit = Duration::from_secs(within.seconds);
            let acted = tokio::time::timeout(limit, act_all(stage, &within.steps)).await;
            return acted.unwrap_or(Err(StageError::Within(within.seconds)));
        }
    }
    Ok(nothing)
}

async fn act_all(stage: &Stage, steps: &[Step]) -> Result<String, StageError> {
    let mut text = String::new();
    for step in steps {
        text.push_str(&act(stage, step).await?);
    }
    Ok(text)
}

async fn perform_call(
    stage: &Stage,
    tool: &str,
    arguments: Value,
    cancel_after: Option<&CancelAfter>,
    progress: bool,
) -> Result<String, StageError> {
    let cancel = cancel_after.map(|after| async move {
        let seen = |record: &Record| record.frames_with(&after.computer, &after.frame) > 0;
        // Where the frame never comes, the call's own deadline ends the step.
        if stage.until(&after.computer, "carried", seen).await.is_err() {
            std::future::pending::<()>().await;
        }
    });
    match stage.call_unless(tool, arguments, cancel).await? {
        None => Ok("cancelled by the client\n".to_owned()),
        Some(answer) => Ok(transcript::answer(&answer, &Names::default(), progress)),
    }
}

async fn perform_wait(stage: &Stage, wait: &Wait) -> Result<String, StageError> {
    match wait {
        Wait::Linked(name) => stage.linked(name).await?,
        Wait::Left(name) => stage.until(name, "gone", |record| record.has_left(name)).await?,
        Wait::Ended(name) => {
            return Ok(stage.computer(name)?.exited(ENDS).await?.to_string());
        }
        Wait::Shows(shows) => {
            stage.computer(&shows.computer)?.shows(&shows.text, 1, ENDS).await?;
        }
        Wait::Frame(seen) => {
            let carried = |record: &Record| record.frames_with(&seen.computer, &seen.text) >= seen.times;
            stage.until(&seen.computer, &format!("carried `{}`", seen.text), carried).await?;
        }
    }
    Ok(String::new())
}
