//! Judges what was played: compares transcripts with the snapshot, or makes them the snapshot.

use super::words::chain;
use super::{Outcome, Suite, Turn};
use crate::scenario::{Comparison, accept, compare, difference};

/// A turn's transcript with the last screens, or how it ended without one.
pub type Ended = Result<(String, String), Outcome>;

impl Suite {
    /// The outcome of each turn. All turns are of one scenario on one emulator: where a snapshot is to be accepted, all
    /// rounds, otherwise one.
    pub(super) fn judge(&self, turn: &Turn, ended: Vec<Ended>) -> Vec<Outcome> {
        if !turn.accepting {
            return ended.into_iter().map(|ended| self.judge_one(turn, ended)).collect();
        }
        // Each with its round, counted from 1.
        let told = |(index, ended): (usize, &'_ Ended)| {
            ended.as_ref().ok().map(|(transcript, _)| (index + 1, transcript.clone()))
        };
        let transcripts: Vec<(usize, String)> = ended.iter().enumerate().filter_map(told).collect();
        let all_ended = transcripts.len() == ended.len();
        let Some((first_round, first)) = transcripts.first() else {
            return ended.into_iter().filter_map(Result::err).collect();
        };
        let outcome = match (transcripts.iter().find(|(_, other)| other != first), all_ended) {
            (Some((round, other)), _) => Outcome::Failed(format!(
                "round {round} differs from round {first_round}, so nothing was accepted (- round {first_round}, + round {round}):\n\n{}",
                difference(first, other)
            )),
            (None, false) => {
                Outcome::Failed("another round did not end well, so nothing was accepted\n".to_owned())
            }
            (None, true) => Self::accept(turn, first),
        };
        ended.into_iter().map(|ended| ended.err().unwrap_or_else(|| outcome.clone())).collect()
    }

    /// Makes a transcript the expected one.
    fn accept(turn: &Turn, transcript: &str) -> Outcome {
        let (folder, kind) = (&turn.scenario.folder, turn.emulator.kind);
        let differs = turn.scenario.file.differs.get(&kind).map(|_| kind);
        if let Some(outcome) = no_longer_differs(turn, transcript, false) {
            return outcome;
        }
        match accept(folder, &turn.scenario.source, transcript, differs) {
            Ok(()) => Outcome::Accepted,
            // Nothing is wrong with what was played; what would have been accepted is still shown.
            Err(error) => {
                let why = chain(&error);
                Outcome::Broken(match compare(folder, transcript, differs, false) {
                    Ok(Comparison::Different(diff)) => {
                        format!("{why}\nit differs from the snapshot (- expected, + now):\n\n{diff}")
                    }
                    _ => why,
                })
            }
        }
    }

    /// Compares a transcript with the snapshot.
    pub(super) fn judge_one(&self, turn: &Turn, ended: Ended) -> Outcome {
        let (transcript, last) = match ended {
            Ok(ended) => ended,
            Err(outcome) => return outcome,
        };
        // What went wrong on purpose decides the transcript; what has to hold was looked at.
        if turn.plan.is_some() {
            return Outcome::Passed;
        }
        let (folder, kind) = (&turn.scenario.folder, turn.emulator.kind);
        let differs = turn.scenario.file.differs.get(&kind).map(|_| kind);
        let is_foreign = self.bridge.is_some();
        if let Some(outcome) = no_longer_differs(turn, &transcript, is_foreign) {
            return outcome;
        }
        let hint = || {
            let (name, flags) = (&turn.scenario.name, &self.flags);
            format!("hint: `craftos-harness run {name}{flags} --accept` makes it the expected one\n")
        };
        match compare(folder, &transcript, differs, is_foreign) {
            Ok(Comparison::Same) => Outcome::Passed,
            Ok(Comparison::New) => Outcome::Failed(format!(
                "there is no snapshot yet; the transcript was:\n\n{transcript}\n{}",
                hint()
            )),
            Ok(Comparison::Different(diff)) => Outcome::Failed(format!(
                "the transcript differs from the snapshot (- expected, + now):\n\n{diff}\n{last}{}",
                hint()
            )),
            Err(error) => Outcome::Failed(chain(&error)),
        }
    }
}

/// Compares a transcript with one that is about to become the snapshot.
pub(super) fn against(expected: &str, transcript: &str) -> Outcome {
    if expected == transcript {
        return Outcome::Passed;
    }
    let diff = difference(expected, transcript);
    Outcome::Failed(format!("the transcript differs from the snapshot (- expected, + now):\n\n{diff}"))
}

/// A known difference that is gone is a failure: what the scenario says of that emulator is not true any more.
fn no_longer_differs(turn: &Turn, transcript: &str, is_foreign: bool) -> Option<Outcome> {
    let (folder, kind) = (&turn.scenario.folder, turn.emulator.kind);
    turn.scenario.file.differs.get(&kind)?;
    matches!(compare(folder, transcript, None, is_foreign), Ok(Comparison::Same)).then(|| {
        Outcome::Failed(format!(
            "the scenario says that it differs on {kind}, but it no longer does\nhint: remove `differs` from the scenario, and that snapshot\n"
        ))
    })
}
