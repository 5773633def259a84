//! Runs scenarios on emulators, several at once, and compares each with its snapshot.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use futures_util::StreamExt as _;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::emulators::{Emulator, Kind};
use crate::places::Places;
use crate::record::Record;
use crate::report::Entry;
use crate::report::files::Folder;
use crate::report::trace::{self, What};
use crate::scenario::{Comparison, Scenario, accept, compare, forget, pend, play};

/// Screens that a failure prints; a thousand are of use on a page only.
const SCREENS: usize = 10;

/// Lines of each: what a person looks at first.
const SCREEN_LINES: usize = 12;

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
    pub about: String,
    pub emulator: Kind,
    pub round: usize,
    /// The how-manieth it was to begin, from 1.
    pub order: usize,
    pub outcome: Outcome,
    pub time: Duration,
    /// What it left, by what it is: paths below the report's folder.
    pub files: BTreeMap<String, String>,
}

impl Report {
    /// The report of a turn that has not begun.
    fn of(turn: &Turn, order: usize) -> Self {
        Self {
            scenario: turn.scenario.name.clone(),
            about: turn.scenario.file.about.clone(),
            emulator: turn.emulator.kind,
            round: turn.round,
            order,
            outcome: Outcome::Passed,
            time: Duration::ZERO,
            files: BTreeMap::new(),
        }
    }
}

/// What is told of a run while it runs.
#[derive(Debug)]
pub enum Told<'a> {
    /// A scenario begins; its record says what it is at.
    Begun {
        order: usize,
        scenario: &'a str,
        emulator: Kind,
        record: &'a Arc<Record>,
    },
    Ended(&'a Report),
}

/// What is to be run.
#[derive(Debug)]
pub struct Suite {
    /// In the order in which they begin.
    pub scenarios: Vec<Scenario>,
    pub emulators: Vec<Emulator>,
    pub places: Places,
    pub jobs: usize,
    pub accept: bool,
    pub repeat: usize,
    pub bridge: Option<Vec<String>>,
    /// What all of it may take.
    pub deadline: Option<Duration>,
    /// Where the files of each scenario are left; nowhere without it.
    pub report: Option<PathBuf>,
    /// Each scenario is a task here; they end soon after the run was dropped, and whoever waits for them knows when.
    pub tasks: TaskTracker,
    /// Breaks the run off: what is being played ends at once, and the rest does not begin.
    pub stop: CancellationToken,
}

/// One scenario on one emulator, once.
#[derive(Clone)]
struct Turn {
    scenario: Arc<Scenario>,
    emulator: Emulator,
    round: usize,
    /// Whether its transcript is made the expected one.
    accepting: bool,
}

impl Suite {
    /// Scenarios that run once, so many at once.
    pub fn new(scenarios: Vec<Scenario>, emulators: Vec<Emulator>, places: Places, jobs: usize) -> Self {
        Self {
            scenarios,
            emulators,
            places,
            jobs,
            accept: false,
            repeat: 1,
            bridge: None,
            deadline: None,
            report: None,
            tasks: TaskTracker::new(),
            stop: CancellationToken::new(),
        }
    }

    /// Runs everything; tells of each scenario as it begins and ends. One that was broken off has no report.
    ///
    /// Each is a task of its own: one that boots a thousand computers, and works long between two waits, must not hold
    /// up the clocks of the others.
    pub async fn run(self: Arc<Self>, told: impl Fn(Told<'_>) + Send + Sync + 'static) -> Vec<Report> {
        for scenario in &self.scenarios {
            forget(&scenario.folder);
        }
        let begun = AtomicUsize::new(0);
        let until = self.deadline.map(|limit| (tokio::time::Instant::now() + limit, limit));
        let (told, stop) = (Arc::new(told), self.stop.child_token());
        let _stopped_when_dropped = stop.clone().drop_guard();
        let running = self.turns().into_iter().map(|turns| {
            let (suite, begun, told, stop) = (&self, &begun, &told, &stop);
            async move {
                let mut reports = Vec::new();
                for turn in turns {
                    let order = begun.fetch_add(1, Ordering::Relaxed) + 1;
                    let mut report = Report::of(&turn, order);
                    let (its_suite, teller) = (suite.clone(), told.clone());
                    let taking = async move { its_suite.take(&turn, order, until, &*teller).await };
                    let task = suite.tasks.spawn(stop.clone().run_until_cancelled_owned(taking));
                    report = match task.await {
                        Ok(Some(report)) => report,
                        Ok(None) => continue,
                        Err(panicked) => {
                            report.outcome =
                                Outcome::Failed(format!("the harness itself failed: {panicked}\n"));
                            report
                        }
                    };
                    told(Told::Ended(&report));
                    reports.push(report);
                }
                reports
            }
        });
        let reports: Vec<Vec<Report>> =
            futures_util::stream::iter(running).buffer_unordered(self.jobs.max(1)).collect().await;
        let mut reports: Vec<Report> = reports.into_iter().flatten().collect();
        reports.sort_by(|one, other| {
            (one.emulator, &one.scenario, one.round).cmp(&(other.emulator, &other.scenario, other.round))
        });
        reports
    }

    /// What can run at once; what has to follow one another is in one group.
    fn turns(&self) -> Vec<Vec<Turn>> {
        // The reference decides what is expected; the others have to agree with it.
        let mut emulators: Vec<&Emulator> = self.emulators.iter().collect();
        emulators.sort_by_key(|emulator| emulator.kind != Kind::CraftosPc);
        let mut groups = Vec::new();
        let scenarios: Vec<Arc<Scenario>> = self.scenarios.iter().cloned().map(Arc::new).collect();
        for round in 1..=self.repeat.max(1) {
            for scenario in &scenarios {
                let decides = |kind: &Kind| {
                    !scenario.file.skip.contains_key(kind) && !scenario.file.differs.contains_key(kind)
                };
                let first =
                    emulators.iter().find(|emulator| decides(&emulator.kind)).map(|emulator| emulator.kind);
                let turns = emulators.iter().map(|emulator| Turn {
                    scenario: scenario.clone(),
                    emulator: (*emulator).clone(),
                    round,
                    accepting: self.accept && first == Some(emulator.kind),
                });
                if self.accept {
                    groups.push(turns.collect());
                } else {
                    groups.extend(turns.map(|turn| vec![turn]));
                }
            }
        }
        groups
    }

    async fn take(
        &self,
        turn: &Turn,
        order: usize,
        until: Option<(tokio::time::Instant, Duration)>,
        told: &(impl Fn(Told<'_>) + Sync),
    ) -> Report {
        let Turn { scenario, emulator, round, .. } = turn;
        let record = Arc::new(Record::default());
        let mut report = Report::of(turn, order);
        if let Some(reason) = scenario.file.skip.get(&emulator.kind) {
            report.outcome = Outcome::Skipped(reason.clone());
            return report;
        }
        told(Told::Begun { order, scenario: &scenario.name, emulator: emulator.kind, record: &record });
        let started = Instant::now();
        let playing = self.play(turn, &record);
        let (outcome, transcript) = match until {
            None => playing.await,
            Some((until, limit)) => tokio::time::timeout_at(until, playing).await.unwrap_or_else(|_| {
                let over = format!(
                    "the run took longer than its {} s: this scenario was not done\n",
                    limit.as_secs()
                );
                (Outcome::Failed(over + &other_screens("", &record)), None)
            }),
        };
        (report.outcome, report.time) = (outcome, started.elapsed());
        // A hundred rounds of the same are of interest where they failed.
        let failed = matches!(report.outcome, Outcome::Failed(_));
        if let Some(root) = self.report.as_deref().filter(|_| *round == 1 || failed) {
            let mut entry = Entry::from_report(&report);
            match Folder::at(root).write(&mut entry, transcript.as_deref(), &record) {
                Ok(()) => report.files = entry.files,
                Err(error) if failed => {
                    eprintln!("{}", chain(&error).trim_end());
                }
                Err(error) => report.outcome = Outcome::Failed(chain(&error)),
            }
        }
        report
    }

    async fn play(&self, turn: &Turn, record: &Arc<Record>) -> (Outcome, Option<String>) {
        let Turn { scenario, emulator, .. } = turn;
        match play(scenario, emulator, &self.places, self.bridge.clone(), record).await {
            Ok(played) => {
                let outcome = self.judge(turn, &played.transcript, &played.last);
                (outcome, Some(played.transcript))
            }
            Err(error) => {
                let why = chain(&error);
                let screens = other_screens(&why, record);
                (Outcome::Failed(why + &screens), None)
            }
        }
    }

    /// Compares a transcript with the snapshot, or makes it the snapshot.
    fn judge(&self, turn: &Turn, transcript: &str, last: &str) -> Outcome {
        let Turn { scenario, emulator, accepting, .. } = turn;
        let (folder, name) = (&scenario.folder, &scenario.name);
        let differs = scenario.file.differs.get(&emulator.kind).map(|_| emulator.kind);
        if (*accepting || (self.accept && differs.is_some()))
            && let Err(error) = accept(folder, name, transcript, differs)
        {
            return Outcome::Failed(chain(&error));
        }
        if *accepting {
            return Outcome::Accepted;
        }
        if differs.is_some() && matches!(compare(folder, transcript, None), Ok(Comparison::Same)) {
            return Outcome::Failed(format!(
                "it is said to differ on {} and no longer does\nhint: remove `differs` from its scenario, and that snapshot\n",
                emulator.kind
            ));
        }
        let compared = compare(folder, transcript, differs);
        if matches!(compared, Ok(Comparison::New | Comparison::Different(_)))
            && let Err(error) = pend(folder, name, transcript, differs)
        {
            return Outcome::Failed(chain(&error));
        }
        match compared {
            Ok(Comparison::Same) => Outcome::Passed,
            Ok(Comparison::New) => Outcome::Failed(format!(
                "there is no snapshot yet; the transcript was:\n\n{transcript}\nhint: `craftos-harness run {name} --accept` makes it the expected one\n"
            )),
            Ok(Comparison::Different(diff)) => Outcome::Failed(format!(
                "the transcript differs from the snapshot (- expected, + now):\n\n{diff}\n{last}hint: `craftos-harness run {name} --accept` makes it the expected one\n"
            )),
            Err(error) => Outcome::Failed(chain(&error)),
        }
    }
}

/// The last screens of the computers that an error does not show itself.
fn other_screens(why: &str, record: &Record) -> String {
    let mut screens: BTreeMap<String, String> = BTreeMap::new();
    for moment in trace::read(&record.trace()) {
        if let What::Screen { computer, screen } = moment.what {
            screens.insert(computer, screen);
        }
    }
    let shows = |name: &str| {
        ["computer {}:\n", "computer {} ended", "computer {}: not "]
            .iter()
            .any(|words| why.contains(&words.replace("{}", name)))
    };
    screens.retain(|name, _| !shows(name));
    let mut text = String::new();
    for (name, screen) in screens.iter().take(SCREENS) {
        let lines: Vec<&str> = screen.trim_end().lines().collect();
        let last = &lines[lines.len().saturating_sub(SCREEN_LINES)..];
        let _ = writeln!(text, "computer {name}:\n  its screen:");
        for line in last {
            let _ = writeln!(text, "    {line}");
        }
    }
    if screens.len() > SCREENS {
        let _ = writeln!(text, "and the screens of {} more computers, on the page", screens.len() - SCREENS);
    }
    text
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
