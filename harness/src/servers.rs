//! Other MCP servers that a scenario names, managed by the host as an agent's are.

use std::collections::BTreeMap;
use std::sync::Arc;

use mcp_host::http::connector::Dialer;
use mcp_host::{Configuration, Host, HostError, ServerSpec, Settings, Starter};
use serde::Deserialize;
use serde_json::Value;
use tokio::sync::Mutex;

use crate::client::Called;
use crate::emulators::{KEEPER, PARENT_VARIABLE, ROLE_VARIABLE, self_as_program};
use crate::scratch::process_group;

/// Stands for the MCP address of the scenario's own bridge.
const BRIDGE: &str = "{mcp}";

/// How servers are treated: none outlives a harness that was killed, also not one that was just being started.
pub fn settings() -> Settings {
    let keeper = self_as_program().filter(|_| cfg!(target_os = "linux"));
    let starter = keeper.map(|program| Starter {
        program,
        environment: vec![
            (ROLE_VARIABLE, KEEPER.to_owned()),
            (PARENT_VARIABLE, std::process::id().to_string()),
        ],
    });
    Settings { group_watcher: Some(process_group), starter, ..Settings::default() }
}

/// A server as a scenario writes it: a command that speaks MCP on stdin and stdout, or an address.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum ServerSection {
    Command(Vec<String>),
    Url(String),
}

impl ServerSection {
    /// What is wrong with it, as far as the file says.
    pub fn check(&self) -> Result<(), String> {
        match self {
            Self::Command(words) if words.first().is_none_or(String::is_empty) => {
                Err("`command` names no program\nhint: `command = [\"my-server\", \"--stdio\"]`".to_owned())
            }
            Self::Url(url) if !["http://", "https://", BRIDGE].iter().any(|start| url.starts_with(start)) => {
                Err(format!(
                    "`url = \"{url}\"` is not an address\nhint: it begins with `http://`, `https://` or `{BRIDGE}`"
                ))
            }
            _ => Ok(()),
        }
    }

    /// Whether it is the scenario's own bridge.
    pub fn names_bridge(&self) -> bool {
        matches!(self, Self::Url(url) if url.contains(BRIDGE))
    }
}

/// The servers of one scenario. None is started before a step calls it.
#[derive(Debug, Default)]
pub struct Servers {
    sections: BTreeMap<String, ServerSection>,
    /// The host, and the address of the bridge that it knows: one that was restarted has another.
    host: Mutex<Option<(String, Arc<Host>)>>,
    /// Connects to addresses in place of the machine's network.
    dialer: Option<Dialer>,
}

impl Servers {
    pub fn new(sections: BTreeMap<String, ServerSection>, dialer: Option<Dialer>) -> Self {
        Self { sections, host: Mutex::default(), dialer }
    }

    /// Calls a tool of a server. `bridge` is the address of the scenario's own.
    pub async fn call(
        &self,
        server: &str,
        tool: &str,
        arguments: Value,
        bridge: &str,
    ) -> Result<Called, HostError> {
        let host = self.host(bridge).await;
        let called = host.call_on(server, tool, arguments).await?;
        let text = called.text();
        Ok(Called { text, ..called.into() })
    }

    async fn host(&self, bridge: &str) -> Arc<Host> {
        // Servers that do not name the bridge live on when it is restarted.
        let bridge = if self.sections.values().any(ServerSection::names_bridge) { bridge } else { "" };
        let mut host = self.host.lock().await;
        if let Some((known, host)) = &*host
            && known == bridge
        {
            return host.clone();
        }
        if let Some((_, old)) = host.take() {
            old.shutdown().await;
        }
        let fresh = Arc::new(self.start(bridge));
        *host = Some((bridge.to_owned(), fresh.clone()));
        fresh
    }

    fn start(&self, bridge: &str) -> Host {
        let specs = self.sections.iter().map(|(name, section)| match section {
            ServerSection::Command(words) => ServerSpec::local(name, words),
            ServerSection::Url(url) => ServerSpec::remote(name, url.replace(BRIDGE, bridge)),
        });
        let settings = Settings { dialer: self.dialer.clone(), ..settings() };
        Host::new(Configuration::of(specs), settings)
    }

    /// Shuts down what was started.
    pub async fn shutdown(&self) {
        if let Some((_, host)) = self.host.lock().await.take() {
            host.shutdown().await;
        }
    }
}
