//! Folders of tools that are declared in Lua, and a computer that takes them.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{FakeComputer, TestBridge};

/// A folder with an `_index.yaml`; it goes with the test.
pub struct ToolFolder {
    folder: tempfile::TempDir,
}

/// A tool's entry in an index: its name, the lines of its `meta`, and its handler `<name>.lua`.
pub fn entry(name: &str, meta: &[&str]) -> String {
    let lines: String = meta.iter().flat_map(|line| ["      ", line, "\n"]).collect();
    format!(
        "  - name: {name}\n    kind: function.lua\n    source: file://{name}.lua\n    method: call\n    meta:\n      mcp.tool: true\n      mcp.description: about {name}\n{lines}"
    )
}

/// A whole index.
pub fn index(entries: &[String]) -> String {
    format!("version: \"1.0\"\nnamespace: test\nentries:\n{}", entries.concat())
}

impl ToolFolder {
    pub fn empty() -> Self {
        Self { folder: tempfile::tempdir().expect("a folder") }
    }

    /// A folder with these tools, each with a handler that returns its name.
    pub fn with(tools: &[(&str, &[&str])]) -> Self {
        let folder = Self::empty();
        let entries: Vec<String> = tools.iter().map(|(name, meta)| entry(name, meta)).collect();
        for (name, _) in tools {
            folder.write(
                &format!("{name}.lua"),
                &format!("return {{ call = function() return '{name}' end }}"),
            );
        }
        folder.write("_index.yaml", &index(&entries));
        folder
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn paths(&self) -> Vec<PathBuf> {
        vec![self.path().to_owned()]
    }

    pub fn write(&self, path: &str, text: &str) {
        let path = self.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("the folder is ours");
        std::fs::write(path, text).expect("the folder is ours");
    }

    pub fn remove(&self, path: &str) {
        std::fs::remove_file(self.path().join(path)).expect("it was there");
    }

    /// A bridge that serves these tools.
    pub async fn bridge(&self) -> TestBridge {
        TestBridge::with(|config| config.tools = self.paths()).await
    }
}

/// A hello that asks for everything, tools included.
pub fn tools_hello(id: u64, label: &str) -> String {
    json!({
        "type": "hello", "computerId": id, "computerLabel": label, "version": "0.2.0",
        "capabilities": ["exec-lua", "cancel", "output", "parts", "tools"],
    })
    .to_string()
}

impl FakeComputer {
    /// Links a computer that takes tools.
    pub async fn with_tools(bridge: &TestBridge, id: u64, label: &str) -> Self {
        Self::link(bridge.link_address(), &tools_hello(id, label)).await
    }

    /// The next request, which must be of this method.
    pub async fn request(&mut self, method: &str) -> Value {
        let frame = self.frame().await;
        assert_eq!((&frame["type"], &frame["method"]), (&json!("request"), &json!(method)), "{frame}");
        frame
    }

    /// Answers a request with this error.
    pub async fn refuse(&mut self, request: &Value, error: &str) {
        self.send(&json!({ "type": "response", "id": request["id"], "ok": false, "error": error })).await;
    }

    /// Answers the next call as a tool that returns this text.
    pub async fn return_text(&mut self, text: &str) -> Value {
        let call = self.request("call-tool").await;
        self.answer(&call, &json!({ "content": [{ "type": "text", "text": text }] })).await;
        call
    }

    /// Keeps handlers, and answers calls with the handler's hash, until the link ends.
    pub fn serve_tools(mut self) {
        use futures_util::StreamExt as _;
        use tokio_tungstenite::tungstenite::Message;
        tokio::spawn(async move {
            let mut kept = std::collections::HashSet::new();
            while let Some(Ok(message)) = self.socket.next().await {
                let Message::Text(text) = message else { continue };
                let request: Value = serde_json::from_str(&text).expect("the bridge sends JSON");
                let handler = request["params"]["handler"].as_str().unwrap_or_default().to_owned();
                match request["method"].as_str() {
                    Some("keep-handler") => {
                        kept.insert(handler);
                        self.answer(&request, &json!({})).await;
                    }
                    Some("call-tool") if kept.contains(&handler) => {
                        let result = json!({ "content": [{ "type": "text", "text": handler }] });
                        self.answer(&request, &result).await;
                    }
                    Some("call-tool") => self.refuse(&request, "unknown handler").await,
                    _ => {}
                }
            }
        });
    }
}
