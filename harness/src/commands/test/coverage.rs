//! `test --coverage`: what it needs, what it says, and whether it is enough.

use craftos_specs::coverage::{Coverage, table};
use craftos_specs::play::Target;
use craftos_specs::project::Project;

use super::super::out::out;
use crate::config::TestConfig;
use crate::emulators::Kind;

/// Refuses a run in which nothing would be counted, and says what is not.
pub fn check(targets: &[Target]) -> anyhow::Result<()> {
    let counts = |target: &&Target| target.emulator.kind == Kind::Embedded;
    anyhow::ensure!(
        targets.iter().any(|target| counts(&target)),
        "only the embedded emulator counts lines, and the tests run on another\nhint: leave out `--coverage`, or add `--emulator embedded`"
    );
    if let Some(other) = targets.iter().find(|target| !counts(target)) {
        eprintln!(
            "coverage: what runs on {} is not counted, only the embedded emulator counts lines",
            other.emulator.kind
        );
    }
    Ok(())
}

/// Prints the table; says whether as much was run as the project wants. A part of the specs is not measured by that.
pub fn tell(coverage: &Coverage, project: &Project, test: &TestConfig) -> anyhow::Result<bool> {
    let shown = format!("coverage, in lines, on the embedded emulator:\n{}", table(coverage));
    if test.json {
        eprint!("{shown}");
    } else {
        out!("{shown}");
    }
    for (path, message) in &coverage.unreadable {
        eprintln!("coverage: `{}` does not count, because it is not Lua: {message}", path.display());
    }
    let Some(minimum) = project.coverage.minimum_percent else { return Ok(true) };
    let is_part = !test.filters.is_empty() || test.shard.of > 1;
    let is_enough = coverage.ran() * 100 >= coverage.total() * usize::from(minimum);
    if is_enough {
        return Ok(true);
    }
    let what = format!("less than `minimum_percent = {minimum}` of the lines ran");
    if is_part {
        eprintln!("coverage: {what}; this is not a failure, because not all specs ran");
        return Ok(true);
    }
    eprintln!("error: {what}");
    Ok(false)
}
