//! A computer in Rust that keeps jobs, on a disk that outlives its links.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;

use super::tools::tools_hello;
use super::{FakeComputer, TestBridge};

/// A job as a computer keeps it.
#[derive(Debug, Clone, Default)]
pub struct Kept {
    pub state: &'static str,
    pub output: String,
    pub answer: Option<String>,
    /// What it asks, and what it was answered.
    pub asks: Vec<Value>,
    pub answers: Vec<Value>,
    /// The bridge has said that it has everything.
    pub forgotten: bool,
}

/// Jobs by their ids, also those that were forgotten, and the ids that were sent to be started, each time.
pub type Contents = (BTreeMap<String, Kept>, Vec<String>);

/// The disk of a computer.
#[derive(Debug, Clone, Default)]
pub struct Disk(Arc<Mutex<Contents>>);

impl Disk {
    pub fn with<T>(&self, work: impl FnOnce(&mut BTreeMap<String, Kept>, &mut Vec<String>) -> T) -> T {
        let mut disk = self.0.lock().expect("no test panics while it holds it");
        let (jobs, started) = &mut *disk;
        work(jobs, started)
    }

    pub fn started(&self) -> usize {
        self.with(|_, started| started.len())
    }

    pub fn print(&self, id: &str, text: &str) {
        self.with(|jobs, _| jobs.get_mut(id).expect("it runs").output.push_str(text));
    }

    /// Has a running job ask these.
    pub fn ask(&self, id: &str, asks: &[Value]) {
        self.with(|jobs, _| jobs.get_mut(id).expect("it runs").asks.extend_from_slice(asks));
    }

    pub fn end(&self, id: &str, answer: &Value) {
        self.with(|jobs, _| {
            let job = jobs.get_mut(id).expect("it runs");
            (job.state, job.answer) = ("ended", Some(answer.to_string()));
        });
    }

    pub fn answer(&self, request: &Value) -> Result<Value, &'static str> {
        let params = &request["params"];
        let id = params["job"].as_str().unwrap_or_default().to_owned();
        self.with(|jobs, started| match request["method"].as_str() {
            Some("start-job") => {
                started.push(id.clone());
                jobs.entry(id).or_insert_with(|| Kept { state: "running", ..Kept::default() });
                Ok(json!({}))
            }
            Some("read-job") => {
                let job = jobs.get(&id).filter(|job| !job.forgotten).ok_or("unknown job")?;
                let from = usize::try_from(params["from"].as_u64().unwrap_or(0)).expect("small");
                let mut told = json!({
                    "state": job.state, "from": from, "next": job.output.len(), "more": false,
                    "output": &job.output[from..],
                });
                if let Some(answer) = &job.answer {
                    told["answer"] = answer.as_str().into();
                }
                if !job.asks.is_empty() {
                    told["asks"] = json!(job.asks);
                }
                Ok(told)
            }
            Some("answer-job") => {
                let job = jobs.get_mut(&id).ok_or("unknown job")?;
                job.asks.retain(|asked| asked["ask"] != params["ask"]);
                job.answers.push(params.clone());
                Ok(json!({}))
            }
            Some("cancel-job") => {
                if let Some(job) = jobs.get_mut(&id).filter(|job| job.state == "running") {
                    let answer = json!({ "type": "response", "id": "x", "ok": false, "error": "cancelled by the bridge" });
                    (job.state, job.answer) = ("ended", Some(answer.to_string()));
                }
                Ok(json!({}))
            }
            Some("forget-job") => {
                if let Some(job) = jobs.get_mut(&id).filter(|job| job.state != "running") {
                    job.forgotten = true;
                }
                Ok(json!({}))
            }
            _ => Err("unknown method"),
        })
    }

    /// Links a computer with this disk; it serves until it is dropped, or its link ends.
    pub async fn link(&self, bridge: &TestBridge, id: u64) -> tokio::task::JoinHandle<()> {
        self.serve(FakeComputer::link(bridge.link_address(), &tools_hello(id, "miner")).await)
    }

    /// Answers for a computer from this disk.
    pub fn serve(&self, computer: FakeComputer) -> tokio::task::JoinHandle<()> {
        self.serve_until(computer, || false)
    }

    /// The same, until the link is to end with an answer that does not go out.
    pub fn serve_until(
        &self,
        computer: FakeComputer,
        mut ends: impl FnMut() -> bool + Send + 'static,
    ) -> tokio::task::JoinHandle<()> {
        let (disk, mut socket) = (self.clone(), computer.socket);
        tokio::spawn(async move {
            while let Some(Ok(message)) = socket.next().await {
                let Message::Text(text) = message else { continue };
                let request: Value = serde_json::from_str(&text).expect("JSON");
                if request["type"] != "request" {
                    continue;
                }
                let answer = match disk.answer(&request) {
                    Ok(result) => {
                        json!({ "type": "response", "id": request["id"], "ok": true, "result": result })
                    }
                    Err(error) => {
                        json!({ "type": "response", "id": request["id"], "ok": false, "error": error })
                    }
                };
                if ends() || socket.send(Message::text(answer.to_string())).await.is_err() {
                    return;
                }
            }
        })
    }
}
