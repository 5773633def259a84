//! What the computers of one process share: who there is, how to reach them, the settings.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use thiserror::Error;
use tokio::task::AbortHandle;

use crate::airwaves::Airwaves;
use crate::config::{Settings, SettingsError};
use crate::faults::{FaultsError, Injector};
use crate::fs::{LuaFile, Mount, embedded_bios};
use crate::host::{Devices, Host, Output};
use crate::lua::{Packed, Template, Value};
use crate::machine::Exit;
use crate::net::{self, Trust, TrustError};
use crate::options::Options;
use crate::schedule::{Scheduler, Standstill};
use crate::screen::Terminal;
use crate::surroundings::Surroundings;
use crate::time::{Moment, Time};

/// Makes the values of an event when it is delivered, by the computer itself.
pub type MakeEvent = Box<dyn FnOnce(&mut Host) -> Vec<Value> + Send>;

/// Something that waits for a computer.
pub enum Queued {
    /// An event: its name, then its values.
    Event(Vec<Value>),
    /// An event whose values stayed in Lua, its name too: there it counts as the computer's memory.
    Packed(Packed),
    /// An event with something in it that the computer must first take in.
    Make {
        name: &'static str,
        make: MakeEvent,
    },
    Shutdown,
    Reboot,
}

impl Queued {
    /// About how many bytes it takes; what a response brings is counted where it is received.
    fn size(&self) -> usize {
        let values = if let Self::Event(values) = self { &values[..] } else { &[] };
        size_of::<Self>() + values.iter().map(Value::size).sum::<usize>()
    }

    pub fn make(name: &'static str, make: impl FnOnce(&mut Host) -> Vec<Value> + Send + 'static) -> Self {
        Self::Make { name, make: Box::new(make) }
    }
}

impl fmt::Debug for Queued {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Event(values) => formatter.debug_tuple("Event").field(values).finish(),
            Self::Packed(packed) => formatter.debug_tuple("Packed").field(packed).finish(),
            Self::Make { name, .. } => formatter.debug_tuple("Make").field(name).finish(),
            Self::Shutdown => formatter.write_str("Shutdown"),
            Self::Reboot => formatter.write_str("Reboot"),
        }
    }
}

/// A computer for which so many bytes wait gets no more until it has caught up: they are not counted as its memory. More
/// than a hundred of the largest messages of sockets.
pub const ROOM: usize = 16 * 1024 * 1024;

/// Something that waits for a computer.
#[derive(Debug)]
struct Item {
    queued: Queued,
    /// The bytes that it takes.
    size: usize,
    /// From when on the computer sees it.
    stamp: Moment,
}

/// What waits for a computer, in order of arrival.
#[derive(Debug, Default)]
struct Waiting {
    items: VecDeque<Item>,
    bytes: usize,
}

impl Waiting {
    fn push(&mut self, queued: Queued, stamp: Moment) {
        let size = queued.size();
        self.bytes += size;
        // Mostly the last one: only a computer whose time has come less far sends what is seen before.
        let place = self.items.iter().rposition(|item| item.stamp <= stamp).map_or(0, |place| place + 1);
        self.items.insert(place, Item { queued, size, stamp });
    }

    fn pop(&mut self, now: Moment) -> Option<Queued> {
        self.items.front().filter(|item| item.stamp <= now)?;
        let item = self.items.pop_front()?;
        self.bytes -= item.size;
        Some(item.queued)
    }

    /// Forgets all but what is wanted.
    fn retain(&mut self, wanted: impl Fn(&Queued) -> bool) {
        self.items.retain(|item| wanted(&item.queued));
        self.bytes = self.items.iter().map(|item| item.size).sum();
    }
}

/// The part of a computer that other threads reach.
#[derive(Debug)]
pub struct Shared {
    pub id: u32,
    queue: Mutex<Waiting>,
    /// What it has printed and not sent yet.
    output: Mutex<Option<Output>>,
    /// Who steps it.
    scheduler: Scheduler,
    terminal: Mutex<Terminal>,
    label: Mutex<Option<Vec<u8>>>,
    stop: Arc<AtomicBool>,
    on: AtomicBool,
    /// How often its programs have yielded, since the world began.
    yields: AtomicU64,
    /// How often it has started, since the world began.
    boots: AtomicU64,
    /// How long it has run in virtual time, in nanoseconds.
    busy: AtomicU64,
    /// What the Rust program around the emulator has attached.
    pub devices: Devices,
}

/// A panic elsewhere must not take the screen or the queue with it.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    pub fn new(id: u32, scheduler: Scheduler, terminal: Terminal, label: Option<Vec<u8>>) -> Self {
        Self {
            id,
            queue: Mutex::default(),
            output: Mutex::default(),
            scheduler,
            terminal: Mutex::new(terminal),
            label: Mutex::new(label),
            stop: Arc::default(),
            on: AtomicBool::new(false),
            yields: AtomicU64::new(0),
            boots: AtomicU64::new(0),
            busy: AtomicU64::new(0),
            devices: Devices::default(),
        }
    }

    pub fn queue(&self, queued: Queued) {
        lock(&self.queue).push(queued, self.scheduler.stamp());
        self.scheduler.wake(self.id);
    }

    /// Queues what the computer has brought about itself: it looks at it before it waits.
    pub fn queue_own(&self, queued: Queued) {
        lock(&self.queue).push(queued, self.scheduler.stamp());
    }

    /// Queues what may be lost: it is, where the computer has fallen behind, or where it would be too much at once.
    pub fn offer(&self, queued: Queued) {
        let mut queue = lock(&self.queue);
        if queue.bytes + queued.size() <= ROOM {
            queue.push(queued, self.scheduler.stamp());
            drop(queue);
            self.scheduler.wake(self.id);
        }
    }

    /// The same, but it is seen at a moment and not before.
    pub fn offer_at(&self, queued: Queued, moment: Moment) {
        let mut queue = lock(&self.queue);
        if queue.bytes + queued.size() <= ROOM {
            queue.push(queued, moment);
            drop(queue);
            self.scheduler.wake(self.id);
        }
    }

    /// How often its programs have yielded, since the world began.
    pub fn yields(&self) -> u64 {
        self.yields.load(Ordering::Relaxed)
    }

    pub fn count_yield(&self) {
        self.yields.fetch_add(1, Ordering::Relaxed);
    }

    /// How often it has started, since the world began.
    pub fn boots(&self) -> u64 {
        self.boots.load(Ordering::Relaxed)
    }

    pub fn count_boot(&self) {
        self.boots.fetch_add(1, Ordering::Relaxed);
    }

    /// How long it has run and not waited, in virtual time.
    pub fn busy(&self) -> Duration {
        Duration::from_nanos(self.busy.load(Ordering::Relaxed))
    }

    pub fn add_busy(&self, time: Duration) {
        self.busy.fetch_add(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    /// Who steps it.
    pub fn scheduler(&self) -> &Scheduler {
        &self.scheduler
    }

    /// Whether a computer for which fewer than `most` events wait has room for another.
    pub fn has_room(&self, most: usize) -> bool {
        let queue = lock(&self.queue);
        queue.items.len() < most && queue.bytes < ROOM
    }

    /// Keeps what the computer prints within reach of others.
    pub fn set_output(&self, output: Output) {
        *lock(&self.output) = Some(output);
    }

    /// Sends what the computer has printed so far, also if it is busy.
    pub fn finish_output(&self) {
        if let Some(output) = &*lock(&self.output) {
            output.finish();
        }
    }

    /// Takes what came first, if it can be seen by now.
    pub fn take(&self, now: Moment) -> Option<Queued> {
        lock(&self.queue).pop(now)
    }

    /// From when on something can be seen that waits for it.
    pub fn next_stamp(&self) -> Option<Moment> {
        lock(&self.queue).items.front().map(|item| item.stamp)
    }

    /// Whether somebody wants it off.
    pub fn is_to_shut_down(&self) -> bool {
        lock(&self.queue).items.iter().any(|item| matches!(item.queued, Queued::Shutdown))
    }

    /// Forgets what waits, when the computer starts anew; that it is to be turned off is not forgotten.
    pub fn clear(&self) {
        let mut queue = lock(&self.queue);
        queue.retain(|queued| matches!(queued, Queued::Shutdown));
        self.stop.store(!queue.items.is_empty(), Ordering::Relaxed);
    }

    pub fn terminal(&self) -> MutexGuard<'_, Terminal> {
        lock(&self.terminal)
    }

    pub fn label(&self) -> Option<Vec<u8>> {
        lock(&self.label).clone()
    }

    pub fn set_label(&self, label: Option<Vec<u8>>) {
        *lock(&self.label) = label;
    }

    /// Set when whatever the computer runs must end at once.
    pub fn stop_flag(&self) -> Arc<AtomicBool> {
        self.stop.clone()
    }

    /// A blank screen, as after a restart.
    pub fn reset_terminal(&self) {
        let mut terminal = self.terminal();
        let (width, height) = terminal.size();
        *terminal = Terminal::new(width, height);
    }

    /// Turns it off, even if it is busy.
    pub fn shut_down(&self) {
        self.command(Queued::Shutdown);
    }

    /// Queues a command and stops what runs, as one step: a restart in between would lose one of the two.
    fn command(&self, command: Queued) {
        let mut queue = lock(&self.queue);
        queue.push(command, self.scheduler.stamp());
        self.stop.store(true, Ordering::Relaxed);
        drop(queue);
        self.scheduler.wake(self.id);
    }

    /// Restarts it, even if it is busy.
    pub fn reboot(&self) {
        self.command(Queued::Reboot);
    }

    pub fn is_on(&self) -> bool {
        self.on.load(Ordering::Acquire)
    }

    /// Marks it as running, with nothing waiting for it; false if it runs already.
    pub fn turn_on(&self) -> bool {
        if self.on.swap(true, Ordering::AcqRel) {
            return false;
        }
        *lock(&self.queue) = Waiting::default();
        self.stop.store(false, Ordering::Relaxed);
        true
    }

    /// Marks it as off and forgets what waits for it, sockets included.
    fn turn_off(&self) {
        let waiting = std::mem::take(&mut *lock(&self.queue));
        drop(waiting);
        self.on.store(false, Ordering::Release);
    }
}

/// A world that could not be made.
#[derive(Debug, Error)]
pub enum WorldError {
    #[error(transparent)]
    Settings(#[from] SettingsError),
    #[error(
        "failed to read the bios `{path}`\nhint: the folder of `--rom` must have `bios.lua` and `rom/` in it"
    )]
    Bios {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error(transparent)]
    Trust(#[from] TrustError),
    #[error(transparent)]
    Faults(#[from] FaultsError),
    #[error("this program was built without a ROM\nhint: give one with `--rom`")]
    NoRom,
}

/// All computers of one process.
#[derive(Debug)]
pub struct World {
    options: Options,
    bios: LuaFile,
    settings: Arc<Settings>,
    trust: Option<Trust>,
    computers: Mutex<BTreeMap<u32, Arc<Shared>>>,
    airwaves: Mutex<Airwaves>,
    running: Mutex<Running>,
    changed: Condvar,
    time: Arc<Time>,
    faults: Option<Injector>,
    scheduler: Scheduler,
    /// What every computer has mounted, found once for all of them.
    mounts: OnceLock<Vec<Mount>>,
    /// What others begin with, once one of many has come as far.
    template: OnceLock<Template>,
}

#[derive(Debug, Default)]
struct Running {
    count: usize,
    exits: BTreeMap<u32, Exit>,
}

impl World {
    pub fn new(options: Options) -> Result<Arc<Self>, WorldError> {
        let settings = options.profile.settings().read(&options.global_config())?;
        let trust = options.certificates.as_deref().map(Trust::with_file).transpose()?;
        let bios = match &options.rom {
            None => embedded_bios().ok_or(WorldError::NoRom)?,
            Some(folder) => {
                let path = folder.join("bios.lua");
                std::fs::read(&path).map_err(|source| WorldError::Bios { path, source })?.into()
            }
        };
        let time = Arc::new(match &options.surroundings {
            Some(around) if options.simulate => Time::surrounded(around.clone()),
            _ if options.simulate => Time::simulated(),
            _ => Time::real(),
        });
        time.set(options.began);
        let seed = options.seed.unwrap_or_default();
        let faults = options.faults.clone().map(|faults| Injector::new(faults, seed)).transpose()?;
        Ok(Arc::new(Self {
            options,
            bios,
            settings: Arc::new(settings),
            trust,
            computers: Mutex::default(),
            airwaves: Mutex::default(),
            running: Mutex::default(),
            changed: Condvar::new(),
            scheduler: Scheduler::new(time.clone(), seed),
            time,
            faults,
            mounts: OnceLock::new(),
            template: OnceLock::new(),
        }))
    }

    pub fn options(&self) -> &Options {
        &self.options
    }

    /// What random numbers follow from; a simulation always has a seed.
    pub fn seed(&self) -> Option<u64> {
        self.options.seed.or(self.options.simulate.then_some(0))
    }

    /// Keeps what every computer has mounted.
    pub fn mounts(&self) -> &OnceLock<Vec<Mount>> {
        &self.mounts
    }

    /// What a computer may begin with.
    pub fn template(&self) -> Option<&Template> {
        self.template.get()
    }

    /// Whether a computer should leave a template for others: there are some, and lines are not counted, which each has to
    /// run itself.
    pub fn wants_template(&self) -> bool {
        self.template.get().is_none() && self.options.coverage.is_none() && lock(&self.running).count > 1
    }

    /// Keeps a template, unless there is one.
    pub fn keep_template(&self, make: impl FnOnce() -> Template) {
        self.template.get_or_init(make);
    }

    /// The clock that all computers go by.
    pub fn time(&self) -> &Arc<Time> {
        &self.time
    }

    /// What goes wrong here, if anything may.
    pub fn faults(&self) -> Option<&Injector> {
        self.faults.as_ref()
    }

    /// Who steps the computers.
    pub fn scheduler(&self) -> &Scheduler {
        &self.scheduler
    }

    /// Runs a simulated world until `done`, until nothing more can happen or until a moment; others run by themselves.
    pub fn simulate(&self, until: Option<Moment>, done: &dyn Fn() -> bool) -> Standstill {
        self.scheduler.simulation().map_or(Standstill::Done, |simulation| simulation.run(until, done))
    }

    /// Whether it is simulated: then whoever waits for a computer makes it run.
    pub fn is_simulated(&self) -> bool {
        self.time.is_simulated()
    }

    /// The network of a simulated world, where it is given one.
    pub fn surroundings(&self) -> Option<&Arc<dyn Surroundings>> {
        self.options.surroundings.as_ref().filter(|_| self.is_simulated())
    }

    /// Runs a task of the network: on a thread of its own, or in the time of a simulation.
    pub fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) -> AbortHandle {
        match self.surroundings() {
            Some(around) => around.spawn(Box::pin(task)),
            None => net::spawn(task).abort_handle(),
        }
    }

    /// Certificates that were named, with the usual ones.
    pub fn trust(&self) -> Option<Trust> {
        self.trust.clone()
    }

    pub fn airwaves(&self) -> MutexGuard<'_, Airwaves> {
        lock(&self.airwaves)
    }

    pub fn bios(&self) -> &LuaFile {
        &self.bios
    }

    pub fn settings(&self) -> &Arc<Settings> {
        &self.settings
    }

    pub fn find(&self, id: u32) -> Option<Arc<Shared>> {
        lock(&self.computers).get(&id).cloned()
    }

    pub fn find_or_add(&self, id: u32, make: impl FnOnce() -> Shared) -> Arc<Shared> {
        lock(&self.computers).entry(id).or_insert_with(|| Arc::new(make())).clone()
    }

    /// Everyone, ordered by id.
    pub fn computers(&self) -> Vec<Arc<Shared>> {
        lock(&self.computers).values().cloned().collect()
    }

    pub fn computer_started(&self) {
        lock(&self.running).count += 1;
    }

    /// Marks a computer as off, in one step with how it ended: whoever waits for it sees both.
    pub fn computer_stopped(&self, computer: &Shared, exit: Exit) {
        self.airwaves().remove_all(computer.id);
        computer.finish_output();
        let mut running = lock(&self.running);
        running.count -= 1;
        running.exits.insert(computer.id, exit);
        computer.turn_off();
        self.changed.notify_all();
    }

    /// Whether some computer runs.
    pub fn is_any_on(&self) -> bool {
        lock(&self.running).count > 0
    }

    /// How each computer ended that has, ordered by id.
    pub fn exits(&self) -> BTreeMap<u32, Exit> {
        lock(&self.running).exits.clone()
    }

    /// Waits until no computer runs, or until nothing more happens in a simulation, and returns how each ended, ordered
    /// by id.
    pub fn wait(&self) -> BTreeMap<u32, Exit> {
        self.simulate(None, &|| false);
        let mut running = lock(&self.running);
        while running.count > 0 && !self.is_simulated() {
            running = self.changed.wait(running).unwrap_or_else(PoisonError::into_inner);
        }
        running.exits.clone()
    }

    /// Waits until no computer runs, or the time is over, which is virtual in a simulation.
    pub fn wait_timeout(&self, timeout: Duration) -> bool {
        if self.is_simulated() {
            self.simulate(Some(self.time.now().saturating_add(timeout)), &|| false);
            return lock(&self.running).count == 0;
        }
        let running = lock(&self.running);
        let waited = self.changed.wait_timeout_while(running, timeout, |running| running.count > 0);
        !waited.unwrap_or_else(PoisonError::into_inner).1.timed_out()
    }

    /// Waits until that computer is off, or until nothing more happens in a simulation.
    pub fn wait_for(&self, computer: &Shared) -> Exit {
        self.simulate(None, &|| !computer.is_on());
        let mut running = lock(&self.running);
        while computer.is_on() && !self.is_simulated() {
            running = self.changed.wait(running).unwrap_or_else(PoisonError::into_inner);
        }
        running.exits.get(&computer.id).cloned().unwrap_or_default()
    }

    /// The same, but only for a while; none if the computer is still on then.
    pub fn wait_for_timeout(&self, computer: &Shared, timeout: Duration) -> Option<Exit> {
        self.simulate(Some(self.time.now().saturating_add(timeout)), &|| !computer.is_on());
        let running = lock(&self.running);
        let timeout = if self.is_simulated() { Duration::ZERO } else { timeout };
        let waited = self.changed.wait_timeout_while(running, timeout, |_| computer.is_on());
        let (running, _) = waited.unwrap_or_else(PoisonError::into_inner);
        (!computer.is_on()).then(|| running.exits.get(&computer.id).cloned().unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_computer_that_has_fallen_behind_gets_no_more_than_there_is_room_for() {
        let scheduler = Scheduler::new(Arc::new(Time::real()), 0);
        let shared = Shared::new(0, scheduler, Terminal::new(51, 19), None);
        let event = || Queued::Event(vec![Value::from("modem_message"), Value::String(vec![0; ROOM / 5])]);
        for _ in 0..100 {
            shared.offer(event());
        }
        assert!(!shared.has_room(4));
        shared.queue(Queued::Event(vec![Value::from("timer")]));
        let mut count = 0;
        while shared.take(Moment::MAX).is_some() {
            count += 1;
        }
        assert_eq!(count, 5, "four of a fifth each, and the timer");
        assert!(shared.has_room(1) && !shared.has_room(0));
    }
}
