//! `scenario.toml` as it is written. Strict: a key that is not here is an error. craftos-fixtures/README.md explains
//! every key.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

use super::disk::OnDisk;
use super::must_fail::MustFail;
use super::steps::Step;
use super::world::{PeripheralSection, SocketSection, StubSection};
use crate::computer::Limits;
use crate::emulators::Kind;
use crate::faults::{Call, Fault, Invariant, Plan, Profile};
use crate::servers::ServerSection;

/// The whole file.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScenarioFile {
    /// What the scenario shows, in a sentence: the first line of its transcript.
    pub about: String,
    /// The version of MCP that the client speaks.
    #[serde(default = "default_mcp")]
    pub mcp: Spanned<String>,
    /// How long all steps together may take; the harness's own limit without it.
    pub deadline_s: Option<Spanned<u64>>,
    /// How the frames of a link are told.
    #[serde(default)]
    pub frames: FrameOrder,
    /// Emulators that it cannot run on, each with the reason.
    #[serde(default)]
    pub skip: BTreeMap<Kind, String>,
    /// Emulators on which it is known to go otherwise, each with the reason. Their transcript has a snapshot of its own.
    #[serde(default)]
    pub differs: BTreeMap<Kind, String>,
    /// Why it cannot be played in virtual time, where it cannot.
    pub not_simulated: Option<String>,
    /// What goes wrong while calls are made, in place of the steps.
    pub faults: Option<Spanned<FaultsSection>>,
    #[serde(default)]
    pub bridge: BridgeSection,
    /// Other MCP servers, by name.
    #[serde(default)]
    pub servers: BTreeMap<String, Spanned<ServerSection>>,
    #[serde(default)]
    pub computers: Vec<Spanned<ComputerSection>>,
    #[serde(default)]
    pub steps: Vec<Spanned<Step>>,
    /// How the greeting of a link is told.
    #[serde(default)]
    pub greetings: Greetings,
    /// Changes of this scenario, each of which has to make it fail.
    #[serde(default)]
    pub must_fail: Vec<Spanned<MustFail>>,
}

/// Faults by the name of their profile, or each with its time, and the calls that are made meanwhile.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FaultsSection {
    pub profile: Option<Spanned<Profile>>,
    #[serde(default)]
    pub faults: Vec<Spanned<Fault>>,
    #[serde(default)]
    pub calls: Vec<Spanned<Call>>,
    /// What has to hold besides, on the computers.
    #[serde(default)]
    pub invariants: Vec<Spanned<Invariant>>,
}

impl FaultsSection {
    /// The plan for these computers.
    pub fn plan(&self, seed: u64, computers: &[String]) -> Plan {
        let written = || Plan { faults: values(&self.faults), calls: values(&self.calls), ..Plan::default() };
        let profile = self.profile.as_ref().map(|profile| *profile.get_ref());
        profile.map_or_else(written, |profile| Plan::draw(profile, seed, computers))
    }

    /// What users want to hold.
    pub fn invariants(&self) -> Vec<Invariant> {
        values(&self.invariants)
    }
}

fn values<T: Clone>(written: &[Spanned<T>]) -> Vec<T> {
    written.iter().map(|one| one.get_ref().clone()).collect()
}

/// How the greeting of a link is told: a hello and its answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Greetings {
    /// In one line, which does not change when a capability is added.
    #[default]
    Brief,
    /// As the frames that they are.
    Full,
}

/// How the frames of a link are told.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FrameOrder {
    /// As they crossed.
    #[default]
    AsSeen,
    /// Each side for itself: where both speak at once, which of them is first is chance.
    BySide,
}

fn default_mcp() -> Spanned<String> {
    Spanned::new(0..0, crate::client::DEFAULT_VERSION.to_owned())
}

/// How the bridge is started.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BridgeSection {
    pub probe_timeout_ms: Option<u64>,
    pub exec_timeout_ms: Option<u64>,
    pub link_token: Option<String>,
    pub mcp_token: Option<String>,
    /// Folders with tools declared in Lua; `{program}` is the folder of the program.
    #[serde(default)]
    pub tools: Vec<Spanned<String>>,
}

/// One computer, or many that are alike.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ComputerSection {
    pub id: Option<u32>,
    /// Many: `0-999`, `1,5,7-9`. Each is called by its id.
    pub ids: Option<String>,
    /// Needed where two computers have one id; the id otherwise.
    pub name: Option<String>,
    /// `{id}` in it stands for the computer's id.
    pub label: Option<String>,
    /// Computers with one name here run in one process.
    pub process: Option<String>,
    /// `current`, a version in craftos-fixtures/clients, or `none`.
    #[serde(rename = "program")]
    pub written_program: Option<String>,
    /// The same, with what counts where it is not written.
    #[serde(skip)]
    pub program: String,
    /// What is started instead of `mcp-computer`.
    pub start: Option<String>,
    /// Words after the address.
    #[serde(default)]
    pub arguments: Vec<String>,
    #[serde(default)]
    pub files: BTreeMap<String, OnDisk>,
    #[serde(default)]
    pub settings: BTreeMap<String, String>,
    #[serde(default = "yes")]
    pub http: bool,
    /// The addresses that `http` may reach.
    #[serde(default = "loopback")]
    pub allow: Vec<String>,
    /// What it finds with `peripheral`.
    #[serde(default)]
    pub peripherals: Vec<PeripheralSection>,
    /// Requests that are answered without a network.
    #[serde(default)]
    pub stubs: Vec<StubSection>,
    /// Each `WebSocket` whose server follows a script.
    #[serde(default)]
    pub websockets: Vec<SocketSection>,
    #[serde(default)]
    pub limits: Limits,
    #[serde(default)]
    pub profile: crate::computer::Profile,
    #[serde(rename = "boot")]
    pub written_boot: Option<Ready>,
    #[serde(skip)]
    pub boot: Ready,
}

impl ScenarioFile {
    /// Fills in what the computers do not say. Those of a project do not link unless they are told to.
    pub fn fill_in(&mut self, in_project: bool) {
        for computer in &mut self.computers {
            computer.get_mut().fill_in(in_project);
        }
    }
}

impl ComputerSection {
    /// Whether it links by itself and runs Lua of the current program: then it can be disturbed and called.
    pub fn links(&self) -> bool {
        self.program == "current" && self.boot == Ready::Linked
    }

    fn fill_in(&mut self, in_project: bool) {
        let program = if in_project { "none" } else { "current" };
        self.program = self.written_program.clone().unwrap_or_else(|| program.to_owned());
        let links = !in_project || self.program != "none";
        let boot = if links { Ready::Linked } else { Ready::Booted };
        self.boot = self.written_boot.unwrap_or(boot);
    }
}

/// How far a computer is before the first step.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ready {
    /// Booted, and waited for.
    #[default]
    Linked,
    /// Booted, and waited for until it runs its program.
    Booted,
    /// Booted by a step.
    Later,
}

fn yes() -> bool {
    true
}

pub(super) fn loopback() -> Vec<String> {
    vec!["127.0.0.1".to_owned()]
}
