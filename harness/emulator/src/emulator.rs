//! The library's front: an emulator, and its computers as values.

use std::sync::Arc;
use std::time::Duration;

use crate::boot::BootError;
use crate::faults::{Faults, Injected, Injector};
use crate::host::{AttachError, Peripheral};
use crate::lua::{Standing, Value};
use crate::machine::Exit;
use crate::options::Options;
use crate::schedule::{Simulation, Standstill};
use crate::screen::{ScreenReport, Terminal, to_text};
use crate::world::{Queued, Shared, World, WorldError};

/// Computers that share a data folder, a ROM and modems.
#[derive(Debug, Clone)]
pub struct Emulator {
    world: Arc<World>,
}

impl Emulator {
    pub fn new(options: Options) -> Result<Self, WorldError> {
        World::new(options).map(|world| Self { world })
    }

    /// Turns on the computer with that id.
    pub fn boot(&self, id: u32) -> Result<Computer, BootError> {
        let shared = self.world.boot(id)?;
        Ok(Computer { shared, world: self.world.clone() })
    }

    /// Turns on computers; none runs before all of them are on.
    pub fn boot_all(&self, ids: impl IntoIterator<Item = u32>) -> Result<(), BootError> {
        self.world.boot_all(ids)
    }

    /// All computers that ever ran here, ordered by id.
    pub fn computers(&self) -> Vec<Computer> {
        let computers = self.world.computers();
        computers.into_iter().map(|shared| Computer { shared, world: self.world.clone() }).collect()
    }

    /// Runs a simulation until every computer is off, until nothing more can happen, or for so much virtual time. A world in
    /// real time runs by itself: there it does nothing.
    pub fn simulate(&self, time: Option<Duration>) -> Standstill {
        let until = time.map(|time| self.time().saturating_add(time));
        self.world.simulate(until, &|| false)
    }

    /// Runs a simulation as far as that moment of its time, which is that of its surroundings.
    pub fn simulate_until(&self, moment: Duration) -> Standstill {
        self.world.simulate(Some(moment), &|| false)
    }

    /// When the next computer of a simulation runs; none where all wait for something from outside.
    pub fn next_moment(&self) -> Option<Duration> {
        self.world.scheduler().simulation().and_then(Simulation::next_moment)
    }

    /// Whether some computer is on.
    pub fn is_any_on(&self) -> bool {
        self.world.is_any_on()
    }

    /// How each computer ended that is off, ordered by id.
    pub fn exits(&self) -> Vec<(u32, Exit)> {
        self.world.exits().into_iter().collect()
    }

    /// Ends every computer of a simulation where it stands, as a power cut does.
    pub fn cut_power(&self) {
        if let Some(simulation) = self.world.scheduler().simulation() {
            simulation.cut_power();
        }
    }

    /// Runs a simulation until that moment at the latest, and while `goes_on` says so, which is asked before each step.
    pub fn simulate_while(&self, until: Option<Duration>, goes_on: &dyn Fn() -> bool) -> Standstill {
        self.world.simulate(until, &|| !goes_on())
    }

    /// What has gone wrong so far, in order.
    pub fn faults(&self) -> Vec<Injected> {
        self.world.faults().map_or_else(Vec::new, Injector::injected)
    }

    /// The same as a plan, which brings it about again; none for a world in which nothing can go wrong.
    pub fn fault_plan(&self) -> Option<Faults> {
        self.world.faults().map(Injector::as_plan)
    }

    /// Turns the dials of one computer, whatever the world began with. In a world that was made without any, nothing can go
    /// wrong: there it does nothing.
    pub fn turn_dials(&self, computer: u32, turn: impl FnOnce(&mut Faults)) {
        if let Some(faults) = self.world.faults() {
            faults.turn(computer, turn);
        }
    }

    /// Has a computer stand still from its next yield on, for so long. As [`Emulator::turn_dials`], only in a world with
    /// dials.
    pub fn freeze(&self, computer: u32, time: Duration) {
        if let Some(faults) = self.world.faults() {
            faults.freeze(computer, self.time().saturating_add(time));
        }
    }

    /// Has the calendar of a computer jump at its next yield, back where the seconds are negative. As
    /// [`Emulator::turn_dials`], only in a world with dials.
    pub fn jump_clock(&self, computer: u32, seconds: f64) {
        if let Some(faults) = self.world.faults() {
            faults.jump(computer, seconds);
        }
    }

    /// How much time has passed in this world, virtual time in a simulation.
    pub fn time(&self) -> Duration {
        self.world.time().now()
    }

    /// Waits until every computer is off; how each ended, ordered by id. In a simulation whoever waits makes the computers
    /// run, and has waited for long enough when nothing more can happen.
    pub fn wait(&self) -> Vec<(u32, Exit)> {
        self.world.wait().into_iter().collect()
    }

    /// The same, but only for a while; false if some computer still runs then.
    pub fn wait_timeout(&self, timeout: Duration) -> bool {
        self.world.wait_timeout(timeout)
    }

    /// Sends what the computers have printed so far, also if they are busy.
    pub fn finish_output(&self) {
        for shared in self.world.computers() {
            shared.finish_output();
        }
    }

    /// Turns every computer off.
    pub fn shut_down(&self) {
        for shared in self.world.computers() {
            shared.shut_down();
        }
    }
}

/// One computer.
#[derive(Debug, Clone)]
pub struct Computer {
    shared: Arc<Shared>,
    world: Arc<World>,
}

impl Computer {
    pub fn id(&self) -> u32 {
        self.shared.id
    }

    pub fn label(&self) -> Option<String> {
        self.shared.label().map(|label| String::from_utf8_lossy(&label).into_owned())
    }

    pub fn is_on(&self) -> bool {
        self.shared.is_on()
    }

    /// How often its programs have yielded, since the world began.
    pub fn yields(&self) -> u64 {
        self.shared.yields()
    }

    /// How often it has started, also by a reboot, since the world began.
    pub fn boots(&self) -> u64 {
        self.shared.boots()
    }

    /// How long it has run and not waited, in the virtual time of a simulation.
    pub fn busy(&self) -> Duration {
        self.shared.busy()
    }

    /// The line at which its program waits, in the innermost chunk that is wanted by its name, such as `@/a.lua`. Between two
    /// runs of a simulation only.
    pub fn standing(&self, wanted: &dyn Fn(&[u8]) -> bool) -> Option<Standing> {
        self.world
            .scheduler()
            .simulation()
            .and_then(|simulation: &Simulation| simulation.standing(self.id(), wanted))
    }

    /// Queues an event for the computer's programs.
    pub fn queue_event(&self, name: &str, values: impl IntoIterator<Item = Value>) {
        let event = std::iter::once(Value::from(name)).chain(values).collect();
        self.shared.queue(Queued::Event(event));
    }

    /// Attaches a peripheral on a side, or by a name as a wired network gives it; a computer that is on gets the event
    /// `peripheral`. It stays there when the computer is turned off, and hides what a program attached by that name.
    pub fn attach(&self, name: &str, peripheral: impl Peripheral + 'static) -> Result<(), AttachError> {
        self.shared.devices.attach(name, peripheral, &self.shared)?;
        if self.is_on() {
            self.queue_event("peripheral", [Value::from(name)]);
        }
        Ok(())
    }

    /// Takes off what was attached by [`Computer::attach`]; a computer that is on gets the event `peripheral_detach`.
    pub fn detach(&self, name: &str) -> Result<(), AttachError> {
        self.shared.devices.detach(name)?;
        if self.is_on() {
            self.queue_event("peripheral_detach", [Value::from(name)]);
        }
        Ok(())
    }

    /// A copy of the screen as it is now.
    pub fn screen(&self) -> Terminal {
        self.shared.terminal().clone()
    }

    /// The screen's text, without the spaces and empty lines at its ends.
    pub fn screen_text(&self) -> String {
        to_text(&self.shared.terminal())
    }

    /// The screen as data.
    pub fn screen_report(&self) -> ScreenReport {
        ScreenReport::new(self.id(), self.label(), &self.shared.terminal())
    }

    /// Turns it off, even if it is busy.
    pub fn shut_down(&self) {
        self.shared.shut_down();
    }

    pub fn reboot(&self) {
        self.shared.reboot();
    }

    /// Waits until it is off.
    pub fn wait(&self) -> Exit {
        self.world.wait_for(&self.shared)
    }

    /// The same, but only for a while; none if it is still on then.
    pub fn wait_timeout(&self, timeout: Duration) -> Option<Exit> {
        self.world.wait_for_timeout(&self.shared, timeout)
    }
}
