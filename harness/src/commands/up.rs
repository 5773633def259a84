//! `up`: a bridge and computers for the desk, until Ctrl-C.

use std::collections::BTreeSet;
use std::process::ExitCode;
use std::time::Duration;

use futures_util::future::try_join_all;
use serde_json::json;

use crate::bridge::BridgeSpec;
use crate::cli::UpArgs;
use crate::client::DEFAULT_VERSION;
use crate::computer::{PROGRAM, Spec};
use crate::config::Config;
use crate::emulators::find;
use crate::stage::Stage;

/// How often it is looked who is linked.
const LOOK: Duration = Duration::from_millis(100);

/// Boots everything, prints the addresses, and tells who links and leaves. Never returns by itself.
pub async fn up(config: &Config, args: &UpArgs) -> anyhow::Result<ExitCode> {
    let named =
        if config.emulators.is_empty() { vec!["embedded".to_owned()] } else { config.emulators.clone() };
    let found = find(&named, config.craftos_pc.as_deref()).await?;
    let emulator = found.emulators.first().expect("each name gives an emulator or an error").clone();
    let specs: Vec<Spec> = (1..=args.computers)
        .map(|id| Spec {
            label: Some(format!("computer-{id}")),
            install: Some(config.places.program.clone()),
            program: PROGRAM.to_owned(),
            arguments: vec!["{url}".to_owned()],
            ..Spec::new(id)
        })
        .collect();
    let bridge = BridgeSpec { mcp_port: args.mcp_port, link_port: args.link_port, ..BridgeSpec::default() };
    let stage = Stage::set(emulator, bridge, DEFAULT_VERSION, specs).await?;
    let url = stage.mcp_url().await?;
    println!("MCP      {url}\nlink     {}", stage.link_url().await?);
    let computers: Vec<String> = stage.names().map(ToOwned::to_owned).collect();
    let stage = &stage;
    try_join_all(computers.iter().map(|name| async move {
        stage.boot(name).await?;
        stage.linked(name).await
    }))
    .await?;
    println!("{}", configuration(&url));
    let mut before = BTreeSet::new();
    loop {
        let now: BTreeSet<_> = stage.who().await.into_iter().collect();
        let name = |(id, label): &(u64, Option<String>)| {
            format!("{id} (Label: {})", label.as_deref().unwrap_or("null"))
        };
        now.difference(&before).for_each(|one| println!("linked   {}", name(one)));
        before.difference(&now).for_each(|one| println!("left     {}", name(one)));
        before = now;
        tokio::time::sleep(LOOK).await;
    }
}

/// What is pasted into the clients.
fn configuration(url: &str) -> String {
    let opencode = json!({ "mcp": { "computers": { "type": "remote", "url": url, "enabled": true } } });
    let cursor = json!({ "mcpServers": { "computers": { "url": url } } });
    format!(
        "opencode     opencode.json: {opencode}\nClaude Code  claude mcp add --transport http computers {url}\nCursor       .cursor/mcp.json: {cursor}"
    )
}
