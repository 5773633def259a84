//! The tools of the test server.

use std::process::{Command, Stdio, exit};
use std::time::Duration;

use serde_json::{Value, json};

use crate::{Answer, log, send};

/// A PNG of one pixel.
const PIXEL: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

const NAMES: [&str; 13] = [
    "echo", "fail", "image", "crash", "leave", "hang", "sleep", "grow", "where", "big", "child", "progress",
    "odd",
];

/// What it has, and what it has grown.
#[derive(Debug, Default)]
pub struct Tools {
    grown: usize,
    /// It ends as soon as it has answered.
    pub leaving: bool,
}

impl Tools {
    pub fn list(&self) -> Value {
        let grown: Vec<String> = (1..=self.grown).map(|number| format!("grown-{number}")).collect();
        let names = NAMES.into_iter().chain(grown.iter().map(String::as_str));
        let tool = |name| json!({ "name": name, "description": format!("Does {name}.\nAnd more."), "inputSchema": { "type": "object" } });
        let tools: Vec<Value> = names.map(tool).collect();
        json!({ "resultType": "complete", "tools": tools, "ttlMs": 0, "cacheScope": "private" })
    }

    pub fn call(&mut self, params: &Value) -> Answer {
        let arguments = &params["arguments"];
        let name = params["name"].as_str().unwrap_or_default();
        log(&format!("called {name}"));
        Some(Ok(match name {
            "echo" => text(arguments["text"].as_str().unwrap_or("nothing")),
            "fail" => json!({ "content": [{ "type": "text", "text": "it failed" }], "isError": true }),
            "image" => json!({ "content": [
                { "type": "text", "text": "a pixel:" },
                { "type": "image", "data": PIXEL, "mimeType": "image/png" },
                { "type": "resource_link", "uri": "file:///pixel.png", "name": "pixel" },
            ] }),
            "crash" => {
                eprintln!("thread 'main' panicked at the disco");
                exit(7);
            }
            "leave" => {
                self.leaving = true;
                text("goodbye")
            }
            "hang" => return None,
            "sleep" => {
                std::thread::sleep(Duration::from_millis(arguments["ms"].as_u64().unwrap_or(0)));
                text("slept")
            }
            "grow" => {
                self.grown += 1;
                send(&json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" }));
                text("grown")
            }
            "where" => {
                let folder = std::env::current_dir().expect("there is one");
                let variable = std::env::var("MCP_TEST_VARIABLE").unwrap_or_default();
                text(&json!({ "folder": folder, "variable": variable, "id": std::process::id() }).to_string())
            }
            "big" => {
                text(&"x".repeat(arguments["bytes"].as_u64().and_then(|n| n.try_into().ok()).unwrap_or(0)))
            }
            "child" => {
                let program = std::env::current_exe().expect("it runs");
                let child = Command::new(program).arg("child").stdin(Stdio::null()).spawn();
                let mut child = child.expect("it starts");
                let id = child.id().to_string();
                std::thread::spawn(move || child.wait());
                text(&id)
            }
            "progress" => {
                let token = &params["_meta"]["progressToken"];
                for step in 1..=3 {
                    let message = format!("step {step}");
                    let params = json!({ "progressToken": token, "progress": step, "message": message });
                    send(&json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": params }));
                }
                text("done")
            }
            "odd" => json!({ "content": "no list" }),
            name if name.starts_with("grown-") => text(name),
            _ => return Some(Err((-32602, "unknown tool"))),
        }))
    }
}

fn text(text: &str) -> Value {
    json!({ "content": [{ "type": "text", "text": text }] })
}
