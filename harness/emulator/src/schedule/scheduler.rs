//! Either way of running the computers of a world.

use std::io;
use std::sync::Arc;

use super::{Pool, Simulation};
use crate::machine::Machine;
use crate::time::{Moment, Time};

/// Who steps the computers of a world; copies are the same one.
#[derive(Debug, Clone)]
pub enum Scheduler {
    Pool(Arc<Pool>),
    Simulation(Arc<Simulation>, Arc<Time>),
}

impl Scheduler {
    /// Threads in real time, or a simulation in virtual time.
    pub fn new(time: Arc<Time>, seed: u64) -> Self {
        if time.is_simulated() {
            Self::Simulation(Arc::new(Simulation::new(time.clone(), seed)), time)
        } else {
            Self::Pool(Arc::new(Pool::new(time)))
        }
    }

    /// Runs a computer from now on.
    pub fn start(&self, id: u32, machine: Box<Machine>) -> io::Result<()> {
        match self {
            Self::Pool(pool) => pool.start(id, machine),
            Self::Simulation(simulation, _) => {
                simulation.start(id, machine);
                Ok(())
            }
        }
    }

    /// Something has happened to a computer.
    pub fn wake(&self, id: u32) {
        match self {
            Self::Pool(pool) => pool.wake(id),
            Self::Simulation(simulation, _) => simulation.wake(id),
        }
    }

    /// From when on what is queued now can be seen: at once, but for a computer whose virtual time has not come as far.
    pub fn stamp(&self) -> Moment {
        match self {
            Self::Pool(_) => Moment::ZERO,
            Self::Simulation(_, time) => time.now(),
        }
    }

    pub fn simulation(&self) -> Option<&Simulation> {
        match self {
            Self::Pool(_) => None,
            Self::Simulation(simulation, _) => Some(simulation),
        }
    }
}
