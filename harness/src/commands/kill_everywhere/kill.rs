//! One kill: the computer is booted again on the disk as it was, runs to its end, and is checked.

use std::path::Path;
use std::time::Duration;

use super::stage::{End, For, Stage, Yield};
use super::subject::Subject;
use crate::computer::{lua_string, lua_table};

/// How long a computer is off after a kill, in virtual time.
const OFF: Duration = Duration::from_secs(1);

/// How a run after a kill turned out.
#[derive(Debug)]
pub struct Verdict {
    pub at: Yield,
    /// What is wrong; none where everything holds.
    pub problem: Option<Problem>,
    pub screen: String,
}

/// What is wrong after a kill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    /// The program failed after the restart.
    Failed(String),
    /// It did not end, as it does without a kill.
    NoEnd(String),
    /// The check does not hold.
    Check(String),
}

impl Problem {
    /// What happened, in a line.
    pub fn told(&self) -> String {
        match self {
            Self::Failed(error) => format!("failed after the restart: {error}"),
            Self::NoEnd(how) => format!("did not end after the restart: {how}"),
            Self::Check(said) => format!("the check does not hold: {said}"),
        }
    }
}

/// What every kill of a run has in common.
#[derive(Debug, Clone, Copy)]
pub struct Trial<'a> {
    pub subject: &'a Subject,
    pub seed: u64,
    pub until: Duration,
    /// Whether the program ends without a kill.
    pub ends: bool,
}

impl Trial<'_> {
    /// Boots the computer whose disk is in that data folder, as it was at a kill.
    pub fn judge(&self, data: &Path, at: Yield) -> anyhow::Result<Verdict> {
        let began = at.time.saturating_add(OFF);
        let stage = Stage::boot(self.subject, data, For::Again, self.seed, began, self.until)?;
        let ran = stage.play();
        let problem = match self.wrong(&ran.end) {
            None => self.check(data, &ran.end, &ran.screen, ran.time, Some(&at))?,
            some => some,
        };
        Ok(Verdict { at, problem, screen: ran.screen })
    }

    /// What is wrong with the way in which a program ended.
    fn wrong(&self, end: &End) -> Option<Problem> {
        match end {
            End::Ended => None,
            End::Failed(error) => Some(Problem::Failed(error.clone())),
            End::StillRuns | End::Waits if !self.ends => None,
            End::StillRuns => {
                Some(Problem::NoEnd(format!("it still runs {} s later", self.until.as_secs_f64())))
            }
            End::Waits => Some(Problem::NoEnd("it waits for what nobody does".to_owned())),
            End::Endless(endless) => Some(Problem::NoEnd(endless.to_string())),
        }
    }

    /// Runs the check on the computer of a data folder, turned off and on again; what it said if it does not hold.
    pub fn check(
        &self,
        data: &Path,
        end: &End,
        screen: &str,
        time: Duration,
        killed: Option<&Yield>,
    ) -> anyhow::Result<Option<Problem>> {
        if self.subject.check.is_none() {
            return Ok(None);
        }
        let mut fields = vec![("ended", (*end == End::Ended).to_string()), ("screen", lua_string(screen))];
        if let Some(at) = killed {
            fields.push(("killed_at", at.number.to_string()));
        }
        let run = lua_table(fields);
        let stage = Stage::boot(
            self.subject,
            data,
            For::Check(&run),
            self.seed,
            time.saturating_add(OFF),
            self.until,
        )?;
        Ok(match stage.play().end {
            End::Ended => None,
            End::Failed(said) => Some(Problem::Check(said)),
            End::StillRuns | End::Waits | End::Endless(_) => {
                Some(Problem::Check("it did not end".to_owned()))
            }
        })
    }
}
