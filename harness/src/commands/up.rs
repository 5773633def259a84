//! `up`: a bridge and computers at the desk, until Ctrl-C.

use std::collections::BTreeSet;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use super::out::outln;
use super::paste::configuration;
use super::running::Running;
use crate::bridge::{BridgeError, BridgeSpec};
use crate::cli::UpArgs;
use crate::client::DEFAULT_VERSION;
use crate::computer::{PROGRAM, Spec};
use crate::config::Config;
use crate::emulators::{Emulator, find};
use crate::places::Places;
use crate::record::Record;
use crate::scenario::{Ready, Scenario, all};
use crate::stage::{ADDRESS, Stage, StageError};

/// How often it is looked who is linked.
const LOOK: Duration = Duration::from_millis(100);

/// Each computer is a process, and a hundred of them take a minute to boot on two processors.
const MOST_COMPUTERS: u32 = 100;

/// Where the README, `probe`, `exec` and the clients' configurations look for a bridge.
const MCP_PORT: u16 = 3000;
const LINK_PORT: u16 = 3001;

/// Boots everything, prints the addresses, and tells who links and leaves. Never returns by itself.
pub async fn up(config: &Config, args: &UpArgs) -> anyhow::Result<ExitCode> {
    let named =
        if config.emulators.is_empty() { vec!["embedded".to_owned()] } else { config.emulators.clone() };
    let found = find(&named, config.craftos_pc.as_deref()).await?;
    let emulator = found.emulators.first().expect("each name gives an emulator or an error").clone();
    let mut wanted = wanted(config, &args.wanted)?;
    wanted.bridge.tools.extend(args.tools.iter().cloned());
    check_tools(&args.tools)?;
    let (stage, in_use) = set(&emulator, &wanted, args).await?;
    let (url, token) = (stage.mcp_url().await?, wanted.bridge.mcp_token.as_deref());
    outln!("MCP      {url}");
    outln!("link     {}", with_token(&stage.link_url().await?, wanted.bridge.link_token.as_deref()));
    for port in &in_use {
        outln!("port {port} is taken by another program: another was chosen");
    }
    if in_use.contains(&MCP_PORT) {
        outln!(
            "in this folder `probe` and `exec` find it; elsewhere type `craftos-harness probe --url {url}`"
        );
    }
    stage.boot_and_link(&wanted.linked).await?;
    stage.boot_and_run(&wanted.booted).await?;
    let _note = Running::here(&url, token)?.announce()?;
    outln!("{}", configuration(&url, token));
    outln!("Ctrl-C ends it");
    let mut before = BTreeSet::new();
    loop {
        let now: BTreeSet<_> = stage.who().await.into_iter().collect();
        // A label is anybody's: what would move the cursor is shown, not done.
        let name = |(id, label): &(u64, Option<String>)| {
            format!("{id} (Label: {})", label.as_deref().unwrap_or("null").escape_debug())
        };
        for one in now.difference(&before) {
            outln!("linked   {}", name(one));
        }
        for one in before.difference(&now) {
            outln!("left     {}", name(one));
        }
        before = now;
        tokio::time::sleep(LOOK).await;
    }
}

/// Says on stderr what is wrong with tools: the bridge serves the others.
fn check_tools(folders: &[std::path::PathBuf]) -> anyhow::Result<()> {
    let mut told = Vec::new();
    if !folders.is_empty() && !mcp_bridge::tools::check::check(folders, &mut told)? {
        eprint!("{}", String::from_utf8_lossy(&told));
    }
    Ok(())
}

/// Starts the bridge on the ports that were asked for, or on the usual ones; also gives which of those were taken.
async fn set(emulator: &Emulator, wanted: &Wanted, args: &UpArgs) -> anyhow::Result<(Stage, Vec<u16>)> {
    let mut bridge = BridgeSpec {
        mcp_port: args.mcp_port.unwrap_or(MCP_PORT),
        link_port: args.link_port.unwrap_or(LINK_PORT),
        ..wanted.bridge.clone()
    };
    let mut taken = Vec::new();
    loop {
        let (record, specs) = (Arc::new(Record::brief()), wanted.specs.clone());
        let error =
            match Stage::set_on(record, emulator.clone(), bridge.clone(), DEFAULT_VERSION, specs).await {
                Ok(stage) => return Ok((stage, taken)),
                Err(error) => error,
            };
        let port = match &error {
            StageError::Bridge(BridgeError::Start(mcp_bridge::StartError::PortInUse { port, .. })) => *port,
            _ => return Err(error.into()),
        };
        // A port that somebody asked for is not exchanged for another.
        if args.mcp_port.is_none() && bridge.mcp_port == port {
            bridge.mcp_port = 0;
        } else if args.link_port.is_none() && bridge.link_port == port {
            bridge.link_port = 0;
        } else {
            return Err(error.into());
        }
        taken.push(port);
    }
}

/// The address for more computers, as the program on them takes it.
fn with_token(address: &str, token: Option<&str>) -> String {
    let Some(token) = token else { return address.to_owned() };
    match url::Url::parse(address) {
        Ok(mut url) => {
            url.query_pairs_mut().append_pair("token", token);
            url.to_string()
        }
        Err(_) => address.to_owned(),
    }
}

/// What is booted.
#[derive(Debug, Default)]
struct Wanted {
    specs: Vec<Spec>,
    bridge: BridgeSpec,
    /// The names of those that are booted at once, and are to link or only to run.
    linked: Vec<String>,
    booted: Vec<String>,
}

/// Reads the fixtures: a number of computers, or the name of a scenario.
fn wanted(config: &Config, fixtures: &[String]) -> anyhow::Result<Wanted> {
    let mut wanted = Wanted::default();
    for fixture in fixtures {
        if let Ok(count) = fixture.parse::<u32>() {
            anyhow::ensure!(
                count <= MOST_COMPUTERS,
                "{count} computers would be {count} processes; at most {MOST_COMPUTERS} are booted here\nhint: a scenario with `ids` and `process` boots a thousand in one, such as `probe/thousand`"
            );
            let specs = (1..=count).map(|id| plain(config, id));
            wanted.add(specs.map(|spec| (spec, Ready::Linked)).collect())?;
            continue;
        }
        let places = config.places.read_project()?;
        let scenario = scenario(&places, fixture)?;
        let sections = scenario.specs(&places);
        let ready = scenario.file.computers.iter().map(|section| section.get_ref().boot);
        let specs = std::iter::zip(sections, ready)
            .flat_map(|(specs, ready)| specs.into_iter().map(move |spec| (spec, ready)));
        wanted.add(specs.collect())?;
        let bridge = scenario.bridge(None, &places);
        anyhow::ensure!(
            wanted.bridge == BridgeSpec::default() || wanted.bridge == bridge,
            "`{fixture}` and a fixture before it set up the bridge differently\nhint: start them one by one"
        );
        wanted.bridge = bridge;
    }
    Ok(wanted)
}

impl Wanted {
    fn add(&mut self, specs: Vec<(Spec, Ready)>) -> anyhow::Result<()> {
        for (spec, ready) in specs {
            anyhow::ensure!(
                self.specs.iter().all(|other| other.name != spec.name),
                "two of the fixtures have a computer `{}`\nhint: start them one by one",
                spec.name
            );
            match ready {
                Ready::Linked => self.linked.push(spec.name.clone()),
                Ready::Booted => self.booted.push(spec.name.clone()),
                Ready::Later => {}
            }
            self.specs.push(spec);
        }
        Ok(())
    }
}

fn plain(config: &Config, id: u32) -> Spec {
    Spec {
        label: Some(format!("computer-{id}")),
        install: Some(config.places.program.clone()),
        program: PROGRAM.to_owned(),
        arguments: vec![ADDRESS.to_owned()],
        ..Spec::new(id)
    }
}

/// The scenario of a name, or the only one whose name contains it.
fn scenario(places: &Places, name: &str) -> anyhow::Result<Scenario> {
    let mut found = all(places, &[name.to_owned()])?;
    if let Some(exact) = found.iter().position(|scenario| scenario.name == name) {
        return Ok(found.swap_remove(exact));
    }
    if found.len() > 1 {
        let names: Vec<&str> = found.iter().map(|scenario| scenario.name.as_str()).collect();
        anyhow::bail!("`{name}` could be any of {}\nhint: give the whole name", names.join(", "));
    }
    Ok(found.remove(0))
}
