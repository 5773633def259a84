//! An emulator or a bridge that died ends what waits at once, and is told as that.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::{Stage, StageError};
use crate::computer::Exit;

/// How often it is looked whether an emulator or the bridge has died: at once for a person, and nothing for a machine.
const DEATH_LOOK: Duration = Duration::from_millis(50);

/// How long a process whose connection has ended may take to be seen as ended too.
const DYING: Duration = Duration::from_secs(2);

impl Stage {
    /// Does something, and gives it up as soon as an emulator or the bridge has died.
    pub async fn unless_broken<T>(
        &self,
        work: impl Future<Output = Result<T, StageError>>,
    ) -> Result<T, StageError> {
        let done = tokio::select! {
            biased;
            done = work => done,
            death = self.death() => Err(death),
        };
        // What failed because something died is told as that.
        match done {
            Err(error) if error.is_lost() => {
                // A connection ends a moment before the process behind it is seen to have ended.
                Err(tokio::time::timeout(DYING, self.death()).await.unwrap_or(error))
            }
            Err(error) if !error.is_broken() => Err(self.dead().await.unwrap_or(error)),
            done => done,
        }
    }

    /// Waits until something has died.
    async fn death(&self) -> StageError {
        loop {
            if let Some(death) = self.dead().await {
                return death;
            }
            tokio::time::sleep(DEATH_LOOK).await;
        }
    }

    /// The first emulator, or the bridge, that has ended without being asked to.
    async fn dead(&self) -> Option<StageError> {
        if let Ok(bridge) = self.bridge.try_lock()
            && let Some(running) = &*bridge
            && let Some(error) = running.death().await
        {
            return Some(error.into());
        }
        let mut running = BTreeSet::new();
        for (name, (_, slot)) in &self.computers {
            let Some(computer) = slot.get() else { continue };
            // A thousand computers of one process are asked for once, as long as it runs.
            if running.contains(&computer.process_id()) {
                continue;
            }
            match computer.exit() {
                Some(exit) if !exit.is_orderly() => {
                    let (computer, last) = (name.clone(), computer.death().await.last_words);
                    return Some(StageError::Crashed { computer, exit, last });
                }
                Some(_) => {}
                None => {
                    running.insert(computer.process_id());
                }
            }
        }
        None
    }

    /// Whether every computer ended as it was asked to, or by itself.
    pub fn ended_in_order(&self, ended: &BTreeMap<String, (Exit, String)>) -> Result<(), StageError> {
        match ended.iter().find(|(_, (exit, _))| !exit.is_orderly()) {
            Some((name, (exit, _))) => {
                let last = self.computer(name)?.last();
                Err(StageError::Crashed { computer: name.clone(), exit: *exit, last })
            }
            None => Ok(()),
        }
    }
}
