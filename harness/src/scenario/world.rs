//! What a computer of a scenario meets: the sections for peripherals, requests and sockets that are answered.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use craftos_specs::world::{Answer, Line, Peripheral, PeripheralKind, Server, Socket, Stub, World};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::file::{ComputerSection, loopback};
use super::given::check_fields;
use crate::computer::Spec;

/// The methods that a request may have.
const METHODS: [&str; 8] = ["GET", "POST", "HEAD", "OPTIONS", "PUT", "DELETE", "PATCH", "TRACE"];

/// What is named in the section, and what is wrong with it.
type Wrong = (String, String);

/// A peripheral: scripted by a Lua file, or one of the emulator's own.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PeripheralSection {
    name: String,
    /// A Lua file beside the scenario that returns its methods.
    file: Option<String>,
    /// A type that the emulators know, such as `modem`.
    emulated: Option<String>,
    /// Entries that its state has instead of those in the file.
    #[serde(default)]
    state: Map<String, Value>,
    /// Whether it is there from the boot on.
    #[serde(default = "yes")]
    attached: bool,
    #[serde(skip)]
    code: String,
}

/// A request that is answered.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StubSection {
    /// A URL with stars, and the method before it where that matters.
    url: String,
    status: Option<u16>,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    body: Option<String>,
    /// A file beside the scenario that has the body.
    file: Option<String>,
    delay_s: Option<f64>,
    /// The message of a request that does not arrive.
    failure: Option<String>,
    #[serde(skip)]
    content: Vec<u8>,
}

/// A WebSocket whose server follows a script.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SocketSection {
    url: String,
    script: Option<Vec<ScriptLine>>,
    /// The message where it cannot be reached.
    failure: Option<String>,
}

/// What the server does next.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum ScriptLine {
    Send(String),
    Receive(String),
    Close(bool),
}

fn yes() -> bool {
    true
}

impl ComputerSection {
    /// Reads the files that it names, and refuses what no computer could meet.
    pub(super) fn resolve_world(&mut self, folder: &Path) -> Result<(), Wrong> {
        let mut names = BTreeSet::new();
        for peripheral in &mut self.peripherals {
            let name = peripheral.name.clone();
            let wrong = |message: String| (name.clone(), message);
            if !names.insert(name.clone()) {
                return Err(wrong(format!("two peripherals are called `{name}`")));
            }
            peripheral.resolve(folder).map_err(wrong)?;
        }
        for stub in &mut self.stubs {
            let url = stub.url.clone();
            stub.resolve(folder).map_err(|message| (url, message))?;
        }
        for socket in &self.websockets {
            socket.check().map_err(|message| (socket.url.clone(), message))?;
        }
        if !self.http && (!self.stubs.is_empty() || !self.websockets.is_empty()) {
            return Err(("http".to_owned(), "nothing is asked for where `http = false`".to_owned()));
        }
        if !self.http && self.allow != loopback() {
            return Err(("allow".to_owned(), "no address is reached where `http = false`".to_owned()));
        }
        Ok(())
    }

    /// Puts what it meets onto a computer that is to be booted.
    pub(super) fn put_world_on(&self, spec: &mut Spec) {
        let world = World {
            peripherals: self.peripherals.iter().map(PeripheralSection::read).collect(),
            stubs: self.stubs.iter().map(StubSection::read).collect(),
            sockets: self.websockets.iter().map(SocketSection::read).collect(),
            network: self.allow.clone(),
        };
        if !world.is_empty() {
            world.put_on(spec);
        }
    }
}

/// Reads the Lua of a scripted peripheral, which has to be Lua and to return something.
pub(super) fn read_code(folder: &Path, file: &str) -> Result<String, String> {
    let path = folder.join(file);
    let code = std::fs::read_to_string(&path)
        .map_err(|error| format!("failed to read `{}`: {error}", path.display()))?;
    let checked = craftos_lua::check(code.as_bytes(), b"=peripheral", craftos_lua::Dialect::CraftosPc);
    let checked = checked.map_err(|error| {
        let (line, reason) = (error.line.max(1), String::from_utf8_lossy(&error.reason));
        format!("`{file}`, line {line}: this is not Lua: {reason}")
    })?;
    if !checked.returns {
        return Err(format!(
            "`{file}` returns nothing\nhint: a peripheral is `return {{ type = \"…\", methods = {{ … }} }}`"
        ));
    }
    Ok(code)
}

impl PeripheralSection {
    fn resolve(&mut self, folder: &Path) -> Result<(), String> {
        match (&self.file, &self.emulated) {
            (Some(file), None) => self.code = read_code(folder, file)?,
            (None, Some(_)) if self.state.is_empty() => {}
            (None, Some(_)) => return Err("`state` belongs to a scripted peripheral".to_owned()),
            _ => {
                return Err(format!(
                    "the peripheral `{}` has a `file` that scripts it, or is `emulated`",
                    self.name
                ));
            }
        }
        check_fields(&self.state)?;
        if self.name.is_empty() {
            return Err("a peripheral has a `name`: its side, or its name on a network".to_owned());
        }
        Ok(())
    }

    fn read(&self) -> Peripheral {
        let kind = match (&self.file, &self.emulated) {
            (Some(file), _) => PeripheralKind::Scripted {
                code: self.code.clone(),
                shown: file.clone(),
                state: self.state.clone(),
            },
            (None, emulated) => PeripheralKind::Emulated(emulated.clone().unwrap_or_default()),
        };
        Peripheral { name: self.name.clone(), kind, attached: self.attached }
    }
}

impl StubSection {
    fn resolve(&mut self, folder: &Path) -> Result<(), String> {
        check_url(&self.url, &["http://", "https://"])?;
        let has_response = self.status.is_some() || !self.headers.is_empty() || self.body.is_some();
        if self.failure.is_some() && (has_response || self.file.is_some()) {
            return Err("a request that fails has no answer: give `failure` alone".to_owned());
        }
        if self.status.is_some_and(|status| !(100..=599).contains(&status)) {
            return Err("a `status` is a number from 100 to 599".to_owned());
        }
        if self.delay_s.is_some_and(|seconds| !seconds.is_finite() || seconds < 0.0) {
            return Err("`delay_s` is a number of seconds".to_owned());
        }
        self.content = match (&self.body, &self.file) {
            (Some(_), Some(_)) => return Err("give `body` or `file`, not both".to_owned()),
            (Some(body), None) => body.clone().into_bytes(),
            (None, Some(file)) => {
                let path = folder.join(file);
                std::fs::read(&path)
                    .map_err(|error| format!("failed to read `{}`: {error}", path.display()))?
            }
            (None, None) => Vec::new(),
        };
        Ok(())
    }

    fn read(&self) -> Stub {
        let answer = match &self.failure {
            Some(message) => Answer::Failure(message.clone()),
            None => Answer::Response {
                status: self.status.unwrap_or(200),
                headers: self.headers.clone().into_iter().collect(),
                body: self.content.clone(),
            },
        };
        Stub { url: self.url.clone(), delay_s: self.delay_s, answer }
    }
}

impl SocketSection {
    fn check(&self) -> Result<(), String> {
        check_url(&self.url, &["ws://", "wss://"])?;
        if self.script.is_some() == self.failure.is_some() {
            return Err("a WebSocket has a `script` that its server follows, or a `failure`".to_owned());
        }
        if self.script.iter().flatten().any(|line| matches!(line, ScriptLine::Close(false))) {
            return Err("`close = false` does nothing\nhint: leave it out".to_owned());
        }
        Ok(())
    }

    fn read(&self) -> Socket {
        let server = match &self.failure {
            Some(message) => Server::Failure(message.clone()),
            None => Server::Script(self.script.iter().flatten().map(ScriptLine::read).collect()),
        };
        Socket { url: self.url.clone(), server }
    }
}

impl ScriptLine {
    fn read(&self) -> Line {
        match self {
            Self::Send(text) => Line::Send(text.clone()),
            Self::Receive(text) => Line::Receive(text.clone()),
            Self::Close(_) => Line::Close,
        }
    }
}

/// Refuses what is not the URL of a request; a star may stand for any part of it, and a method before it.
fn check_url(text: &str, schemes: &[&str]) -> Result<(), String> {
    let (method, url) = text.split_once(' ').map_or((None, text), |(method, url)| (Some(method), url));
    if let Some(method) = method.filter(|method| !METHODS.contains(method)) {
        return Err(format!("there is no method `{method}`"));
    }
    if !url.starts_with('*') && !schemes.iter().any(|scheme| url.starts_with(scheme)) {
        return Err(format!("`{url}` begins with none of {}", schemes.join(", ")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section(text: &str, folder: &Path) -> Result<(), String> {
        let mut section: ComputerSection =
            toml::from_str(&format!("id = 1\n{text}")).map_err(|error| error.to_string())?;
        section.resolve_world(folder).map_err(|(_, message)| message)
    }

    #[test]
    fn what_no_computer_could_meet_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("good.lua"), "return { type = 'x' }").expect("ours");
        std::fs::write(folder.path().join("bad.lua"), "return {\n  type = \n}").expect("ours");
        std::fs::write(folder.path().join("none.lua"), "local x = 1").expect("ours");
        let cases = [
            ("[[peripherals]]\nname = 'left'\nfile = 'good.lua'", ""),
            ("[[peripherals]]\nname = 'left'\nemulated = 'modem'", ""),
            ("[[peripherals]]\nname = 'left'", "scripts it, or is `emulated`"),
            ("[[peripherals]]\nname = 'left'\nfile = 'good.lua'\nemulated = 'x'", "scripts it, or is"),
            ("[[peripherals]]\nname = 'left'\nfile = 'no.lua'", "failed to read"),
            ("[[peripherals]]\nname = 'left'\nfile = 'bad.lua'", "`bad.lua`, line 3: this is not Lua"),
            ("[[peripherals]]\nname = 'left'\nfile = 'none.lua'", "`none.lua` returns nothing"),
            ("[[peripherals]]\nname = ''\nfile = 'good.lua'", "has a `name`"),
            ("[[peripherals]]\nname = 'left'\nemulated = 'modem'\nstate = { a = 1 }", "`state` belongs"),
            (
                "[[peripherals]]\nname = 'a'\nemulated = 'modem'\n[[peripherals]]\nname = 'a'\nemulated = 'chest'",
                "two peripherals are called `a`",
            ),
            ("[[stubs]]\nurl = 'GET https://a.example/*'\nbody = 'x'\nstatus = 404", ""),
            ("[[stubs]]\nurl = 'FETCH https://a.example/'", "there is no method `FETCH`"),
            ("[[stubs]]\nurl = 'a.example'", "begins with none of http://, https://"),
            ("[[stubs]]\nurl = 'https://a/'\nstatus = 7", "from 100 to 599"),
            ("[[stubs]]\nurl = 'https://a/'\nbody = ''\nfile = 'good.lua'", "not both"),
            ("[[stubs]]\nurl = 'https://a/'\nbody = ''\nfailure = 'x'", "give `failure` alone"),
            ("[[stubs]]\nurl = 'https://a/'\ndelay_s = -1.0", "a number of seconds"),
            ("[[stubs]]\nurl = 'https://a/'\nfile = 'no.json'", "failed to read"),
            ("http = false\nallow = ['a.example']", "no address is reached"),
            ("[[peripherals]]\nname = 'left'\nfile = 'good.lua'\nstate = { a = nan }", "`nan` and `inf`"),
            ("http = false\n[[stubs]]\nurl = 'https://a/'", "nothing is asked for"),
            ("[[websockets]]\nurl = 'wss://a/'\nscript = [{ send = 'x' }, { close = true }]", ""),
            ("[[websockets]]\nurl = 'wss://a/'", "has a `script`"),
            ("[[websockets]]\nurl = 'https://a/'\nfailure = 'x'", "begins with none of ws://, wss://"),
            ("[[websockets]]\nurl = 'ws://a/'\nscript = [{ close = false }]", "`close = false` does nothing"),
        ];
        for (text, why) in cases {
            match section(text, folder.path()) {
                Ok(()) => assert_eq!(why, "", "{text}"),
                Err(error) => assert!(!why.is_empty() && error.contains(why), "{text}: {error}"),
            }
        }
    }
}
