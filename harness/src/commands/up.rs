//! `up`: a bridge and computers for the desk, until Ctrl-C.

use std::collections::BTreeSet;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;

use super::out::outln;
use crate::bridge::BridgeSpec;
use crate::cli::UpArgs;
use crate::client::DEFAULT_VERSION;
use crate::computer::{PROGRAM, Spec};
use crate::config::Config;
use crate::emulators::find;
use crate::record::Record;
use crate::scenario::{Ready, Scenario, all};
use crate::stage::Stage;

/// How often it is looked who is linked.
const LOOK: Duration = Duration::from_millis(100);

/// So many processes a desk bears.
const PROCESSES: u32 = 100;

/// Boots everything, prints the addresses, and tells who links and leaves. Never returns by itself.
pub async fn up(config: &Config, args: &UpArgs) -> anyhow::Result<ExitCode> {
    let named =
        if config.emulators.is_empty() { vec!["embedded".to_owned()] } else { config.emulators.clone() };
    let found = find(&named, config.craftos_pc.as_deref()).await?;
    let emulator = found.emulators.first().expect("each name gives an emulator or an error").clone();
    let wanted = wanted(config, &args.wanted)?;
    let bridge = BridgeSpec { mcp_port: args.mcp_port, link_port: args.link_port, ..wanted.bridge };
    let record = Arc::new(Record::brief());
    let stage = Stage::set_on(record, emulator, bridge, DEFAULT_VERSION, wanted.specs).await?;
    let url = stage.mcp_url().await?;
    outln!("MCP      {url}\nlink     {}", stage.link_url().await?);
    stage.boot_and_link(&wanted.boot).await?;
    outln!("{}", configuration(&url));
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

/// What is booted.
#[derive(Debug, Default)]
struct Wanted {
    specs: Vec<Spec>,
    bridge: BridgeSpec,
    /// The names of those that are booted at once.
    boot: Vec<String>,
}

/// Reads the fixtures: a number of computers, or the name of a scenario.
fn wanted(config: &Config, fixtures: &[String]) -> anyhow::Result<Wanted> {
    let mut wanted = Wanted::default();
    for fixture in fixtures {
        if let Ok(count) = fixture.parse::<u32>() {
            anyhow::ensure!(
                count <= PROCESSES,
                "{count} computers would be {count} processes; at most {PROCESSES} are booted here\nhint: a scenario with `ids` and `process` boots a thousand in one, such as `probe/thousand`"
            );
            let specs = (1..=count).map(|id| plain(config, id));
            wanted.add(specs.map(|spec| (spec, true)).collect())?;
            continue;
        }
        let scenario = scenario(config, fixture)?;
        let sections = scenario.specs(&config.places);
        let ready = scenario.file.computers.iter().map(|section| section.boot == Ready::Linked);
        let specs = std::iter::zip(sections, ready)
            .flat_map(|(specs, ready)| specs.into_iter().map(move |spec| (spec, ready)));
        wanted.add(specs.collect())?;
        wanted.bridge = scenario.bridge(None, &config.places);
    }
    Ok(wanted)
}

impl Wanted {
    fn add(&mut self, specs: Vec<(Spec, bool)>) -> anyhow::Result<()> {
        for (spec, boot) in specs {
            anyhow::ensure!(
                self.specs.iter().all(|other| other.name != spec.name),
                "two of the fixtures have a computer `{}`\nhint: start them one by one",
                spec.name
            );
            if boot {
                self.boot.push(spec.name.clone());
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
        arguments: vec!["{url}".to_owned()],
        ..Spec::new(id)
    }
}

/// The scenario of a name, or the only one whose name contains it.
fn scenario(config: &Config, name: &str) -> anyhow::Result<Scenario> {
    let mut found = all(&config.places, &[name.to_owned()])?;
    if let Some(exact) = found.iter().position(|scenario| scenario.name == name) {
        return Ok(found.swap_remove(exact));
    }
    if found.len() > 1 {
        let names: Vec<&str> = found.iter().map(|scenario| scenario.name.as_str()).collect();
        anyhow::bail!("`{name}` could be any of {}\nhint: give the whole name", names.join(", "));
    }
    Ok(found.remove(0))
}

/// What is pasted into the clients.
fn configuration(url: &str) -> String {
    let opencode = json!({ "mcp": { "computers": { "type": "remote", "url": url, "enabled": true } } });
    let cursor = json!({ "mcpServers": { "computers": { "url": url } } });
    format!(
        "opencode     opencode.json: {opencode}\nClaude Code  claude mcp add --transport http computers {url}\nCursor       .cursor/mcp.json: {cursor}"
    )
}
