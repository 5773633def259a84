//! Waits for what a computer does. Its end ends every wait at once.

use std::time::Duration;

use tokio::time::Instant;

use super::{Computer, ComputerError, Death, Exit, Printed};

/// How soon a file is looked at again. Each look waits longer, up to the second: a thousand computers that are waited
/// for would otherwise have the machine look at files and do nothing else.
const LOOK: (Duration, Duration) = (Duration::from_millis(2), Duration::from_millis(40));

/// What a process may take to end by itself once its computer is off. CraftOS-PC takes a second where it has a socket;
/// a busy machine makes more of it.
pub(super) const END_GRACE: Duration = Duration::from_secs(10);

/// What a computer may take to boot: a tenth of a second, and more where many boot at once on a busy machine.
const BOOT_GRACE: Duration = Duration::from_secs(20);

impl Computer {
    /// Waits until something is seen. What a computer wrote before its end is looked at before the end counts.
    pub(super) async fn until<T>(
        &self,
        condition: &str,
        patience: Duration,
        seen: impl Fn() -> Option<T>,
    ) -> Result<T, ComputerError> {
        let (deadline, mut look) = (Instant::now() + patience, LOOK.0);
        loop {
            let exit = self.exit();
            if let Some(seen) = seen() {
                return Ok(seen);
            }
            if let Some(exit) = exit {
                return Err(self.ended(condition, exit).await);
            }
            if Instant::now() >= deadline {
                return Err(self.deadline(condition, patience));
            }
            self.pause(look.min(deadline - Instant::now())).await;
            look = (look * 2).min(LOOK.1);
        }
    }

    /// Waits a while, or until the process has ended.
    async fn pause(&self, time: Duration) {
        let running = self.housing.running();
        if !self.housing.is_shared() && self.housing.said(self.spec.id).is_some() {
            // Off, and about to end.
            running.process.end_by_itself(END_GRACE).await;
        } else if running.process.status().is_none() {
            running.process.ended_within(time).await;
        } else {
            tokio::time::sleep(time).await;
        }
    }

    async fn ended(&self, condition: &str, exit: Exit) -> ComputerError {
        let death = self.last_words(exit).await;
        ComputerError::Ended {
            computer: self.spec.name.clone(),
            condition: format!("it was {condition}"),
            exit: death.exit,
            last: death.last_words,
        }
    }

    async fn last_words(&self, exit: Exit) -> Death {
        let running = self.housing.running();
        if running.process.status().is_some() {
            running.process.drained().await;
        }
        Death { exit, last_words: self.last() }
    }

    /// Waits for the end of the computer, however it comes; to be raced against any other wait.
    pub async fn death(&self) -> Death {
        loop {
            if let Some(exit) = self.exit() {
                return self.last_words(exit).await;
            }
            self.pause(LOOK.1).await;
        }
    }

    /// Waits until the computer has ended by itself.
    pub async fn exited(&self, patience: Duration) -> Result<Exit, ComputerError> {
        match tokio::time::timeout(patience, self.death()).await {
            Ok(death) => Ok(death.exit),
            Err(_) => Err(self.deadline("ended", patience)),
        }
    }

    /// Waits until the computer has printed this so many times since it was booted.
    pub async fn shows(&self, text: &str, times: usize, patience: Duration) -> Result<(), ComputerError> {
        let shown = |printed: &str| printed.matches(text).count() >= times;
        self.prints(&format!("showing `{text}`"), patience, shown).await
    }

    /// Waits until something holds for what the computer has printed since it was booted.
    pub async fn prints(
        &self,
        condition: &str,
        patience: Duration,
        holds: impl Fn(&str) -> bool,
    ) -> Result<(), ComputerError> {
        self.printed_until(condition, patience, |printed| holds(printed.this_boot())).await
    }

    /// Waits until the screen, as it is now and not as it was, has this text.
    pub async fn has_on_screen(&self, text: &str, patience: Duration) -> Result<(), ComputerError> {
        let shown = |printed: &Printed| printed.screen().contains(text);
        self.printed_until(&format!("having `{text}` on its screen"), patience, shown).await
    }

    async fn printed_until(
        &self,
        condition: &str,
        patience: Duration,
        holds: impl Fn(&Printed) -> bool,
    ) -> Result<(), ComputerError> {
        let floor = self.floor();
        let seen = || {
            let printed = self.folder.printed();
            (printed.boot() > floor && holds(&printed)).then_some(())
        };
        self.until(condition, patience, seen).await
    }

    /// Waits until the computer runs what the harness put on it.
    pub async fn booted(&self) -> Result<(), ComputerError> {
        self.booted_within(BOOT_GRACE).await
    }

    pub(super) async fn booted_within(&self, patience: Duration) -> Result<(), ComputerError> {
        let floor = self.floor();
        self.until("booted", patience, || (self.boot_number() > floor).then_some(())).await
    }

    /// The error of a deadline that has passed, with all that is known.
    pub fn deadline(&self, condition: &str, patience: Duration) -> ComputerError {
        let (computer, seconds) = (self.spec.name.clone(), patience.as_secs());
        ComputerError::Deadline { computer, condition: condition.to_owned(), seconds, last: self.last() }
    }
}
