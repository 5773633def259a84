//! Checks the faults that a scenario plays in place of steps: what would not be played, and what is about a computer that is
//! not played on, would never happen and never be looked at.

use std::collections::BTreeSet;

use super::check::Wrong;
use super::file::{FaultsSection, ScenarioFile};
use crate::faults::{Fault, Kind};

/// Refuses what has no effect.
pub fn check_faults(file: &ScenarioFile) -> Result<(), Wrong> {
    let Some(section) = &file.faults else { return Ok(()) };
    let (at, faults) = (section.span().start, section.get_ref());
    check_alone(file).map_err(|message| Wrong::at(at, message))?;
    let begun = faults.profile.as_ref().map_or(at, |profile| profile.span().start);
    if faults.profile.is_some() && !(faults.faults.is_empty() && faults.calls.is_empty()) {
        let message =
            "`profile` draws faults and calls, and others are written\nhint: leave out the one or the other";
        return Err(Wrong::at(begun, message));
    }
    let linked: BTreeSet<String> =
        file.computers.iter().flat_map(|section| section.get_ref().linked_names()).collect();
    if linked.is_empty() {
        let message =
            "no computer is linked from the beginning by the current program: there is nothing to disturb";
        return Err(Wrong::at(begun, message));
    }
    for fault in &faults.faults {
        check_fault(fault.get_ref())
            .map_err(|(named, message)| Wrong::inside(fault.span().start, named, message))?;
    }
    check_names(faults, &linked)
}

/// Refuses sections that are not played beside faults.
fn check_alone(file: &ScenarioFile) -> Result<(), String> {
    let given = [
        ("steps", !file.steps.is_empty()),
        ("must_fail", !file.must_fail.is_empty()),
        ("servers", !file.servers.is_empty()),
        ("differs", !file.differs.is_empty()),
    ];
    match given.into_iter().find(|(_, is_given)| *is_given) {
        Some((key, _)) => Err(format!("`{key}` has no effect: `faults` are played in place of steps")),
        None => Ok(()),
    }
}

/// Refuses keys of a fault that belong to other kinds, and those that it lacks. What is wrong is given with the key.
fn check_fault(fault: &Fault) -> Result<(), (&'static str, String)> {
    let kind = fault.kind;
    let delay = fault.delay_ms + fault.jitter_ms;
    match (fault.computer.is_some(), kind == Kind::KillBridge) {
        (true, true) => return Err(("computer", format!("`{kind}` is of the bridge, not of a computer"))),
        (false, false) => {
            let message = format!("`{kind}` happens to a computer\nhint: name it with `computer`");
            return Err(("kind", message));
        }
        _ => {}
    }
    if kind.is_delay() && delay == 0 {
        return Err(("kind", format!("`{kind}` of 0 ms is none: give `delay_ms` or `jitter_ms`")));
    }
    if !kind.is_delay() && delay > 0 {
        return Err(("delay_ms", format!("`{kind}` has no delay")));
    }
    if (kind == Kind::ClockJump) == (fault.jump_ms == 0) {
        let message = "`jump_ms` belongs to `clock-jump`, which jumps by more than 0".to_owned();
        return Err(("jump_ms", message));
    }
    Ok(())
}

/// Refuses computers that are not played on.
fn check_names(faults: &FaultsSection, linked: &BTreeSet<String>) -> Result<(), Wrong> {
    let of_faults =
        faults.faults.iter().map(|one| ("fault", one.span().start, one.get_ref().computer.as_ref()));
    let of_calls = faults.calls.iter().map(|one| ("call", one.span().start, Some(&one.get_ref().computer)));
    let of_invariants =
        faults.invariants.iter().map(|one| ("invariant", one.span().start, one.get_ref().computer.as_ref()));
    for (what, at, name) in of_faults.chain(of_calls).chain(of_invariants) {
        if let Some(name) = name.filter(|name| !linked.contains(*name)) {
            let message = format!(
                "the {what} names computer `{name}`, which is not there, or not linked from the beginning by the current program"
            );
            return Err(Wrong::inside(at, "computer", message));
        }
    }
    Ok(())
}
