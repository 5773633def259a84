//! Looks all the time at what has to hold, so that a play ends as soon as it is known that something does not.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::sleep;

use super::calls::Made;
use super::invariants::{self, Ran};
use super::users::When;
use super::{Plan, Violation};
use crate::record::held;
use crate::stage::Stage;

/// How often it is looked at what is on the computers.
const LOOK: Duration = Duration::from_secs(1);

/// Watches one play.
#[derive(Debug)]
pub struct Watch<'a> {
    stage: &'a Stage,
    plan: &'a Plan,
    names: &'a [String],
    /// Calls that were heard of.
    made: Mutex<Vec<Made>>,
    found: watch::Sender<Vec<Violation>>,
}

impl<'a> Watch<'a> {
    pub fn new(stage: &'a Stage, plan: &'a Plan, names: &'a [String]) -> Self {
        Self { stage, plan, names, made: Mutex::default(), found: watch::Sender::default() }
    }

    /// Something does not hold.
    pub fn find(&self, violations: impl IntoIterator<Item = Violation>) {
        let mut violations = violations.into_iter().peekable();
        if violations.peek().is_some() {
            self.found.send_modify(|found| found.extend(violations));
        }
    }

    /// What did not hold so far.
    pub fn found(&self) -> Vec<Violation> {
        self.found.borrow().clone()
    }

    /// Waits until something does not hold.
    pub async fn violated(&self) {
        let mut found = self.found.subscribe();
        let _ = found.wait_for(|found| !found.is_empty()).await;
    }

    /// A client has heard of a call.
    pub fn heard(&self, made: Made) {
        let computer = &made.call.computer;
        let (id, ran) = (self.stage.id_of(computer).unwrap_or_default(), Ran::read(self.stage, computer));
        self.find(invariants::judge(&made, id, &ran, self.plan));
        held(&self.made).push(made);
    }

    /// Looks for as long as somebody waits for this.
    pub async fn keep_looking(&self) -> ! {
        loop {
            sleep(LOOK).await;
            self.look();
            self.find(invariants::too_much(self.stage.held().await));
            self.ask(When::Always, false).await;
        }
    }

    /// Looks at what the chunks have written down.
    pub fn look(&self) {
        let made = held(&self.made);
        let called: BTreeSet<&str> = self.plan.calls.iter().map(|call| call.computer.as_str()).collect();
        for computer in called {
            let ran = Ran::read(self.stage, computer);
            self.find(ran.twice(computer));
            let here = made.iter().filter(|made| made.call.computer == computer);
            self.find(here.filter_map(|made| invariants::not_cancelled(made, &ran)));
        }
    }

    /// Asks the computers for what has to hold on them. While things go wrong, one may be off or busy; after that each has to
    /// say.
    pub async fn ask(&self, when: When, must_say: bool) {
        let memory = invariants::computers_memory();
        let all = self.plan.invariants.iter().chain([&memory]);
        for invariant in all.filter(|one| when == When::After || one.when == when) {
            for name in self.names.iter().filter(|name| invariant.is_on(name)) {
                let Ok(computer) = self.stage.computer(name) else { continue };
                match invariant.ask(&computer).await {
                    Ok(violation) => self.find(violation),
                    Err(error) if must_say => {
                        self.find([Violation::of(&invariant.about, format!("on {name}: {error}"))]);
                    }
                    Err(_) => {}
                }
            }
        }
    }
}
