//! Other computers of a test: booted in the emulator's process of the first one, and driven by what the test asks for.

use std::collections::BTreeMap;
use std::time::Duration;

use craftos_computers::computer::{Command, Computer, ComputerError, Spec, lua_bytes, lua_string, lua_table};
use craftos_computers::emulators::Emulator;
use serde::Deserialize;
use serde_json::Value;

use crate::told::to_bytes;
use crate::world::{Peripheral, PeripheralKind, World};

/// What a program that is not named is: a prompt.
const SHELL: &str = "shell";

/// What a test asks for.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Question {
    number: u64,
    #[serde(flatten)]
    asked: Asked,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "action", rename_all = "kebab-case")]
enum Asked {
    Start(Box<Start>),
    Type { id: u32, text: String },
    Paste { id: u32, text: String },
    Key { id: u32, text: String },
    Click { id: u32, x: u32, y: u32, button: u8 },
    Scroll { id: u32, x: u32, y: u32, direction: i8 },
    Event { id: u32, text: String, values: Vec<Value> },
    Reboot { id: u32 },
    Stop { id: u32 },
    Forget { id: u32 },
    Look { id: u32 },
    Lines { id: u32 },
}

/// A computer that is to be started.
#[derive(Debug, Clone, PartialEq, Deserialize)]
struct Start {
    id: Option<u32>,
    label: Option<String>,
    program: Option<String>,
    arguments: Vec<String>,
    files: BTreeMap<String, String>,
    settings: BTreeMap<String, String>,
    peripherals: Vec<Given>,
    /// Whether it has the project's files.
    project: bool,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
struct Given {
    name: String,
    emulated: Option<String>,
    code: Option<String>,
    shown: Option<String>,
}

/// The other computers of one boot.
#[derive(Debug, Default)]
pub struct Others {
    computers: BTreeMap<u32, Computer>,
    last_id: u32,
}

/// What the first computer is, and what others have in common with it.
#[derive(Debug, Clone, Copy)]
pub struct First<'a> {
    pub computer: &'a Computer,
    pub emulator: &'a Emulator,
    /// The project's files, settings and profile.
    pub spec: &'a Spec,
}

impl Others {
    /// Does what a test asks for, and answers it. A refusal is an answer too: the test fails with it.
    pub async fn answer(&mut self, first: First<'_>, question: &Question, patience: Duration) {
        let asked = tokio::time::timeout(patience, self.act(first, &question.asked)).await;
        let late = || Err(format!("the other computer did not answer within {} s", patience.as_secs()));
        let mut fields = match asked.unwrap_or_else(|_| late()) {
            Ok(fields) => fields,
            Err(problem) => vec![("problem", lua_string(&problem))],
        };
        fields.push(("number", question.number.to_string()));
        let answer = format!("return {}\n", lua_table(fields));
        // Where it cannot be written, the test is late, and says so.
        let _ = first.computer.folder().put(".harness/specs/answer", answer.as_bytes());
    }

    async fn act(&mut self, first: First<'_>, asked: &Asked) -> Result<Vec<(&'static str, String)>, String> {
        let (id, command) = match asked {
            Asked::Start(start) => {
                let id = self.start(first, start).await.map_err(|error| told(&error))?;
                return Ok(vec![("id", id.to_string())]);
            }
            Asked::Look { id } => return Ok(look(self.find(*id)?)),
            Asked::Lines { id } => return lines(self.find(*id)?).await,
            Asked::Reboot { id } => {
                self.find(*id)?.reboot().await.map_err(|error| told(&error))?;
                return Ok(Vec::new());
            }
            Asked::Stop { id } => {
                self.find(*id)?.stop().await.map_err(|error| told(&error))?;
                return Ok(Vec::new());
            }
            Asked::Forget { id } => {
                if let Some(computer) = self.computers.remove(id) {
                    computer.end().await;
                }
                return Ok(Vec::new());
            }
            Asked::Type { id, text } => (id, Command::type_text(&to_bytes(text))),
            Asked::Paste { id, text } => (id, Command::paste(&to_bytes(text))),
            Asked::Key { id, text } => (id, Command::key(text, &[])),
            Asked::Click { id, x, y, button } => (id, Command::mouse(*button, &[(*x, *y)])),
            Asked::Scroll { id, x, y, direction } => (id, Command::scroll(*direction, (*x, *y))),
            Asked::Event { id, text, values } => (id, Command::event(text, values)),
        };
        self.find(*id)?.command(&command).await.map_err(|error| told(&error))?;
        Ok(Vec::new())
    }

    fn find(&self, id: u32) -> Result<&Computer, String> {
        self.computers.get(&id).ok_or_else(|| format!("there is no other computer {id}"))
    }

    async fn start(&mut self, first: First<'_>, start: &Start) -> Result<u32, ComputerError> {
        let id = start.id.unwrap_or(self.last_id + 1);
        self.last_id = self.last_id.max(id);
        let mut spec = Spec::new(id);
        spec.program = start.program.as_deref().unwrap_or(SHELL).to_owned();
        spec.label = start.label.as_deref().map(as_text);
        spec.arguments = start.arguments.iter().map(|argument| as_text(argument)).collect();
        spec.settings = first.spec.settings.clone();
        spec.settings.extend(start.settings.iter().map(|(name, value)| (as_text(name), as_text(value))));
        spec.profile = first.spec.profile;
        if start.project {
            spec.copies.clone_from(&first.spec.copies);
        }
        spec.files = start.files.iter().map(|(path, text)| (as_text(path), as_text(text))).collect();
        let peripherals: Vec<Peripheral> = start.peripherals.iter().map(Given::read).collect();
        if !peripherals.is_empty() {
            World { peripherals, ..World::default() }.put_on(&mut spec);
        }
        let computer = first.computer.join(first.emulator, spec).await?;
        self.computers.insert(id, computer);
        Ok(id)
    }
}

impl Given {
    fn read(&self) -> Peripheral {
        let kind = match (&self.emulated, &self.code) {
            (None, Some(code)) => PeripheralKind::Scripted {
                code: as_text(code),
                shown: self.shown.as_deref().map(as_text).unwrap_or_default(),
                state: serde_json::Map::new(),
            },
            (emulated, _) => PeripheralKind::Emulated(emulated.clone().unwrap_or_default()),
        };
        Peripheral { name: self.name.clone(), kind, attached: true }
    }
}

/// The text that the characters of a computer are.
fn as_text(characters: &str) -> String {
    String::from_utf8_lossy(&to_bytes(characters)).into_owned()
}

fn look(computer: &Computer) -> Vec<(&'static str, String)> {
    // Before what it printed: what it wrote before its end is there by then.
    let exit = computer.exit();
    let printed = computer.printed_by_boot();
    let mut fields = vec![
        ("screen", lua_bytes(printed.screen().trim_end().as_bytes())),
        ("printed", lua_bytes(printed.all().trim_end().as_bytes())),
    ];
    fields.extend(exit.map(|exit| ("ended", lua_string(&exit.to_string()))));
    fields
}

async fn lines(computer: &Computer) -> Result<Vec<(&'static str, String)>, String> {
    let screen = computer.screen().await.map_err(|error| told(&error))?;
    let lines = screen.lines.iter().map(|line| {
        let parts = [&line.text, &line.colours, &line.backgrounds].map(|part| lua_string(part));
        format!("{{ {} }}", parts.join(", "))
    });
    Ok(vec![("lines", format!("{{ {} }}", lines.collect::<Vec<_>>().join(", ")))])
}

/// An error with its causes.
fn told(error: &ComputerError) -> String {
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        text = format!("{text}\ncaused by: {cause}");
        source = cause.source();
    }
    text
}
