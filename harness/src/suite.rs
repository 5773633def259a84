//! Runs scenarios on emulators, several at once, and judges each. Everything that was planned has a report.

mod judge;
mod words;

pub use words::chain;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use craftos_computers::simulation::Simulation;
use embedded_craftos::Random;
use futures_util::StreamExt as _;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use self::judge::Ended;
use self::words::other_screens;
use crate::emulators::{Emulator, Kind};
use crate::faults::{self, Plan, Profile, Wrong};
use crate::places::Places;
use crate::record::Record;
use crate::report::Entry;
use crate::report::files::Folder;
use crate::scenario::{FaultsSection, PlayError, Played, Scenario, is_only_named, play};

/// Why a scenario has no result of its own where the run was stopped.
pub const STOPPED: &str = "not played to the end: the run was stopped";

/// How one scenario ended on one emulator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    Passed,
    /// It passed because its transcript was made the expected one.
    Accepted,
    /// What a person needs to see why.
    Failed(String),
    /// The emulator, the bridge or the harness died: nothing is known of what the scenario tests.
    Broken(String),
    Skipped(String),
}

/// One line of a report.
#[derive(Debug, Clone)]
pub struct Report {
    pub scenario: String,
    pub about: String,
    pub emulator: Kind,
    /// Which emulator of its kind, from 1.
    pub instance: usize,
    pub round: usize,
    /// What a simulation is played with.
    pub seed: Option<u64>,
    /// Its place in the order in which the scenarios began, from 1.
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
            instance: turn.instance,
            round: turn.round,
            seed: turn.emulator.simulation.as_ref().map(Simulation::seed),
            order,
            outcome: Outcome::Broken(STOPPED.to_owned()),
            time: Duration::ZERO,
            files: BTreeMap::new(),
        }
    }

    /// Whether the run was stopped before this was played to its end.
    pub fn was_stopped(&self) -> bool {
        matches!(&self.outcome, Outcome::Broken(why) if why == STOPPED)
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
    /// The flags that a hint has to repeat, each with a space before it.
    pub flags: String,
    /// Each scenario is a task here; they end soon after the run was dropped, and whoever waits for them knows when.
    pub tasks: TaskTracker,
    /// Stops the run: what is being played ends at once, and the rest does not begin.
    pub stop: CancellationToken,
    /// What goes wrong while calls are made, in place of the steps: a profile, and the seed that decides the rest.
    pub faults: Option<(Profile, u64)>,
    /// What is wrong on purpose while there are faults: for tests of what has to hold.
    pub wrong: Wrong,
}

/// One scenario on one emulator, once.
#[derive(Debug, Clone)]
struct Turn {
    scenario: Arc<Scenario>,
    emulator: Emulator,
    /// Which emulator of its kind, from 1.
    instance: usize,
    round: usize,
    /// Whether its transcript is made the expected one, where all rounds agree.
    accepting: bool,
    /// What is played in place of the steps.
    plan: Option<Arc<Plan>>,
}

/// A turn that was played.
struct Taken {
    report: Report,
    record: Arc<Record>,
    /// Its transcript with the last screens, or how it ended without one.
    ended: Ended,
}

/// Tells of a run, from any task.
type Teller = Arc<dyn Fn(Told<'_>) + Send + Sync>;

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
            flags: String::new(),
            tasks: TaskTracker::new(),
            stop: CancellationToken::new(),
            faults: None,
            wrong: Wrong::default(),
        }
    }

    /// How many reports there will be.
    pub fn planned(&self) -> usize {
        self.scenarios.len() * self.emulators.len() * self.repeat.max(1)
    }

    /// Runs everything; tells of each scenario as it begins and ends. What was stopped has a report that says so.
    ///
    /// Each is a task of its own: one that boots a thousand computers, and works long between two waits, must not hold
    /// up the clocks of the others.
    pub async fn run(self: Arc<Self>, told: impl Fn(Told<'_>) + Send + Sync + 'static) -> Vec<Report> {
        let begun = AtomicUsize::new(0);
        let until = self.deadline.map(|limit| (tokio::time::Instant::now() + limit, limit));
        let (told, stop): (Teller, _) = (Arc::new(told), self.stop.child_token());
        let _stopped_when_dropped = stop.clone().drop_guard();
        let running = self.groups().into_iter().map(|group| {
            let (suite, begun, told, stop) = (&self, &begun, &told, &stop);
            async move {
                let mut reports = Vec::new();
                for turns in group {
                    let mut taken = Vec::new();
                    for turn in &turns {
                        let order = begun.fetch_add(1, Ordering::Relaxed) + 1;
                        taken.push(suite.take_in_a_task(turn, order, until, told, stop).await);
                    }
                    reports.extend(suite.finish(&turns[0], taken, &**told));
                }
                reports
            }
        });
        let reports: Vec<Vec<Report>> =
            futures_util::stream::iter(running).buffer_unordered(self.jobs.max(1)).collect().await;
        let mut reports: Vec<Report> = reports.into_iter().flatten().collect();
        reports.sort_by(|one, other| {
            let key =
                |report: &Report| (report.emulator, report.instance, report.scenario.clone(), report.round);
            key(one).cmp(&key(other))
        });
        reports
    }

    /// What can run at once. In each group turns follow one another; what is judged together stands together.
    fn groups(&self) -> Vec<Vec<Vec<Turn>>> {
        let mut emulators: Vec<(usize, &Emulator)> = Vec::new();
        for emulator in &self.emulators {
            let before = emulators.iter().filter(|(_, other)| other.kind == emulator.kind).count();
            emulators.push((before + 1, emulator));
        }
        let scenarios: Vec<Arc<Scenario>> = self.scenarios.iter().cloned().map(Arc::new).collect();
        if !self.accept {
            let mut groups = Vec::new();
            for round in 1..=self.repeat.max(1) {
                for scenario in &scenarios {
                    groups.extend(emulators.iter().map(|(instance, emulator)| {
                        let (scenario, emulator) = (scenario.clone(), (*emulator).clone());
                        let plan = self.plan(&scenario, None);
                        vec![vec![Turn {
                            scenario,
                            emulator,
                            instance: *instance,
                            round,
                            accepting: false,
                            plan,
                        }]]
                    }));
                }
            }
            return groups;
        }
        scenarios.iter().map(|scenario| self.accepting_group(scenario, &emulators)).collect()
    }

    /// All turns of a scenario whose snapshot is to be accepted: the emulator that decides comes first, and the others
    /// have to agree with it. The reference decides where it can.
    fn accepting_group(&self, scenario: &Arc<Scenario>, emulators: &[(usize, &Emulator)]) -> Vec<Vec<Turn>> {
        let file = &scenario.file;
        let rank = |emulator: &Emulator| {
            if file.skip.contains_key(&emulator.kind) || file.differs.contains_key(&emulator.kind) {
                2
            } else {
                usize::from(emulator.kind != Kind::CraftosPc)
            }
        };
        let mut ordered = emulators.to_vec();
        ordered.sort_by_key(|(instance, emulator)| (rank(emulator), *instance));
        let mut turns = Vec::new();
        for (place, (instance, emulator)) in ordered.into_iter().enumerate() {
            let decides = place == 0 && rank(emulator) < 2;
            // What is played in place of the steps has no transcript.
            let plan = self.plan(scenario, None);
            let accepting =
                plan.is_none() && (decides || (instance == 1 && file.differs.contains_key(&emulator.kind)));
            let of_round = |round| {
                let (scenario, emulator, plan) = (scenario.clone(), emulator.clone(), plan.clone());
                Turn { scenario, emulator, instance, round, accepting, plan }
            };
            if accepting {
                turns.push((1..=self.repeat.max(1)).map(of_round).collect());
            } else {
                turns.extend((1..=self.repeat.max(1)).map(|round| vec![of_round(round)]));
            }
        }
        turns
    }

    /// Takes a turn in a task of its own, which ends when the run is stopped.
    async fn take_in_a_task(
        self: &Arc<Self>,
        turn: &Turn,
        order: usize,
        until: Option<(tokio::time::Instant, Duration)>,
        told: &Teller,
        stop: &CancellationToken,
    ) -> Taken {
        let (suite, its_turn, told) = (self.clone(), turn.clone(), told.clone());
        let taking = async move { suite.take(&its_turn, order, until, &*told).await };
        let task = self.tasks.spawn(stop.clone().run_until_cancelled_owned(taking));
        let without =
            |outcome| Taken { report: Report::of(turn, order), record: Arc::default(), ended: Err(outcome) };
        match task.await {
            Ok(Some(taken)) => taken,
            Ok(None) => without(Outcome::Broken(STOPPED.to_owned())),
            Err(panicked) => without(Outcome::Broken(format!("the harness itself failed: {panicked}\n"))),
        }
    }

    async fn take(
        &self,
        turn: &Turn,
        order: usize,
        until: Option<(tokio::time::Instant, Duration)>,
        told: &(dyn Fn(Told<'_>) + Send + Sync),
    ) -> Taken {
        let Turn { scenario, emulator, .. } = turn;
        let record = Arc::new(Record::default());
        let mut report = Report::of(turn, order);
        if let Some(reason) = scenario.file.skip.get(&emulator.kind) {
            return Taken { report, record, ended: Err(Outcome::Skipped(reason.clone())) };
        }
        told(Told::Begun { order, scenario: &scenario.name, emulator: emulator.kind, record: &record });
        let started = Instant::now();
        let playing = self.play(turn, &record);
        let ended = match until {
            None => playing.await,
            Some((until, limit)) => tokio::time::timeout_at(until, playing).await.unwrap_or_else(|_| {
                let (seconds, step) = (limit.as_secs(), record.present());
                let over = format!(
                    "the run took longer than its {seconds} s: this scenario was not done, it was at `{step}`\n"
                );
                Err(Outcome::Failed(over + &other_screens("", &record)))
            }),
        };
        report.time = started.elapsed();
        Taken { report, record, ended }
    }

    async fn play(&self, turn: &Turn, record: &Arc<Record>) -> Ended {
        let Turn { scenario, emulator, .. } = turn;
        if let Some(plan) = &turn.plan {
            let bridge = self.bridge.clone();
            let wrong = self.wrong.clone();
            let given = faults::Given { scenario, emulator, places: &self.places, bridge, wrong };
            let played = faults::play(given, record, plan).await;
            let nothing = |()| Played { transcript: String::new(), last: String::new() };
            return Self::ended(played.map(nothing), record);
        }
        let played = play(scenario, emulator, &self.places, self.bridge.clone(), record).await;
        let ended = Self::ended(played, record);
        if let Ok((transcript, _)) = &ended {
            self.prove(turn, transcript).await?;
        }
        ended
    }

    /// What is played in place of a scenario's steps: the faults that were asked for, or those that it has itself.
    pub(crate) fn plan(&self, scenario: &Scenario, seed: Option<u64>) -> Option<Arc<Plan>> {
        let names = || scenario.linked_names();
        let own = scenario.file.faults.as_ref().map(toml::Spanned::get_ref);
        let (given, seed) = (self.faults, seed.or(self.faults.map(|(_, seed)| seed)).unwrap_or_default());
        // Each scenario has a plan of its own: scenarios with the same computers would all try the same.
        let seed = Random::named(seed, &scenario.name).draw();
        let invariants = own.map(FaultsSection::invariants).unwrap_or_default();
        let plan = match given {
            Some((profile, _)) => Some(Plan::draw(profile, seed, &names())),
            None => own.map(|own| own.plan(seed, &names())),
        };
        plan.map(|plan| Arc::new(Plan { invariants, ..plan }))
    }

    /// What was played, or how it ended without a transcript.
    fn ended(played: Result<Played, PlayError>, record: &Record) -> Ended {
        played.map(|played| (played.transcript, played.last)).map_err(|error| {
            let why = chain(&error);
            let screens = other_screens(&why, record);
            let outcome = if error.is_broken() { Outcome::Broken } else { Outcome::Failed };
            outcome(why + &screens)
        })
    }

    /// Plays a scenario in a simulation and judges it; `proves` says whether its changes have to fail as well. Leaves files
    /// of what did not pass.
    pub(crate) async fn simulate(
        &self,
        scenario: &Arc<Scenario>,
        emulator: Emulator,
        proves: bool,
        plan: Option<Arc<Plan>>,
        record: &Arc<Record>,
    ) -> (Report, Option<String>) {
        let (round, scenario) = (if proves { 1 } else { 2 }, scenario.clone());
        let turn = Turn { scenario, emulator, instance: 1, round, accepting: false, plan };
        let (mut report, started) = (Report::of(&turn, 1), Instant::now());
        let ended = self.play(&turn, record).await;
        report.time = started.elapsed();
        let transcript = ended.as_ref().ok().map(|(transcript, _)| transcript.clone());
        report.outcome = self.judge_one(&turn, ended);
        if !matches!(report.outcome, Outcome::Passed) {
            self.leave_files(&mut report, transcript.as_deref(), record);
        }
        (report, transcript)
    }

    /// Plays the changes of a scenario that have to make it fail. One that passes, or that only broke, is no proof.
    /// Where the scenario's own transcript is to be accepted, that is what each change is compared with.
    async fn prove(&self, turn: &Turn, transcript: &str) -> Result<(), Outcome> {
        let Turn { scenario, emulator, .. } = turn;
        // Proven once is proven.
        if turn.round > 1 {
            return Ok(());
        }
        for (number, (change, file)) in
            std::iter::zip(&scenario.file.must_fail, &scenario.changed).enumerate()
        {
            let change = change.get_ref();
            let changed = Scenario { file: file.clone(), ..(**scenario).clone() };
            let record = Arc::new(Record::default());
            let played = play(&changed, emulator, &self.places, self.bridge.clone(), &record).await;
            let ended = Self::ended(played, &record);
            let told = ended.as_ref().ok().map(|(told, _)| told.clone());
            let outcome = match ended {
                Ok((changed, _)) if turn.accepting => judge::against(transcript, &changed),
                ended => self.judge_one(turn, ended),
            };
            let which = format!("`must_fail` {} (`{}`)", number + 1, change.about);
            match outcome {
                Outcome::Failed(why) => match (&change.because, told) {
                    (Some(because), _) if !why.contains(because) => {
                        return Err(Outcome::Failed(format!(
                            "{which} fails, but does not say `{because}`:\n{why}"
                        )));
                    }
                    (None, Some(told))
                        if is_only_named((&scenario.file, transcript), (&changed.file, &told)) =>
                    {
                        return Err(Outcome::Failed(format!(
                            "{which} fails only because the transcript names what was changed, which proves nothing:\n{why}hint: add an `expect` to a step that has to notice\n"
                        )));
                    }
                    _ => {}
                },
                Outcome::Broken(why) => {
                    return Err(Outcome::Broken(format!("{which} broke, which proves nothing:\n{why}")));
                }
                Outcome::Passed | Outcome::Accepted | Outcome::Skipped(_) => {
                    return Err(Outcome::Failed(format!(
                        "{which} has to fail and passes: the scenario does not see what it claims\n"
                    )));
                }
            }
        }
        Ok(())
    }

    /// Judges turns that belong together, writes their files and tells of them.
    fn finish(&self, turn: &Turn, taken: Vec<Taken>, told: &(dyn Fn(Told<'_>) + Send + Sync)) -> Vec<Report> {
        let transcripts: Vec<Option<String>> =
            taken.iter().map(|taken| taken.ended.as_ref().ok().map(|(text, _)| text.clone())).collect();
        let (mut parts, mut ended) = (Vec::new(), Vec::new());
        for taken in taken {
            parts.push((taken.report, taken.record));
            ended.push(taken.ended);
        }
        let outcomes = self.judge(turn, ended);
        let mut reports = Vec::new();
        for (((mut report, record), outcome), transcript) in parts.into_iter().zip(outcomes).zip(transcripts)
        {
            report.outcome = outcome;
            if !report.was_stopped() {
                self.leave_files(&mut report, transcript.as_deref(), &record);
                told(Told::Ended(&report));
            }
            reports.push(report);
        }
        reports
    }

    /// Writes what a turn left. A hundred rounds of the same are of interest where they failed.
    fn leave_files(&self, report: &mut Report, transcript: Option<&str>, record: &Record) {
        let is_red = matches!(report.outcome, Outcome::Failed(_) | Outcome::Broken(_));
        if matches!(report.outcome, Outcome::Skipped(_)) || !(report.round == 1 || is_red) {
            return;
        }
        let Some(root) = self.report.as_deref() else { return };
        let mut entry = Entry::from_report(report);
        match Folder::at(root).write(&mut entry, transcript, record) {
            Ok(()) => report.files = entry.files,
            Err(error) if is_red => eprintln!("{}", chain(&error).trim_end()),
            Err(error) => report.outcome = Outcome::Broken(chain(&error)),
        }
    }
}
