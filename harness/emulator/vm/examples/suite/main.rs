//! Runs the files of a public test suite from a checkout outside the project, and prints a table of what passes.
//!
//! `suite lua DIR` runs the official tests of Lua 5.2, `suite cobalt DIR` those of Cobalt. What is left out of a file stands in
//! `lua-5.2.txt` and `cobalt.txt` beside this file, each with its reason. A part that would pass is not left out: the run fails
//! then, so that the lists stay true. Exit codes: 0 all passed, 1 not all did, 2 could not run.

mod left_out;
mod lua;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use craftos_lua::Dialect;
use left_out::{LeftOut, Part};
use lua::Outcome;

/// A suite: where its files are, and how they are run.
struct Suite {
    dialect: Dialect,
    list: &'static str,
    /// Folders below the one that is given.
    folders: &'static [&'static str],
    /// Lua that runs before each file.
    before: &'static str,
}

/// Tests of the C interface of Lua leave themselves out without `T`. What belongs to a desktop's Lua is `_port` there. `GC` takes the
/// place of a function that waits for finalizers.
const LUA: Suite = Suite {
    dialect: Dialect::Stock,
    list: include_str!("lua-5.2.txt"),
    folders: &["."],
    before: "_port, _nomsg, GC = true, true, collectgarbage",
};

const COBALT: Suite = Suite {
    dialect: Dialect::CraftosPc,
    list: include_str!("cobalt.txt"),
    folders: &[
        "assert",
        "assert/lua5.1",
        "assert/lua5.3",
        "assert/table",
        "coroutine",
        "compare",
        "compare/errors",
        "spec",
    ],
    before: include_str!("cobalt.lua"),
};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (suite, folder) = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["lua", folder] => (&LUA, PathBuf::from(folder)),
        ["cobalt", folder] => (&COBALT, PathBuf::from(folder).join("src/test/resources")),
        _ => {
            eprintln!("usage: suite lua|cobalt DIR");
            return ExitCode::from(2);
        }
    };
    let parts = match left_out::read(suite.list) {
        Ok(parts) => parts,
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::from(2);
        }
    };
    let files = files(suite, &folder);
    if files.is_empty() {
        eprintln!("error: there is no Lua file below `{}`", folder.display());
        return ExitCode::from(2);
    }
    println!("| file | result | left out |\n| --- | --- | --- |");
    let (mut passed, mut failed) = (0, 0);
    for file in &files {
        let row = row(suite, &folder, file, &parts);
        println!("| {file} | {} | {} |", row.result, row.left_out);
        passed += usize::from(row.passed);
        failed += usize::from(row.failed);
    }
    println!(
        "\n{passed} of {} files pass, {failed} fail, {} do not run",
        files.len(),
        files.len() - passed - failed
    );
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The suite's Lua files, by name. Those that begin with `_` are parts of others.
fn files(suite: &Suite, folder: &Path) -> Vec<String> {
    let mut files = Vec::new();
    for below in suite.folders {
        let Ok(entries) = std::fs::read_dir(folder.join(below)) else { continue };
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_lua = Path::new(&name).extension().is_some_and(|extension| extension == "lua");
            if is_lua && !name.starts_with('_') {
                files.push(if *below == "." { name } else { format!("{below}/{name}") });
            }
        }
    }
    files.sort();
    files
}

struct Row {
    result: String,
    left_out: String,
    passed: bool,
    failed: bool,
}

fn row(suite: &Suite, folder: &Path, file: &str, parts: &[LeftOut]) -> Row {
    let mine: Vec<&LeftOut> = parts.iter().filter(|part| part.file == file).collect();
    if let Some(whole) = mine.iter().find(|part| part.part == Part::Whole) {
        return Row {
            result: "not run".to_owned(),
            left_out: whole.reason.clone(),
            passed: false,
            failed: false,
        };
    }
    let outcome = lua::run(suite, folder, file, &mine, lua::BUDGET);
    let mut result = match &outcome {
        Outcome::Passed => "passes".to_owned(),
        Outcome::Failed(why) => format!("fails: {}", why.replace('\n', " ")),
    };
    // A part that passes is none to leave out.
    for (position, part) in mine.iter().enumerate() {
        let mut others = mine.clone();
        others.remove(position);
        let again = || lua::run(suite, folder, file, &others, lua::SHORT_BUDGET);
        if outcome == Outcome::Passed && again() == Outcome::Passed {
            result = format!("fails: {part} is left out and would pass");
        }
    }
    let passed = result == "passes";
    let left_out: Vec<String> = mine.iter().map(ToString::to_string).collect();
    Row { passed, failed: !passed, result, left_out: left_out.join("; ") }
}
