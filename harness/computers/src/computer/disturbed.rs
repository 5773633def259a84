//! What goes wrong with a computer from outside: it stands still, its clock jumps, its disk, modems and requests fail.
//!
//! The dials are the embedded emulator's, inside this process. A process of its own, of either emulator, can only be frozen.

use std::sync::Arc;
use std::time::Duration;

use embedded_craftos::{Emulator, Faults};

use super::Computer;
use crate::simulation::SimulatedProcess;

impl Computer {
    /// The world that it is in, where it is simulated.
    fn world(&self) -> Option<Arc<SimulatedProcess>> {
        self.housing.running().process.world().cloned()
    }

    fn in_simulation(&self, act: impl FnOnce(&Emulator)) -> bool {
        self.world().map(|world| act(world.emulator())).is_some()
    }

    /// Has it stand still for so long; a process of its own, with all computers in it, until [`Computer::thaw`]. False
    /// where that cannot be.
    pub fn freeze(&self, time: Duration) -> bool {
        self.in_simulation(|emulator| emulator.freeze(self.spec.id, time))
            || self.housing.running().process.freeze(true)
    }

    /// Has a process that stands still go on.
    pub fn thaw(&self) {
        self.housing.running().process.freeze(false);
    }

    /// Has its calendar jump, back where the seconds are negative. False where that cannot be: outside of a simulation.
    pub fn jump_clock(&self, seconds: f64) -> bool {
        self.in_simulation(|emulator| emulator.jump_clock(self.spec.id, seconds))
    }

    /// Turns the dials of its disk, modems and requests. False where that cannot be: outside of a simulation.
    pub fn turn_dials(&self, turn: impl FnOnce(&mut Faults)) -> bool {
        self.in_simulation(|emulator| emulator.turn_dials(self.spec.id, turn))
    }
}
