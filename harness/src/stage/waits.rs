//! Waiting for what happens to the link of a computer.

use std::time::Duration;

use tokio::time::Instant;

use super::{Stage, StageError};
use crate::computer::ComputerError;
use crate::record::Record;

/// A computer links within 0.1 s; ten that boot at once on a busy machine need seconds.
pub const LINK_PATIENCE: Duration = Duration::from_secs(30);

/// What each further computer adds to that: a debug build boots some 50 in a second, and a tenth of that on a busy machine.
const LINK_PATIENCE_EACH: Duration = Duration::from_millis(200);

/// Both versions of the program say this once they have read the answer to their hello.
const LINKED: &str = "linked as ";

/// With these words a line begins that is not true of a link any more.
const UNLINKED: [&str; 2] = ["mcp-computer v", "connecting again in "];

/// Whether a program says that it is linked, and has said nothing else since. It may never have read a greeting that
/// the record has seen, so that greetings cannot be counted.
fn says_linked(printed: &str) -> bool {
    let last = |words: &[&str]| {
        let is_said = |line: &str| words.iter().any(|word| line.starts_with(word));
        printed.lines().enumerate().filter(|(_, line)| is_said(line)).map(|(number, _)| number).last()
    };
    last(&[LINKED]) > last(&UNLINKED)
}

impl Stage {
    /// How long a computer may take to link: longer where many boot at once.
    fn patience(&self) -> Duration {
        let many = u32::try_from(self.computers.len()).unwrap_or(u32::MAX);
        LINK_PATIENCE + LINK_PATIENCE_EACH.saturating_mul(many)
    }

    /// Waits until a computer is linked, and has read that it is.
    pub async fn linked(&self, name: &str) -> Result<(), StageError> {
        let computer = self.computer(name)?;
        self.until(name, "linked", |record| record.is_linked(name)).await?;
        computer.prints("showing `linked as `", self.patience(), says_linked).await?;
        Ok(())
    }

    /// Waits until a computer has no link any more.
    pub async fn gone(&self, name: &str) -> Result<(), StageError> {
        self.until(name, "gone", |record| record.has_left(name)).await
    }

    /// Waits until something holds for the links of a computer.
    pub async fn until(
        &self,
        name: &str,
        condition: &str,
        holds: impl Fn(&Record) -> bool,
    ) -> Result<(), StageError> {
        let mut changes = self.record.watch(name);
        let deadline = Instant::now() + self.patience();
        while !holds(&self.record) {
            self.look(name, condition, deadline, &mut changes).await?;
        }
        Ok(())
    }

    /// Waits for the next change of the record; sees meanwhile whether the computer still runs.
    async fn look(
        &self,
        name: &str,
        condition: &str,
        deadline: Instant,
        changes: &mut tokio::sync::watch::Receiver<u64>,
    ) -> Result<(), StageError> {
        let next = Instant::now() + Duration::from_millis(100);
        let noticed = tokio::time::timeout_at(next.min(deadline), changes.changed()).await;
        if noticed.is_ok() {
            return Ok(());
        }
        let computer = self.computer(name)?;
        if Instant::now() >= deadline {
            return Err(computer.deadline(condition, self.patience()).into());
        }
        // Once it has ended and its last link with it, nothing more comes.
        if let Some(exit) = computer.exit().filter(|_| self.record.has_left(name)) {
            let (computer, last) = (name.to_owned(), computer.last());
            let condition = format!("it was {condition}");
            return Err(ComputerError::Ended { computer, condition, exit, last }.into());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::says_linked;

    #[test]
    fn the_last_word_of_a_program_counts() {
        let boot = "mcp-computer v0.2.0 connecting to\nws://127.0.0.1:1/12\n";
        let linked = "linked as 12 (Label: connecting again in )\nwaiting for requests...\n";
        let lost = "link lost: gone\nconnecting again in 1.1 s\n";
        assert!(!says_linked(""));
        assert!(!says_linked(boot));
        assert!(says_linked(&format!("{boot}{linked}")));
        assert!(!says_linked(&format!("{boot}{linked}{lost}")));
        assert!(says_linked(&format!("{boot}{lost}{linked}")));
        assert!(!says_linked(&format!("{boot}{linked}{boot}")));
    }
}
