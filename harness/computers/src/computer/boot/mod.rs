//! The Lua that boots a computer: it runs the program, records what it shows, and takes commands.
//!
//! It is given to the emulator with `--script`, so that a computer's own startup files stay its own. What differs from
//! computer to computer is in a file on each.

use std::collections::BTreeMap;
use std::time::Duration;

use super::Spec;
use super::lua::{lua_string, lua_table};

/// The parts that `main.lua` asks for by name.
const PARTS: [(&str, &str); 7] = [
    ("files", include_str!("files.lua")),
    ("ids", include_str!("ids.lua")),
    ("screen", include_str!("screen.lua")),
    ("sockets", include_str!("sockets.lua")),
    ("commands", include_str!("commands.lua")),
    ("typing", TYPING),
    ("input", include_str!("input.lua")),
];

/// What a keyboard and a mouse send: a part of its own, which the runner of specs uses too.
pub const TYPING: &str = include_str!("typing.lua");

const MAIN: &str = include_str!("main.lua");

/// The code of a computer whose boot failed. It leaves no exit of its own, so that this is taken for a crash.
const BOOT_FAILED: i32 = 2;

/// How the boot of a computer is tuned to its emulator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tuning {
    /// How often it looks for commands.
    pub tick: Duration,
    /// How long the emulator may take to close sockets before the computer turns off.
    pub closing: Duration,
    /// Whether the emulator takes numbers of timers for itself.
    pub takes_numbers: bool,
}

/// The script that boots every computer of a process.
pub fn script() -> String {
    let parts = PARTS.map(|(name, lua)| format!("parts[{}] = function(...)\n{lua}\nend\n", lua_string(name)));
    [
        "local parts, shut_down = {}, os.shutdown\n",
        // A program may replace any function of `fs`: the harness goes on with the emulator's own.
        "local fs = (function()\n    local kept = {}\n    for name, value in pairs(fs) do\n        kept[name] = value\n    end\n    return kept\nend)()\n",
        &parts.concat(),
        "local function part(name, ...)\n    return parts[name](...)\nend\n",
        "local _, message = pcall(function()\n",
        MAIN,
        "end)\nprintError(message)\n",
        &format!("shut_down({BOOT_FAILED})\n"),
    ]
    .concat()
}

/// The file of one computer: what it runs.
pub fn file(spec: &Spec, tuning: Tuning) -> String {
    let arguments: Vec<String> = spec.arguments.iter().map(|argument| lua_string(argument)).collect();
    let settings: BTreeMap<&str, String> =
        spec.settings.iter().map(|(name, value)| (name.as_str(), setting(value))).collect();
    let extension = spec.extension.as_ref().map_or_else(|| "nil".to_owned(), |path| lua_string(path));
    format!(
        "return {{\n    program = {},\n    arguments = {{ n = {}, {} }},\n    settings = {},\n    tick = {},\n    closing = {},\n    takes_numbers = {},\n    extension = {extension},\n}}\n",
        lua_string(&spec.program),
        arguments.len(),
        arguments.join(", "),
        lua_table(settings),
        tuning.tick.as_secs_f64(),
        tuning.closing.as_secs_f64(),
        tuning.takes_numbers,
    )
}

/// A setting has the type that its text has for the emulators: a boolean, a number, otherwise a string.
fn setting(text: &str) -> String {
    let is_number = || text.parse::<f64>().is_ok_and(f64::is_finite);
    match text {
        "true" | "false" => text.to_owned(),
        text if is_number() => text.trim_start_matches('+').to_owned(),
        text => lua_string(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_has_the_type_of_its_text() {
        let settings = [("true", "true"), ("7", "7"), ("-0.5", "-0.5"), ("a,b", "\"a,b\""), ("", "\"\"")];
        for (text, lua) in settings {
            assert_eq!(setting(text), lua);
        }
        assert_eq!(setting("inf"), "\"inf\"");
        assert_eq!(setting("nan"), "\"nan\"");
    }
}
