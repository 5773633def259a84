//! Runs scenarios on emulators, several at once, and compares each with its snapshot.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use futures_util::StreamExt as _;

use crate::emulators::{Emulator, Kind};
use crate::places::Places;
use crate::scenario::{Comparison, Scenario, accept, compare, forget, pend, play};

/// How one scenario ended on one emulator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    Passed,
    /// It passed because its transcript was made the expected one.
    Accepted,
    /// What a person needs to see why.
    Failed(String),
    Skipped(String),
}

/// One line of a report.
#[derive(Debug, Clone)]
pub struct Report {
    pub scenario: String,
    pub emulator: Kind,
    pub outcome: Outcome,
    pub time: Duration,
}

/// What is to be run.
#[derive(Debug)]
pub struct Suite {
    pub scenarios: Vec<Scenario>,
    pub emulators: Vec<Emulator>,
    pub places: Places,
    pub jobs: usize,
    pub accept: bool,
    pub repeat: usize,
    pub bridge: Option<Vec<String>>,
    /// Where the transcript and the trace of each scenario are left; nowhere without it.
    pub report: Option<PathBuf>,
}

impl Suite {
    /// Runs everything; tells of each scenario as it ends.
    pub async fn run(&self, told: impl Fn(&Report)) -> Vec<Report> {
        for scenario in &self.scenarios {
            forget(&scenario.folder);
        }
        // The reference decides what is expected; the others have to agree with it.
        let mut emulators: Vec<&Emulator> = self.emulators.iter().collect();
        emulators.sort_by_key(|emulator| emulator.kind != Kind::CraftosPc);
        let mut groups = Vec::new();
        for _ in 0..self.repeat.max(1) {
            for scenario in &self.scenarios {
                if self.accept {
                    groups.push((scenario, emulators.clone()));
                } else {
                    groups.extend(emulators.iter().map(|emulator| (scenario, vec![*emulator])));
                }
            }
        }
        let told = &told;
        let running = groups.into_iter().map(|(scenario, emulators)| async move {
            let mut reports = Vec::new();
            for (place, emulator) in emulators.into_iter().enumerate() {
                let report = self.run_one(scenario, emulator, self.accept && place == 0).await;
                told(&report);
                reports.push(report);
            }
            reports
        });
        let reports: Vec<Vec<Report>> =
            futures_util::stream::iter(running).buffer_unordered(self.jobs.max(1)).collect().await;
        let mut reports: Vec<Report> = reports.into_iter().flatten().collect();
        reports.sort_by(|one, other| (one.emulator, &one.scenario).cmp(&(other.emulator, &other.scenario)));
        reports
    }

    async fn run_one(&self, scenario: &Scenario, emulator: &Emulator, accepting: bool) -> Report {
        let started = Instant::now();
        let outcome = match scenario.file.skip.get(&emulator.kind) {
            Some(reason) => Outcome::Skipped(reason.clone()),
            None => self.play(scenario, emulator, accepting).await,
        };
        let time = started.elapsed();
        Report { scenario: scenario.name.clone(), emulator: emulator.kind, outcome, time }
    }

    async fn play(&self, scenario: &Scenario, emulator: &Emulator, accepting: bool) -> Outcome {
        let played = match play(scenario, emulator, &self.places, self.bridge.clone()).await {
            Ok(played) => played,
            Err(error) => return Outcome::Failed(chain(&error)),
        };
        let (folder, name) = (&scenario.folder, &scenario.name);
        if let Some(report) = &self.report {
            let place = report.join(emulator.kind.to_string()).join(name);
            let written = std::fs::create_dir_all(&place)
                .and_then(|()| std::fs::write(place.join("transcript.txt"), &played.transcript))
                .and_then(|()| std::fs::write(place.join("trace.jsonl"), &played.trace));
            if let Err(error) = written {
                return Outcome::Failed(format!("failed to write to `{}`: {error}\n", place.display()));
            }
        }
        let differs = scenario.file.differs.get(&emulator.kind).map(|_| emulator.kind);
        if (accepting || (self.accept && differs.is_some()))
            && let Err(error) = accept(folder, name, &played.transcript, differs)
        {
            return Outcome::Failed(chain(&error));
        }
        if accepting {
            return Outcome::Accepted;
        }
        if differs.is_some() && matches!(compare(folder, &played.transcript, None), Ok(Comparison::Same)) {
            return Outcome::Failed(format!(
                "it is said to differ on {} and no longer does\nhint: remove `differs` from its scenario, and that snapshot\n",
                emulator.kind
            ));
        }
        let compared = compare(folder, &played.transcript, differs);
        if matches!(compared, Ok(Comparison::New | Comparison::Different(_)))
            && let Err(error) = pend(folder, name, &played.transcript, differs)
        {
            return Outcome::Failed(chain(&error));
        }
        match compared {
            Ok(Comparison::Same) => Outcome::Passed,
            Ok(Comparison::New) => Outcome::Failed(format!(
                "there is no snapshot yet; the transcript was:\n\n{}\nhint: `craftos-harness run {name} --accept` makes it the expected one\n",
                played.transcript
            )),
            Ok(Comparison::Different(diff)) => Outcome::Failed(format!(
                "the transcript differs from the snapshot (- expected, + now):\n\n{diff}\n{}hint: `craftos-harness run {name} --accept` makes it the expected one\n",
                played.last
            )),
            Err(error) => Outcome::Failed(chain(&error)),
        }
    }
}

/// An error with its causes, and its hints at the end.
pub fn chain(error: &dyn std::error::Error) -> String {
    let (mut text, mut hints) = (String::new(), String::new());
    let mut next = Some(error);
    let mut depth = 0;
    while let Some(cause) = next {
        let message = cause.to_string();
        let (message, hint) = message.split_once("hint: ").unwrap_or((&message, ""));
        let before = if depth == 0 { "" } else { "caused by: " };
        let _ = writeln!(text, "{before}{}", message.trim_end());
        if !hint.is_empty() {
            let _ = writeln!(hints, "hint: {}", hint.trim_end());
        }
        next = cause.source();
        depth += 1;
    }
    text + &hints
}
