//! What a computer of a scenario meets: scripted peripherals, answered requests, sockets. The Lua of it is that of specs.

use craftos_computers::computer::{Spec, lua_bytes, lua_string, lua_table, lua_value};
use serde_json::{Map, Value};

use crate::play::{RUNNER, VALUES};

/// The part that runs before the program, beside the harness's own files.
const EXTENSION: &str = "specs/world.lua";

/// What a computer meets.
#[derive(Debug, Clone, Default)]
pub struct World {
    pub peripherals: Vec<Peripheral>,
    pub stubs: Vec<Stub>,
    pub sockets: Vec<Socket>,
    /// The hosts that requests go out to where no stub answers; a star stands for any text.
    pub network: Vec<String>,
}

/// A peripheral, by its side or its name on a network.
#[derive(Debug, Clone)]
pub struct Peripheral {
    pub name: String,
    pub kind: PeripheralKind,
    /// Whether it is there from the boot on.
    pub attached: bool,
}

/// Who answers the calls of a peripheral.
#[derive(Debug, Clone)]
pub enum PeripheralKind {
    /// A Lua file that returns its methods.
    Scripted {
        code: String,
        /// How messages call the file.
        shown: String,
        /// Entries that its state has instead of those in the file.
        state: Map<String, Value>,
    },
    /// The emulator, which knows peripherals of this type.
    Emulated(String),
}

/// A request that is answered.
#[derive(Debug, Clone)]
pub struct Stub {
    /// A URL with stars, and the method before it where that matters.
    pub url: String,
    pub delay_s: Option<f64>,
    pub answer: Answer,
}

/// What a request gets.
#[derive(Debug, Clone)]
pub enum Answer {
    Response {
        status: u16,
        headers: Vec<(String, String)>,
        body: Vec<u8>,
    },
    /// It does not arrive: the message.
    Failure(String),
}

/// A WebSocket whose server follows a script.
#[derive(Debug, Clone)]
pub struct Socket {
    /// A URL with stars.
    pub url: String,
    pub server: Server,
}

/// What the server of a WebSocket does.
#[derive(Debug, Clone)]
pub enum Server {
    Script(Vec<Line>),
    /// It cannot be reached: the message.
    Failure(String),
}

/// One step of a server.
#[derive(Debug, Clone)]
pub enum Line {
    Send(String),
    /// Waits for a message, which has to be this.
    Receive(String),
    Close,
}

impl World {
    /// Whether the computer meets nothing but what its emulator has.
    pub fn is_empty(&self) -> bool {
        self.peripherals.is_empty() && !self.has_stubs()
    }

    fn has_stubs(&self) -> bool {
        !self.stubs.is_empty() || !self.sockets.is_empty()
    }

    /// Puts it onto a computer that is to be booted.
    pub fn put_on(&self, spec: &mut Spec) {
        let parts = RUNNER.iter().chain([&VALUES]);
        spec.notes.extend(parts.map(|(name, lua)| (format!("specs/{name}"), (*lua).to_owned())));
        spec.notes.push(("specs/plan.lua".to_owned(), self.plan()));
        spec.extension = Some(EXTENSION.to_owned());
    }

    fn plan(&self) -> String {
        let mut fields = vec![("peripherals", list(self.peripherals.iter().map(Peripheral::lua)))];
        if self.has_stubs() {
            fields.push(("http", list(self.stubs.iter().map(Stub::lua))));
            fields.push(("websockets", list(self.sockets.iter().map(Socket::lua))));
            fields.push(("network", list(self.network.iter().map(|host| lua_string(host)))));
        }
        format!("return {}\n", lua_table(fields))
    }
}

fn list(items: impl Iterator<Item = String>) -> String {
    format!("{{ {} }}", items.collect::<Vec<_>>().join(", "))
}

impl Peripheral {
    fn lua(&self) -> String {
        let mut fields = vec![("name", lua_string(&self.name)), ("attached", self.attached.to_string())];
        match &self.kind {
            PeripheralKind::Emulated(kind) => fields.push(("emulated", lua_string(kind))),
            PeripheralKind::Scripted { code, shown, state } => fields.extend([
                ("code", lua_string(code)),
                ("shown", lua_string(shown)),
                ("state", lua_value(&Value::Object(state.clone()))),
            ]),
        }
        lua_table(fields)
    }
}

impl Stub {
    fn lua(&self) -> String {
        let mut answer = Vec::new();
        match &self.answer {
            Answer::Failure(message) => answer.push(("failure", lua_string(message))),
            Answer::Response { status, headers, body } => {
                let headers = headers.iter().map(|(name, value)| (name.as_str(), lua_string(value)));
                answer.extend([
                    ("status", status.to_string()),
                    ("headers", lua_table(headers)),
                    ("body", lua_bytes(body)),
                ]);
            }
        }
        answer.extend(self.delay_s.map(|seconds| ("delay", seconds.to_string())));
        lua_table([("url", lua_string(&self.url)), ("answer", lua_table(answer))])
    }
}

impl Socket {
    fn lua(&self) -> String {
        let script = match &self.server {
            Server::Failure(message) => lua_table([("failure", lua_string(message))]),
            Server::Script(lines) => list(lines.iter().map(|line| match line {
                Line::Send(text) => lua_table([("send", lua_string(text))]),
                Line::Receive(text) => lua_table([("receive", lua_string(text))]),
                Line::Close => lua_table([("close", true.to_string())]),
            })),
        };
        lua_table([("url", lua_string(&self.url)), ("script", script)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_keeps_bytes_and_leaves_http_alone_without_stubs() {
        let peripheral = Peripheral {
            name: "left".to_owned(),
            kind: PeripheralKind::Emulated("modem".to_owned()),
            attached: true,
        };
        let mut world = World { peripherals: vec![peripheral], ..World::default() };
        assert_eq!(
            world.plan(),
            "return { [\"peripherals\"] = { { [\"name\"] = \"left\", [\"attached\"] = true, [\"emulated\"] = \"modem\" } } }\n"
        );
        let answer = Answer::Response { status: 200, headers: Vec::new(), body: vec![0xff, b'a'] };
        world.stubs.push(Stub { url: "http://a/*".to_owned(), delay_s: None, answer });
        assert!(world.plan().contains(r#"["body"] = "\255a""#), "{}", world.plan());
        assert!(world.plan().contains(r#"["network"] = {  }"#), "{}", world.plan());
    }
}
