//! All computers on one thread, in virtual time: who runs next follows from the seed and from nothing else.
//!
//! The computer whose time has come the least far runs next, for a slice of instructions, and time is charged for them;
//! where several have come equally far, the seed decides. What one does to another is stamped with the time at which it
//! does it, and reaches the other when that has come as far. When all wait, time jumps to the next timer.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::lua::Standing;
use crate::machine::{Exit, Machine, Step};
use crate::random::Random;
use crate::time::{Moment, Time};

/// The scheduler of a simulated world.
#[derive(Debug)]
pub struct Simulation {
    time: Arc<Time>,
    state: Mutex<State>,
    /// Held by the one thread that steps computers.
    stepping: Mutex<()>,
}

#[derive(Debug)]
struct State {
    computers: BTreeMap<u32, Place>,
    /// Who runs when: the moment, what decides among equals, the computer.
    queue: BTreeSet<(Moment, u64, u32)>,
    random: Random,
    /// How far the time of any computer has come.
    latest: Moment,
}

#[derive(Debug, Default)]
struct Place {
    /// None while it is being stepped.
    machine: Option<Box<Machine>>,
    /// Its entry in the queue.
    next: Option<(Moment, u64)>,
    /// How far its own time has come.
    reached: Moment,
    /// Whether something has happened to it while it was being stepped.
    woken: bool,
}

/// Why a simulation stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standstill {
    /// No computer is on, or what was asked for has happened.
    Done,
    /// Every computer waits for something that nobody will do.
    Forever,
    /// The time is over.
    TimeOver,
}

impl State {
    /// Makes a computer run at a moment, or before if it would anyway.
    fn schedule(&mut self, id: u32, moment: Moment) {
        let tie = self.random.draw();
        let Some(place) = self.computers.get_mut(&id) else { return };
        let moment = moment.max(place.reached);
        if let Some((other, tie)) = place.next {
            if other <= moment {
                return;
            }
            self.queue.remove(&(other, tie, id));
        }
        place.next = Some((moment, tie));
        self.queue.insert((moment, tie, id));
    }
}

impl Simulation {
    pub fn new(time: Arc<Time>, seed: u64) -> Self {
        let state = State {
            computers: BTreeMap::new(),
            queue: BTreeSet::new(),
            random: Random::new(seed),
            latest: Moment::ZERO,
        };
        Self { time, state: Mutex::new(state), stepping: Mutex::new(()) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets a computer begin now.
    pub fn start(&self, id: u32, machine: Box<Machine>) {
        let mut state = self.state();
        state.computers.insert(id, Place { machine: Some(machine), ..Place::default() });
        state.schedule(id, self.time.now());
        drop(state);
        self.tell_around();
    }

    /// Tells those around the world that a computer has something to do.
    fn tell_around(&self) {
        if let Some(around) = self.time.around() {
            around.wake();
        }
    }

    /// When the next computer runs.
    pub fn next_moment(&self) -> Option<Moment> {
        self.state().queue.first().map(|(moment, ..)| *moment)
    }

    /// Ends every computer where it stands: no Lua runs any more, as after a power cut.
    pub fn cut_power(&self) {
        let computers = {
            let mut state = self.state();
            state.queue.clear();
            std::mem::take(&mut state.computers)
        };
        for mut machine in computers.into_values().filter_map(|place| place.machine) {
            machine.lose_power();
            machine.into_ending().tell(Exit::default());
        }
    }

    /// Something happens to a computer now.
    pub fn wake(&self, id: u32) {
        let mut state = self.state();
        let Some(place) = state.computers.get_mut(&id) else { return };
        if place.machine.is_some() {
            state.schedule(id, self.time.now());
            drop(state);
            self.tell_around();
        } else {
            place.woken = true;
        }
    }

    /// The line of a wanted chunk at which the program of a computer waits.
    pub fn standing(&self, id: u32, wanted: &dyn Fn(&[u8]) -> bool) -> Option<Standing> {
        self.state().computers.get(&id)?.machine.as_ref()?.standing(wanted)
    }

    /// Steps computers until `done`, until nothing more can happen, or until a moment.
    pub fn run(&self, until: Option<Moment>, done: &dyn Fn() -> bool) -> Standstill {
        let _stepping = self.stepping.lock().unwrap_or_else(PoisonError::into_inner);
        self.time.set_stepping(true);
        let standstill = loop {
            if done() {
                break Standstill::Done;
            }
            let mut state = self.state();
            if state.computers.is_empty() {
                break Standstill::Done;
            }
            let Some((moment, tie, id)) = state.queue.first().copied() else { break Standstill::Forever };
            if let Some(until) = until.filter(|until| moment > *until) {
                state.latest = state.latest.max(until);
                break Standstill::TimeOver;
            }
            state.queue.remove(&(moment, tie, id));
            let place = state.computers.get_mut(&id).expect("what is in the queue is on");
            place.next = None;
            let machine = place.machine.take().expect("only this thread takes it");
            drop(state);
            self.time.set(moment);
            self.step(id, machine);
        };
        // Whoever asks between two runs sees the time that the last computer has reached.
        self.time.set(self.state().latest);
        self.time.set_stepping(false);
        standstill
    }

    fn step(&self, id: u32, mut machine: Box<Machine>) {
        let step = catch_unwind(AssertUnwindSafe(|| machine.step()))
            .unwrap_or_else(|_| Step::Ended(Exit::failed("internal error of the emulator")));
        let now = self.time.now();
        if let Step::Ended(exit) = step {
            let ending = machine.into_ending();
            {
                let mut state = self.state();
                state.computers.remove(&id);
                state.latest = state.latest.max(now);
            }
            ending.tell(exit);
            return;
        }
        let mut state = self.state();
        state.latest = state.latest.max(now);
        let place = state.computers.get_mut(&id).expect("it is on until it has ended");
        place.machine = Some(machine);
        place.reached = now;
        let woken = std::mem::take(&mut place.woken);
        match step {
            Step::Waits(until) if !woken => {
                if let Some(until) = until {
                    state.schedule(id, until);
                }
            }
            _ => state.schedule(id, now),
        }
    }
}
