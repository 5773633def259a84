//! One scenario with one seed: a runtime of its own, with one thread and a clock that moves when everybody waits.

use std::sync::Arc;
use std::time::Duration;

use craftos_computers::simulation::Simulation;

use crate::bridge::logged;
use crate::emulators::Emulator;
use crate::faults::Plan;
use crate::record::Record;
use crate::scenario::Scenario;
use crate::suite::{Report, Suite};

/// A scenario that was played with a seed.
#[derive(Debug)]
pub struct Once {
    pub report: Report,
    pub transcript: Option<String>,
    /// Everything that happened, in virtual time.
    pub record: Arc<Record>,
    /// How much virtual time it took.
    pub virtual_time: Duration,
}

/// What is played.
#[derive(Debug, Clone)]
pub struct One {
    pub scenario: Arc<Scenario>,
    pub seed: u64,
    /// Whether its changes have to fail as well.
    pub proves: bool,
    /// Faults and calls in place of the steps.
    pub plan: Option<Arc<Plan>>,
}

/// Plays a scenario with a seed, and judges it.
pub fn simulate(suite: &Suite, one: &One) -> std::io::Result<Once> {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_time().start_paused(true);
    // Which of several tasks that wait for the same wakes first, and which of several ready branches is taken.
    #[cfg(tokio_unstable)]
    builder.rng_seed(tokio::runtime::RngSeed::from_bytes(&one.seed.to_le_bytes()));
    let runtime = builder.build()?;
    // The record has the clock of the runtime.
    let record = runtime.block_on(async { Arc::new(Record::default()) });
    let played = logged(record.clone(), || {
        runtime.block_on(async {
            let simulation = Simulation::new(one.seed);
            let emulator = Emulator::simulated(simulation.clone());
            let playing = suite.simulate(&one.scenario, emulator, one.proves, one.plan.clone(), &record);
            let (report, transcript) = tokio::select! {
                biased;
                played = playing => played,
                () = simulation.drive() => unreachable!("it drives for as long as it is waited for"),
            };
            let virtual_time = simulation.now();
            Once { report, transcript, record: record.clone(), virtual_time }
        })
    });
    runtime.shutdown_background();
    Ok(played)
}
