//! The options that stand before or after a command, and which command takes which: one that would not be used is an error.

use std::ffi::{OsStr, OsString};

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, CommandFactory as _, FromArgMatches as _};

use crate::cli::{Cli, Command};

/// Each of these options, as the program knows it and as it is typed, with the commands that take it.
const TAKEN_BY: [(&str, &str, &[&str]); 4] = [
    ("emulator", "--emulator", &["run", "simulate", "up", "lua", "test", "doctor", "bench"]),
    ("craftos_pc", "--craftos-pc", &["run", "up", "lua", "test", "doctor", "bench"]),
    ("program", "--program", &["run", "simulate", "up", "doctor", "bench"]),
    ("fixtures", "--fixtures", &["run", "simulate", "list", "up", "doctor", "bench"]),
];

/// A program that does not read variables that are set to nothing: workflows set them so where they have no value.
fn without_empty(program: clap::Command) -> clap::Command {
    let is_empty = |name: &OsStr| std::env::var_os(name).is_some_and(|value| value.is_empty());
    let ignore = |argument: Arg| match argument.get_env() {
        Some(name) if is_empty(name) => argument.env(None::<&str>),
        _ => argument,
    };
    program.mut_args(ignore).mut_subcommands(without_empty)
}

impl Cli {
    /// Reads the command line.
    pub fn read(arguments: impl IntoIterator<Item = OsString>) -> Result<Self, clap::Error> {
        let mut program = without_empty(Self::command());
        // Gives every command the options of all; what a command does not take, its help does not show.
        program.build();
        for command in program.get_subcommands_mut() {
            hide(command, &not_taken(command.get_name()));
        }
        let matches = program.try_get_matches_from_mut(arguments)?;
        let typed = |option| matches.value_source(option) == Some(ValueSource::CommandLine);
        if let Some(command) = matches.subcommand_name()
            && let Some((_, option)) = not_taken(command).into_iter().find(|(id, _)| typed(id))
        {
            return Err(program.error(ErrorKind::UnknownArgument, format!("`{command}` takes no `{option}`")));
        }
        let cli = Self::from_arg_matches(&matches)?;
        match cli.not_used() {
            Some(wrong) => Err(program.error(ErrorKind::ArgumentConflict, wrong)),
            None => Ok(cli),
        }
    }

    /// What would not be used although the command takes it in other cases.
    fn not_used(&self) -> Option<String> {
        match (&self.command, &*self.emulator) {
            (Some(Command::Simulate(args)), _)
                if args.kill.kill_everywhere.is_some() && self.names_folders() =>
            {
                Some(
                    "`--kill-everywhere` plays one program: it takes no `--program` and no `--fixtures`"
                        .to_owned(),
                )
            }
            (Some(Command::Simulate(_)), named) => {
                let other = named.iter().find(|name| *name != "embedded")?;
                Some(format!("`simulate` has virtual time on `embedded` only, not on `{other}`"))
            }
            (Some(Command::Up(_)), [_, _, ..]) => {
                Some("`up` boots one emulator: give `--emulator` once".to_owned())
            }
            (Some(Command::Lua { .. }), [_, _, ..]) => {
                Some("`lua` boots one emulator: give `--emulator` once".to_owned())
            }
            _ => None,
        }
    }

    fn names_folders(&self) -> bool {
        self.program.is_some() || self.fixtures.is_some()
    }
}

/// The options that a command does not take.
fn not_taken(command: &str) -> Vec<(&'static str, &'static str)> {
    let not = TAKEN_BY.iter().filter(|(_, _, commands)| !commands.contains(&command));
    not.map(|(id, typed, _)| (*id, *typed)).collect()
}

/// Leaves options out of the help of a command and of those below it.
fn hide(command: &mut clap::Command, options: &[(&str, &str)]) {
    let is_hidden = |argument: &Arg| options.iter().any(|(id, _)| argument.get_id() == *id);
    *command = std::mem::take(command).mut_args(|argument| {
        let hidden = is_hidden(&argument);
        if hidden { argument.hide(true) } else { argument }
    });
    for below in command.get_subcommands_mut() {
        hide(below, options);
    }
}
