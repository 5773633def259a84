//! One link of the computer that is checked: what it answered, what it said meanwhile, and what it should not have said.

use std::collections::HashMap;

use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;

use crate::report::{Check, Miss, ensure, not_applicable, wrong};
use crate::wire::{Came, Wire, join_part};

/// Which frames need which capability.
const NEEDS: [(&str, &str); 6] = [
    ("output", "output"),
    ("part", "parts"),
    ("progress", "tools"),
    ("log", "tools"),
    ("ask", "tools"),
    ("bye", "bye"),
];

/// What the kit can do as a bridge.
const ALL: [&str; 6] = ["exec-lua", "cancel", "output", "parts", "tools", "bye"];

/// A link, as the bridge sees it.
#[derive(Debug)]
pub struct Link {
    pub wire: Wire,
    pub hello: Value,
    agreed: Vec<String>,
    requests: u64,
    answers: HashMap<String, Value>,
    halves: HashMap<String, (u64, String)>,
    /// What is wrong with the parts of an answer.
    broken: HashMap<String, Miss>,
    /// How many parts each answer came in.
    pub parts: HashMap<String, u64>,
    /// Frames about requests that are no answers, in order.
    pub notes: Vec<Value>,
    /// The first frame that was not agreed on.
    pub not_agreed: Option<String>,
    /// The first answer that came a second time.
    pub twice: Option<String>,
    /// It is gone, or of no use any more.
    pub is_over: bool,
}

impl Link {
    /// Answers a hello with all that both can do, or as a bridge of the first version.
    pub async fn greet(mut wire: Wire, hello: Value, negotiates: bool) -> Self {
        let able = hello["capabilities"].as_array().cloned().unwrap_or_default();
        let agreed: Vec<String> = ALL
            .iter()
            .filter(|name| negotiates && able.iter().any(|one| one == *name))
            .map(ToString::to_string)
            .collect();
        wire.send(&greeting(&hello, negotiates, &agreed)).await;
        Self {
            wire,
            hello,
            agreed,
            requests: 0,
            answers: HashMap::new(),
            halves: HashMap::new(),
            broken: HashMap::new(),
            parts: HashMap::new(),
            notes: Vec::new(),
            not_agreed: None,
            twice: None,
            is_over: false,
        }
    }

    pub fn id(&self) -> &Value {
        &self.hello["computerId"]
    }

    pub fn agreed(&self, capability: &str) -> bool {
        self.agreed.iter().any(|one| one == capability)
    }

    /// Fails where this was not agreed.
    pub fn needs(&self, capability: &str) -> Check {
        if self.agreed(capability) {
            return Ok(());
        }
        Err(not_applicable(format!("the computer does not name `{capability}` in its hello")))
    }

    /// An id for a request, which no other has.
    pub fn new_id(&mut self) -> String {
        self.requests += 1;
        format!("req-{}", self.requests)
    }

    /// Sends a request under a new id.
    pub async fn request(&mut self, method: &str, params: Value) -> String {
        let id = self.new_id();
        let mut frame = json!({ "type": "request", "id": id, "method": method });
        if !params.is_null() {
            frame["params"] = params;
        }
        self.wire.send(&frame).await;
        id
    }

    /// Takes in the next frame; fails where none comes.
    pub async fn step(&mut self, expected: &str) -> Check {
        match self.wire.next().await {
            Came::Frame(frame) => {
                self.take(frame).await;
                Ok(())
            }
            Came::Ping | Came::Pong => Ok(()),
            other => {
                self.is_over = !matches!(other, Came::Nothing);
                Err(wrong(expected, other.to_string()))
            }
        }
    }

    async fn take(&mut self, frame: Value) {
        let kind = frame["type"].as_str().unwrap_or_default().to_owned();
        let id = frame["id"].as_str().unwrap_or_default().to_owned();
        let needs = NEEDS.iter().find(|(name, _)| *name == kind);
        if needs.is_some_and(|(_, capability)| !self.agreed(capability)) {
            self.not_agreed.get_or_insert_with(|| format!("a frame `{kind}`: {frame}"));
        }
        match kind.as_str() {
            "hello" => {
                let again = greeting(&frame, !self.agreed.is_empty(), &self.agreed);
                self.wire.send(&again).await;
            }
            "response" => self.keep(id, frame),
            "part" => {
                *self.parts.entry(id.clone()).or_default() += 1;
                let half = self.halves.entry(id.clone()).or_default();
                match join_part(half, &frame) {
                    Ok(None) => {}
                    Ok(Some(whole)) => {
                        self.halves.remove(&id);
                        self.keep(id, whole);
                    }
                    Err(miss) => drop(self.broken.entry(id).or_insert(miss)),
                }
            }
            _ => self.notes.push(frame),
        }
    }

    fn keep(&mut self, id: String, frame: Value) {
        if self.answers.contains_key(&id) {
            self.twice.get_or_insert_with(|| format!("a second answer: {frame}"));
        }
        self.answers.insert(id, frame);
    }

    /// Waits for the answer to a request.
    pub async fn answer(&mut self, id: &str) -> Check<Value> {
        loop {
            if let Some(answer) = self.answers.get(id) {
                return Ok(answer.clone());
            }
            if let Some(miss) = self.broken.get(id) {
                return Err(miss.clone());
            }
            self.step(&format!("a response to `{id}`")).await?;
        }
    }

    /// Waits for a note of this type about a request.
    pub async fn note(&mut self, kind: &str, id: &str) -> Check<Value> {
        loop {
            let found = self.notes.iter().find(|note| note["type"] == kind && note["id"] == id);
            if let Some(note) = found {
                return Ok(note.clone());
            }
            if self.answers.contains_key(id) {
                return Err(wrong(format!("a frame `{kind}` before the response"), "the response"));
            }
            self.step(&format!("a frame `{kind}`")).await?;
        }
    }

    /// Sends a request and waits for its answer.
    pub async fn ask(&mut self, method: &str, params: Value) -> Check<Value> {
        let id = self.request(method, params).await;
        self.answer(&id).await
    }

    /// Runs a chunk that has to end well, and gives its result.
    pub async fn exec(&mut self, code: &str) -> Check<Value> {
        let mut answer = self.ask("exec-lua", json!({ "code": code })).await?;
        ensure(answer["ok"] == true, "a chunk that runs", || answer.to_string())?;
        Ok(answer["result"].take())
    }

    /// Sees whether the computer still answers.
    pub async fn is_alive(&mut self) -> Check {
        let answer = self.ask("ping", Value::Null).await?;
        ensure(answer["ok"] == true, "an answer to `ping`", || answer.to_string())
    }

    pub async fn send_text(&mut self, text: &str) {
        self.wire.send_message(Message::text(text)).await;
    }
}

fn greeting(hello: &Value, negotiates: bool, agreed: &[String]) -> Value {
    let asks = hello.get("version").is_some() || hello.get("capabilities").is_some();
    if negotiates && asks {
        json!({ "type": "hello-ok", "bridge": "check-link", "capabilities": agreed })
    } else {
        json!({ "type": "hello-ok" })
    }
}
