//! One server as it was configured: what is started or reached, and with what. How it is kept up is not said here.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// A value that may be a secret: an environment variable's, a header's. Its `Debug` shows nothing of it.
#[derive(Clone, PartialEq, Eq)]
pub struct Hidden(String);

impl Hidden {
    pub fn new(value: impl Into<String>) -> Self {
        Self(value.into())
    }

    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Hidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hidden(…)")
    }
}

/// A server that can be started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerSpec {
    /// The name that its tools begin with.
    pub id: String,
    pub transport: TransportSpec,
    /// What its configuration says of times; what it leaves open is decided by [`crate::Settings`].
    pub timeouts: Timeouts,
}

/// How long a server may take, where its configuration says so.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Timeouts {
    /// From the start of the process to its list of tools.
    pub start: Option<Duration>,
    /// For one call.
    pub call: Option<Duration>,
}

/// The way to a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TransportSpec {
    Local(LocalSpec),
    Remote(RemoteSpec),
}

/// A program that speaks MCP on its stdin and stdout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalSpec {
    pub program: String,
    pub arguments: Vec<String>,
    /// What is added to the host's own environment.
    pub environment: BTreeMap<String, Hidden>,
    /// The folder that it runs in.
    pub folder: PathBuf,
}

/// An address that speaks MCP over streamable HTTP.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoteSpec {
    pub url: String,
    pub headers: BTreeMap<String, Hidden>,
}

impl ServerSpec {
    /// A program, with what follows it on the command line, in the current folder.
    pub fn local(id: impl Into<String>, command: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let mut words = command.into_iter().map(Into::into);
        let local = LocalSpec {
            program: words.next().unwrap_or_default(),
            arguments: words.collect(),
            environment: BTreeMap::new(),
            folder: PathBuf::from("."),
        };
        let transport = TransportSpec::Local(local);
        Self { id: id.into(), transport, timeouts: Timeouts::default() }
    }

    /// An address.
    pub fn remote(id: impl Into<String>, url: impl Into<String>) -> Self {
        let transport = TransportSpec::Remote(RemoteSpec { url: url.into(), headers: BTreeMap::new() });
        Self { id: id.into(), transport, timeouts: Timeouts::default() }
    }

    /// The same server with one more header; a local one has none.
    #[must_use]
    pub fn with_header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        if let TransportSpec::Remote(remote) = &mut self.transport {
            remote.headers.insert(name.into(), Hidden::new(value));
        }
        self
    }

    /// Where it is: its command, without the values of its environment, or its address.
    pub fn place(&self) -> String {
        match &self.transport {
            TransportSpec::Local(local) => {
                let words = std::iter::once(&local.program).chain(&local.arguments);
                words.map(String::as_str).collect::<Vec<_>>().join(" ")
            }
            TransportSpec::Remote(remote) => remote.url.clone(),
        }
    }
}
