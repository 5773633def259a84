//! What the tests share: the server that misbehaves, and hosts of it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use mcp_host::spec::{Hidden, TransportSpec};
use mcp_host::{Called, Configuration, Host, HostError, ServerSpec, Settings};
use serde_json::Value;

/// Longer than anything here takes on a busy machine. Reaching it is a failure, never a pause.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// What a server that never answers is given, so that a test of it does not last.
pub const SOON: Duration = Duration::from_millis(300);

/// A server in one of its modes.
pub fn server(id: &str, mode: &str) -> ServerSpec {
    ServerSpec::local(id, [env!("CARGO_BIN_EXE_mcp-test-server"), mode])
}

/// The same, with one more variable in its environment.
pub fn with_variable(mut spec: ServerSpec, name: &str, value: &str) -> ServerSpec {
    let TransportSpec::Local(local) = &mut spec.transport else { panic!("it is local") };
    local.environment.insert(name.to_owned(), Hidden::new(value));
    spec
}

/// Times for a machine that is busy with the other tests, and pauses that do not make a test long.
pub fn settings() -> Settings {
    Settings {
        start_timeout: Some(PATIENCE),
        call_timeout: Some(PATIENCE),
        grace: PATIENCE,
        backoff: Duration::from_millis(10),
        ..Settings::default()
    }
}

pub fn host(servers: impl IntoIterator<Item = ServerSpec>) -> Host {
    host_with(servers, settings())
}

pub fn host_with(servers: impl IntoIterator<Item = ServerSpec>, settings: Settings) -> Host {
    Host::new(Configuration::of(servers), settings)
}

/// The message of an error, with what it says to the person who reads it.
pub fn message(outcome: Result<Called, HostError>) -> String {
    mcp_host::text::chain(&outcome.expect_err("it cannot work"))
}

/// The JSON that a tool returned as text.
pub fn json(called: &Called) -> Value {
    serde_json::from_str(&called.text()).expect("the tool returns JSON")
}

/// A log that a server writes, in a folder of its own.
pub struct Log {
    _folder: tempfile::TempDir,
    path: PathBuf,
}

impl Log {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("log");
        Self { _folder: folder, path }
    }

    pub fn of(&self, spec: ServerSpec) -> ServerSpec {
        with_variable(spec, "MCP_TEST_LOG", path_text(&self.path))
    }

    pub fn lines(&self) -> Vec<String> {
        let text = std::fs::read_to_string(&self.path).unwrap_or_default();
        text.lines().map(ToOwned::to_owned).collect()
    }

    pub fn count(&self, line: &str) -> usize {
        self.lines().iter().filter(|written| *written == line).count()
    }
}

pub fn path_text(path: &Path) -> &str {
    path.to_str().expect("temporary folders have plain names")
}

/// Waits for a condition that another process brings about.
pub async fn until(what: &str, condition: impl Fn() -> bool) {
    let waited = tokio::time::timeout(PATIENCE, async {
        while !condition() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    });
    waited.await.unwrap_or_else(|_| panic!("waited in vain until {what}"));
}
