//! A few threads that step all computers of a world.
//!
//! There are as many as the machine has processors, but no more than are needed, and none when all computers are off.
//! A thread whose computer is in a native that waits for the host (a large copy, a reader of stdout that does not
//! read) is replaced after a moment, so that it holds up no other computer.

use std::collections::BTreeMap;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use super::order::{Order, Turn};
use crate::machine::{Exit, Machine, Step};
use crate::time::{Moment, Time};

/// More processors than that are left to others: computers mostly wait.
const MOST_PROCESSORS: usize = 8;
/// How many computers may begin at once for each processor: some wait for a disk.
const BEGINNING_EACH: usize = 2;
/// Threads, with those that were added for others that wait for the host.
const MOST_THREADS: usize = 256;
/// How often the keeper looks while computers are ready, or will be, and no thread is free. A step takes less than a millisecond.
const PACE: Duration = Duration::from_millis(20);
/// A thread that has been in one step while the keeper looked so often waits for the host.
const LOOKS: u64 = 2;
/// Lua's own calls are not on it; what is deepest are copies of tables in tables, a hundred in each other. Only what is
/// used takes memory.
const STACK: usize = 2 * 1024 * 1024;

/// Threads, and the computers that they step.
#[derive(Debug)]
pub struct Pool {
    time: Arc<Time>,
    /// How many threads are to step computers.
    processors: usize,
    state: Mutex<State>,
    /// Tells threads that there is something to do.
    work: Condvar,
    /// Tells the keeper that all threads are busy.
    crowded: Condvar,
}

#[derive(Debug)]
struct State {
    order: Order<Box<Machine>>,
    /// The threads by their numbers.
    threads: BTreeMap<u64, Activity>,
    last_thread: u64,
    looks: u64,
    keeper: Keeper,
}

#[derive(Debug, Clone, Copy)]
enum Activity {
    /// It waits until a moment, or until it is told.
    Waits(Option<Moment>),
    /// It steps a computer, since the keeper had looked so often.
    Steps(u64),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Keeper {
    None,
    Asleep,
    Looking,
}

impl State {
    /// How many threads do not wait for the host.
    fn working(&self) -> usize {
        let stuck =
            |activity: &&Activity| matches!(activity, Activity::Steps(since) if self.looks >= since + LOOKS);
        self.threads.len() - self.threads.values().filter(stuck).count()
    }

    /// Until when threads wait that have nothing to do.
    fn idle(&self) -> impl Iterator<Item = Option<Moment>> {
        self.threads.values().filter_map(|activity| match activity {
            Activity::Waits(until) => Some(*until),
            Activity::Steps(_) => None,
        })
    }

    /// Whether no thread that waits would notice the next moment.
    fn is_unwatched(&self) -> bool {
        let Some(next) = self.order.next_moment() else { return false };
        !self.idle().any(|until| until.is_some_and(|until| until <= next))
    }
}

impl Pool {
    pub fn new(time: Arc<Time>) -> Self {
        let processors = thread::available_parallelism().map_or(1, Into::into).min(MOST_PROCESSORS);
        Self {
            time,
            processors,
            state: Mutex::new(State {
                order: Order::new(BEGINNING_EACH * processors),
                threads: BTreeMap::new(),
                last_thread: 0,
                looks: 0,
                keeper: Keeper::None,
            }),
            work: Condvar::new(),
            crowded: Condvar::new(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs a computer from now on; an error if there is no thread that could.
    pub fn start(self: &Arc<Self>, id: u32, machine: Box<Machine>) -> io::Result<()> {
        let mut state = self.state();
        state.order.add(id, machine, self.time.now());
        let found = self.find_thread(&mut state);
        if found.is_err() && state.threads.is_empty() {
            state.order.withdraw(id);
            return found;
        }
        Ok(())
    }

    /// Something has happened to a computer: it looks at it soon.
    pub fn wake(self: &Arc<Self>, id: u32) {
        let mut state = self.state();
        if state.order.wake(id) {
            // There is a thread: the others do it, if no more can be started.
            let _ = self.find_thread(&mut state);
        }
    }

    /// Makes sure that some thread takes what is ready, or will be at the next moment.
    fn find_thread(self: &Arc<Self>, state: &mut State) -> io::Result<()> {
        let ready = state.order.has_ready();
        if !ready && state.order.next_moment().is_none() {
            return Ok(());
        }
        if state.idle().next().is_some() {
            if ready || state.is_unwatched() {
                self.work.notify_one();
            }
            return Ok(());
        }
        if ready && state.threads.len() < self.processors {
            return self.add_thread(state);
        }
        match state.keeper {
            Keeper::Looking => {}
            Keeper::Asleep => self.crowded.notify_one(),
            Keeper::None => {
                let pool = self.clone();
                thread::Builder::new().name("keeper".to_owned()).spawn(move || pool.keep())?;
                state.keeper = Keeper::Looking;
            }
        }
        Ok(())
    }

    fn add_thread(self: &Arc<Self>, state: &mut State) -> io::Result<()> {
        state.last_thread += 1;
        let (pool, number) = (self.clone(), state.last_thread);
        let builder = thread::Builder::new().name(format!("computers {number}")).stack_size(STACK);
        builder.spawn(move || pool.work(number))?;
        // It counts as busy until it has looked for work itself.
        let activity = Activity::Steps(state.looks);
        state.threads.insert(number, activity);
        Ok(())
    }

    /// A thread: steps one computer after another.
    fn work(self: Arc<Self>, thread: u64) {
        while let Some(mut turn) = self.next(thread) {
            let step = catch_unwind(AssertUnwindSafe(|| turn.machine.step()));
            match step.unwrap_or_else(|_| Step::Ended(Exit::failed("internal error of the emulator"))) {
                Step::Busy => self.state().order.put_ready(turn),
                Step::Waits(until) => self.state().order.put_waiting(turn, until),
                Step::Ended(exit) => self.end(turn, exit),
            }
        }
    }

    /// Waits for a computer that is ready; none if this thread is to end.
    fn next(self: &Arc<Self>, thread: u64) -> Option<Turn<Box<Machine>>> {
        let mut state = self.state();
        loop {
            state.threads.insert(thread, Activity::Waits(None));
            let now = self.time.now();
            state.order.advance(now);
            if state.order.is_empty() || state.working() > self.processors {
                state.threads.remove(&thread);
                // This thread may have been the one that was told.
                let _ = self.find_thread(&mut state);
                return None;
            }
            if let Some(turn) = state.order.take() {
                let activity = Activity::Steps(state.looks);
                state.threads.insert(thread, activity);
                // More may have become ready at the same moment.
                let _ = self.find_thread(&mut state);
                return Some(turn);
            }
            // One thread is enough to look at the clock.
            let moment = state.order.next_moment().filter(|_| state.is_unwatched());
            state.threads.insert(thread, Activity::Waits(moment));
            state = match moment {
                None => self.work.wait(state).unwrap_or_else(PoisonError::into_inner),
                Some(moment) => {
                    let left = moment.saturating_sub(now);
                    self.work.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }

    /// A computer is off: what it held is let go of before anyone hears of it.
    fn end(&self, turn: Turn<Box<Machine>>, exit: Exit) {
        let ending = turn.machine.into_ending();
        {
            let mut state = self.state();
            state.order.remove(turn.id);
            if state.order.is_empty() {
                self.work.notify_all();
                self.crowded.notify_all();
            }
        }
        ending.tell(exit);
    }

    /// The keeper: adds a thread where others wait for the host while computers are ready, or become so.
    fn keep(self: Arc<Self>) {
        let mut state = self.state();
        while !state.order.is_empty() {
            state.order.advance(self.time.now());
            let idle = state.idle().next().is_some();
            if !idle && (state.order.has_ready() || state.order.next_moment().is_some()) {
                let short = state.order.has_ready() && state.working() < self.processors;
                if short && state.threads.len() < MOST_THREADS {
                    let _ = self.add_thread(&mut state);
                }
                state = self.crowded.wait_timeout(state, PACE).unwrap_or_else(PoisonError::into_inner).0;
                state.looks += 1;
            } else {
                if state.order.has_ready() {
                    self.work.notify_one();
                }
                state.keeper = Keeper::Asleep;
                state = self.crowded.wait(state).unwrap_or_else(PoisonError::into_inner);
                state.keeper = Keeper::Looking;
            }
        }
        state.keeper = Keeper::None;
    }
}
