//! Commands for a computer that runs, each with an answer.
//!
//! A command is a file that the computer takes between two events of its program, and the answer is another. It is
//! meant for one boot: a computer that reboots before it takes one refuses it.

use std::time::Duration;

use serde_json::Value;

use super::lua::{lua_bytes, lua_string, lua_value};
use super::printed::as_text;
use super::{Computer, ComputerError};

/// What a computer may take to answer a command; one that runs a loop that never yields answers none. CraftOS-PC stops
/// such a loop after 17 s.
pub(super) const ANSWER: Duration = Duration::from_secs(30);

/// Who closes the sockets of a computer before it turns off or reboots.
#[derive(Clone, Copy)]
pub enum Closing<'a> {
    /// The computer does.
    Itself,
    /// The other side does, once this is called: no program runs on the computer by then. What it leaves open, the
    /// computer closes.
    Other(&'a (dyn Fn() + Sync)),
}

impl std::fmt::Debug for Closing<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Itself => "Itself",
            Self::Other(_) => "Other",
        })
    }
}

impl Closing<'_> {
    fn argument(self) -> Vec<String> {
        match self {
            Self::Itself => Vec::new(),
            Self::Other(_) => vec![true.to_string()],
        }
    }

    pub(super) fn begin(self) {
        if let Self::Other(close) = self {
            close();
        }
    }
}

/// Something that a computer is asked to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    name: &'static str,
    /// Lua values.
    arguments: Vec<String>,
}

impl Command {
    /// Queues an event; the program sees it as any other.
    pub fn event(name: &str, values: &[Value]) -> Self {
        let arguments = std::iter::once(lua_string(name)).chain(values.iter().map(lua_value)).collect();
        Self { name: "event", arguments }
    }

    /// Raises the newest running timer of this duration before its time.
    pub fn timer(seconds: f64) -> Self {
        Self { name: "timer", arguments: vec![seconds.to_string()] }
    }

    /// Asks for what the boot's extension knows by this name.
    pub fn extension(name: &'static str, arguments: &[Value]) -> Self {
        Self { name, arguments: arguments.iter().map(lua_value).collect() }
    }

    /// Types a text, a character each; a newline is the Enter key. Bytes are characters of the computer.
    pub fn type_text(text: &[u8]) -> Self {
        Self { name: "type", arguments: vec![lua_bytes(text)] }
    }

    /// Pastes a text.
    pub fn paste(text: &[u8]) -> Self {
        Self { name: "paste", arguments: vec![lua_bytes(text)] }
    }

    /// Presses a key, by its name in `keys`, while others are held.
    pub fn key(name: &str, held: &[String]) -> Self {
        let held: Vec<String> = held.iter().map(|name| lua_string(name)).collect();
        Self { name: "key", arguments: vec![lua_string(name), format!("{{ {} }}", held.join(", "))] }
    }

    /// Presses a button of the mouse at the first place, moves over the others, and lets it go at the last. A place has
    /// its column and its line, from 1.
    pub fn mouse(button: u8, places: &[(u32, u32)]) -> Self {
        let places: Vec<String> = places.iter().map(|(x, y)| format!("{{ {x}, {y} }}")).collect();
        Self { name: "mouse", arguments: vec![button.to_string(), format!("{{ {} }}", places.join(", "))] }
    }

    /// Turns the mouse wheel at a place: 1 is down, -1 up.
    pub fn scroll(direction: i8, (x, y): (u32, u32)) -> Self {
        Self { name: "scroll", arguments: vec![direction.to_string(), x.to_string(), y.to_string()] }
    }

    /// Runs Lua between two events of the program, which must not wait. The answer is empty where it returns true, and
    /// says why not otherwise.
    pub fn check(lua: &str) -> Self {
        Self { name: "check", arguments: vec![lua_string(lua)] }
    }

    pub(super) fn screen() -> Self {
        Self { name: "screen", arguments: Vec::new() }
    }

    /// Has the emulator create another computer in the same process.
    pub(super) fn create(id: u32) -> Self {
        Self { name: "create", arguments: vec![id.to_string()] }
    }

    pub(super) fn reboot(closing: Closing) -> Self {
        Self { name: "reboot", arguments: closing.argument() }
    }

    pub(super) fn stop(closing: Closing) -> Self {
        Self { name: "stop", arguments: closing.argument() }
    }

    fn file(&self, id: u64, boot: u32) -> String {
        let (count, arguments) = (self.arguments.len(), self.arguments.join(", "));
        format!(
            "return {{ id = {id}, boot = {boot}, name = {}, arguments = {{ n = {count}, {arguments} }} }}\n",
            lua_string(self.name)
        )
    }
}

impl std::fmt::Display for Command {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}({})", self.name, self.arguments.join(", "))
    }
}

impl Computer {
    /// Sends a command and waits until it is done. An error says why it was not: refused, ended, or not answered.
    pub async fn command(&self, command: &Command) -> Result<String, ComputerError> {
        Ok(as_text(&self.command_within(command, ANSWER).await?))
    }

    pub(super) async fn command_within(
        &self,
        command: &Command,
        patience: Duration,
    ) -> Result<Vec<u8>, ComputerError> {
        // One at a time: there is one place for a command, and one for its answer.
        let mut last = self.commands.lock().await;
        self.must_run()?;
        self.booted_within(patience).await?;
        *last += 1;
        let id = *last;
        self.folder.remove_note("answer");
        self.folder.put_note("command", &command.file(id, self.boot_number()))?;
        let answered = self.until(&format!("done with `{command}`"), patience, || self.answer(id)).await;
        match answered {
            Ok((true, said)) => Ok(said),
            Ok((false, reason)) => Err(ComputerError::Refused {
                computer: self.spec.name.clone(),
                command: command.to_string(),
                reason: as_text(&reason),
            }),
            Err(error) => {
                // It is not done later, when nobody expects it any more.
                self.folder.remove_note("command");
                Err(error)
            }
        }
    }

    /// The answer to a command: whether it was done, and what was said.
    fn answer(&self, id: u64) -> Option<(bool, Vec<u8>)> {
        read_answer(&self.folder.note("answer")?, id)
    }
}

fn read_answer(bytes: &[u8], id: u64) -> Option<(bool, Vec<u8>)> {
    let line = bytes.iter().position(|byte| *byte == b'\n')?;
    let (head, said) = (std::str::from_utf8(&bytes[..line]).ok()?, &bytes[line + 1..]);
    match head.split_once(' ')? {
        (number, word) if number.parse() == Ok(id) => Some((word == "done", said.to_vec())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_command_keeps_its_arguments() {
        let command = Command::event("key", &[json!(65), json!(null), json!("a b")]);
        assert_eq!(
            command.file(7, 2),
            "return { id = 7, boot = 2, name = \"event\", arguments = { n = 4, \"key\", 65, nil, \"a b\" } }\n"
        );
        assert_eq!(Command::timer(0.5).to_string(), "timer(0.5)");
        assert_eq!(Command::type_text(b"a\xfc\n").to_string(), "type(\"a\\252\\010\")");
        assert_eq!(Command::mouse(1, &[(2, 3), (4, 3)]).to_string(), "mouse(1, { { 2, 3 }, { 4, 3 } })");
    }

    #[test]
    fn an_answer_to_another_command_is_none() {
        assert_eq!(read_answer(b"7 done\n", 7), Some((true, Vec::new())));
        assert_eq!(read_answer(b"7 refused\nno timer\n", 7), Some((false, b"no timer\n".to_vec())));
        assert_eq!(read_answer(b"6 done\n", 7), None);
        assert_eq!(read_answer(b"7 do", 7), None);
    }
}
