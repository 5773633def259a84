//! The steps of a scenario, as they are written: a table with one key, which says what is done.

use serde::Deserialize;
use serde_json::Value;

/// One step.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Step {
    /// Says something to the reader.
    Say(String),
    /// Calls a tool.
    Call(Call),
    /// Calls `exec-lua`.
    Exec(Exec),
    Boot(String),
    /// Asks a computer to turn itself off.
    Stop(String),
    /// Kills a computer's process.
    Kill(String),
    /// Starts a computer anew, from inside.
    Reboot(String),
    /// Cuts a computer's way to the bridge, and restores it.
    Cut(String),
    Restore(String),
    /// Holds back what a computer sends, and lets it through again.
    Mute(String),
    Unmute(String),
    Bridge(BridgeStep),
    Wait(Wait),
    Put(Put),
    Read(Read),
    /// Queues an event on a computer.
    Event(EventStep),
    /// Raises a timer of a computer before its time.
    Timer(TimerStep),
    Frame(FrameStep),
    /// Several sequences of steps at once.
    Together(Vec<Vec<Step>>),
    /// Steps that have to be done in a time.
    Within(Within),
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Call {
    pub tool: String,
    /// Another server than the bridge.
    pub server: Option<String>,
    #[serde(default)]
    pub arguments: Value,
    /// Cancels the call once a frame of the link contains this.
    pub cancel_after: Option<CancelAfter>,
    /// Whether the transcript shows what came as progress.
    #[serde(default)]
    pub progress: bool,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exec {
    pub computer: u64,
    pub code: String,
    pub timeout_ms: Option<u64>,
    /// Cancels the call once a frame of the link contains this.
    pub cancel_after: Option<CancelAfter>,
    /// Whether the transcript shows what came as progress.
    #[serde(default)]
    pub progress: bool,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CancelAfter {
    pub computer: String,
    pub frame: String,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BridgeStep {
    Start,
    Stop,
    Restart,
}

/// A condition on a computer.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Wait {
    Linked(String),
    /// Its last link has ended.
    Left(String),
    /// Its process has ended.
    Ended(String),
    Shows(Shows),
    Frame(Seen),
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shows {
    pub computer: String,
    pub text: String,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seen {
    pub computer: String,
    pub text: String,
    #[serde(default = "once")]
    pub times: usize,
}

fn once() -> usize {
    1
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Put {
    pub computer: String,
    pub path: String,
    pub text: String,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Read {
    pub computer: String,
    pub path: String,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventStep {
    pub computer: String,
    pub name: String,
    #[serde(default)]
    pub values: Vec<Value>,
}

/// The newest timer that was started with this duration.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimerStep {
    pub computer: String,
    pub seconds: f64,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Within {
    pub seconds: u64,
    pub steps: Vec<Step>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FrameStep {
    pub computer: String,
    pub to: Side,
    pub text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    Bridge,
    Computer,
}

impl Step {
    /// Whether a call of another server is to be cancelled, which only calls of the bridge can be.
    pub fn cancels_a_server(&self) -> bool {
        match self {
            Self::Call(call) => call.server.is_some() && call.cancel_after.is_some(),
            Self::Together(sequences) => sequences.iter().flatten().any(Self::cancels_a_server),
            Self::Within(within) => within.steps.iter().any(Self::cancels_a_server),
            _ => false,
        }
    }

    /// The servers that a step names, for a check before anything runs.
    pub fn servers(&self) -> Vec<&str> {
        match self {
            Self::Call(call) => call.server.as_deref().into_iter().collect(),
            Self::Together(sequences) => sequences.iter().flatten().flat_map(Self::servers).collect(),
            Self::Within(within) => within.steps.iter().flat_map(Self::servers).collect(),
            _ => Vec::new(),
        }
    }

    /// The texts of frames that a step waits for.
    pub fn awaited(&self) -> Vec<&str> {
        match self {
            Self::Wait(Wait::Frame(seen)) => vec![&seen.text],
            Self::Call(Call { cancel_after, .. }) | Self::Exec(Exec { cancel_after, .. }) => {
                cancel_after.iter().map(|after| after.frame.as_str()).collect()
            }
            Self::Together(sequences) => sequences.iter().flatten().flat_map(Self::awaited).collect(),
            Self::Within(within) => within.steps.iter().flat_map(Self::awaited).collect(),
            _ => Vec::new(),
        }
    }

    /// The computers that a step names, for a check before anything runs.
    pub fn computers(&self) -> Vec<&str> {
        match self {
            Self::Say(_) | Self::Bridge(_) => Vec::new(),
            Self::Call(Call { cancel_after, .. }) | Self::Exec(Exec { cancel_after, .. }) => {
                cancel_after.iter().map(|after| after.computer.as_str()).collect()
            }
            Self::Boot(name)
            | Self::Stop(name)
            | Self::Kill(name)
            | Self::Reboot(name)
            | Self::Cut(name)
            | Self::Restore(name)
            | Self::Mute(name)
            | Self::Unmute(name)
            | Self::Wait(Wait::Linked(name) | Wait::Left(name) | Wait::Ended(name)) => vec![name],
            Self::Wait(Wait::Shows(shows)) => vec![&shows.computer],
            Self::Wait(Wait::Frame(seen)) => vec![&seen.computer],
            Self::Put(put) => vec![&put.computer],
            Self::Read(read) => vec![&read.computer],
            Self::Event(event) => vec![&event.computer],
            Self::Timer(timer) => vec![&timer.computer],
            Self::Frame(frame) => vec![&frame.computer],
            Self::Together(sequences) => sequences.iter().flatten().flat_map(Self::computers).collect(),
            Self::Within(within) => within.steps.iter().flat_map(Self::computers).collect(),
        }
    }
}
