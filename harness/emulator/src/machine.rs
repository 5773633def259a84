//! One computer from power on to power off: its bios as a coroutine, an event at a time, a slice at a time.

use std::sync::Arc;

use crate::coverage;
use crate::faults::AtYield;
use crate::host::{Host, Power};
use crate::lua::{Arguments, Context, LuaStartError, Resumed, Standing, Start, State, Value, Watchdog};
use crate::time::Moment;
use crate::world::{Queued, Shared, World};

/// The event that reaches a program whatever it waits for.
const TERMINATE: &[u8] = b"terminate";
/// What a computer brings about itself, and waits for.
const OWN_EVENTS: [&[u8]; 2] = [b"timer", b"alarm"];
/// The code for the process when a computer's bios failed.
const FAILED: i32 = 1;

/// Some hundred microseconds of Lua: rare enough that looking at the clock and changing to another computer cost nothing.
const SLICE: u64 = 20_000;

/// The same in a simulation for a computer that has not waited yet. A start takes less, so that the states of a thousand
/// computers do not pass through the processor's cache in turn; it is 20 ms of virtual time.
const FIRST_SLICE: u64 = 200_000;

/// What is queued and not wanted is left out; so much of it in one step.
const MOST_LEFT_OUT: usize = 256;

/// Why a computer of the game is turned off.
const NEVER_YIELDED: &str = "it went on after `Too long without yielding`";

/// Why a computer is off that a fault turned off for good.
const KILLED: &str = "a fault killed it";

/// How a computer ended.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Exit {
    /// What the program gave to `os.shutdown`.
    pub code: i32,
    /// The error that ended the bios, if one did.
    pub error: Option<String>,
}

/// How far a step went.
#[derive(Debug)]
pub enum Step {
    /// It could go on at once.
    Busy,
    /// It waits for something that happens to it, or until a moment.
    Waits(Option<Moment>),
    Ended(Exit),
}

/// Why a run of the bios ended.
#[derive(Debug)]
enum Ended {
    Off(Exit),
    Restart,
    /// Its power is gone, until a moment or for good: what files have not been flushed is lost.
    NoPower(Option<Moment>),
}

impl Exit {
    /// The end of a computer that was turned off from inside.
    fn of(host: &Host, code: i32) -> Self {
        Self { code, error: host.failure.as_ref().map(|message| format!("startup failed: {message}")) }
    }

    pub(crate) fn failed(error: impl Into<String>) -> Self {
        Self { code: FAILED, error: Some(error.into()) }
    }
}

/// A computer that is on. It has no thread: whoever has it steps it.
#[derive(Debug)]
pub struct Machine {
    world: Arc<World>,
    shared: Arc<Shared>,
    /// None before it begins, and between two runs.
    run: Option<Run>,
    /// Until when it stands still, or is without power.
    still: Option<Moment>,
}

/// What is left of a computer that was turned off.
#[derive(Debug)]
pub struct Ending {
    world: Arc<World>,
    shared: Arc<Shared>,
}

impl Ending {
    /// Tells whoever waits for the computer how it ended.
    pub fn tell(self, exit: Exit) {
        self.world.computer_stopped(&self.shared, exit);
    }
}

impl Machine {
    pub fn new(world: Arc<World>, shared: Arc<Shared>) -> Self {
        Self { world, shared, run: None, still: None }
    }

    /// Lets go of everything that the computer held.
    pub fn into_ending(self) -> Ending {
        drop(self.run);
        Ending { world: self.world, shared: self.shared }
    }

    /// The power is gone: what was written and not flushed is lost.
    pub fn lose_power(&mut self) {
        if let Some(run) = self.run.take() {
            run.lose_power();
        }
    }

    /// The line of a wanted chunk at which its program waits.
    pub fn standing(&self, wanted: &dyn Fn(&[u8]) -> bool) -> Option<Standing> {
        self.run.as_ref()?.state.standing(wanted)
    }

    /// Whether it stands still, and until when. One that was without power forgets what others sent it meanwhile.
    fn stands_still(&mut self) -> Option<Moment> {
        let until = self.still?;
        if self.world.time().now() < until && !self.shared.is_to_shut_down() {
            return Some(until);
        }
        self.still = None;
        if self.run.is_none() {
            self.shared.clear();
        }
        None
    }

    /// Takes the next event if it waits for one, and runs for a slice.
    pub fn step(&mut self) -> Step {
        if let Some(until) = self.stands_still() {
            return Step::Waits(Some(until));
        }
        if !self.world.is_simulated() {
            return self.go_on();
        }
        let began = self.world.time().now();
        let step = self.go_on();
        self.shared.add_busy(self.world.time().now().saturating_sub(began));
        step
    }

    fn go_on(&mut self) -> Step {
        let run = match &mut self.run {
            Some(run) => run,
            None if self.shared.is_to_shut_down() => return Step::Ended(Exit::default()),
            none => match Run::new(&self.world, &self.shared) {
                Ok(run) => none.insert(run),
                Err(exit) => return Step::Ended(exit),
            },
        };
        match run.step(&self.shared) {
            Ok(step) => {
                self.still = run.frozen.take();
                self.still.map_or(step, |until| Step::Waits(Some(until)))
            }
            Err(ended) => {
                if matches!(ended, Ended::NoPower(_)) {
                    run.lose_power();
                }
                run.state.context().host.borrow_mut().finish_output();
                if let Some(sink) = &self.world.options().coverage {
                    coverage::write(sink, self.shared.id, &run.state.line_counts());
                }
                self.run = None;
                match ended {
                    Ended::Off(exit) => Step::Ended(exit),
                    Ended::NoPower(None) => Step::Ended(Exit::failed(KILLED)),
                    Ended::NoPower(Some(until)) => {
                        self.start_anew();
                        self.still = Some(until);
                        Step::Waits(Some(until))
                    }
                    Ended::Restart => {
                        self.start_anew();
                        Step::Busy
                    }
                }
            }
        }
    }
}

impl Machine {
    /// Forgets what the run before had.
    fn start_anew(&self) {
        self.shared.clear();
        self.shared.reset_terminal();
        self.world.airwaves().remove_all(self.shared.id);
    }
}

/// One run of the bios, from start to stop.
#[derive(Debug)]
struct Run {
    state: State,
    does: Does,
    /// Until when it stands still from now on, whatever happens to it.
    frozen: Option<Moment>,
    /// For how many instructions it runs in a step.
    slice: u64,
}

#[derive(Debug)]
enum Does {
    Runs,
    /// It waits for the event of that name, or for any.
    Waits(Option<Vec<u8>>),
}

/// What a computer finds that looks for an event.
enum Next {
    Event(Arguments),
    /// Only such as it does not want; there may be more.
    LeftOut,
    /// Nothing, until a moment.
    None(Option<Moment>),
}

impl Run {
    fn new(world: &Arc<World>, shared: &Arc<Shared>) -> Result<Self, Exit> {
        let host = world.host_for(shared).map_err(|error| Exit::failed(error.to_string()))?;
        let state = state_of(world, shared, host)?;
        let slice = if world.is_simulated() { FIRST_SLICE } else { SLICE };
        let run = Self { state, does: Does::Runs, frozen: None, slice };
        run.begin_time();
        shared.count_boot();
        Ok(run)
    }

    /// The power is gone: what was written and not flushed is lost.
    fn lose_power(&self) {
        self.state.context().host.borrow_mut().lose_power();
    }

    /// Starts the time in which the program must yield.
    fn begin_time(&self) {
        let context = self.state.context();
        let host = context.host.borrow();
        context.watchdog.begin(host.settings().abort_timeout(), host.world.options().profile.overtime());
    }

    fn step(&mut self, shared: &Shared) -> Result<Step, Ended> {
        if let Does::Waits(filter) = &self.does {
            match next_event(&mut self.state, shared, filter.as_deref())? {
                Next::Event(event) => self.deliver(&event)?,
                Next::LeftOut => return Ok(Step::Busy),
                Next::None(until) => {
                    self.state.trim();
                    return Ok(Step::Waits(until));
                }
            }
        }
        if matches!(self.does, Does::Waits(_)) {
            return Ok(Step::Busy);
        }
        self.state.context().watchdog.go_on();
        let resumed = self.state.run(self.slice);
        let watchdog = &self.state.context().watchdog;
        let Some(resumed) = resumed else {
            watchdog.pause();
            return Ok(Step::Busy);
        };
        if resumed == Resumed::AtCheckpoint {
            watchdog.pause();
            self.state.context().host.borrow().world.keep_template(|| self.state.template());
            self.state.pass_checkpoint().map_err(|message| no_memory(&message))?;
            return Ok(Step::Busy);
        }
        if watchdog.exceeded() {
            return Err(Ended::Off(Exit::failed(NEVER_YIELDED)));
        }
        watchdog.end();
        self.slice = SLICE;
        match resumed {
            Resumed::Waiting(name) => self.does = Does::Waits(name),
            Resumed::Finished | Resumed::AtCheckpoint => return Err(Ended::Off(Exit::default())),
            Resumed::Failed(message) => {
                return Err(stopped(&self.state, shared)
                    .unwrap_or_else(|| Ended::Off(Exit::failed(String::from_utf8_lossy(&message)))));
            }
        }
        let step = rest(&self.state, shared)?;
        shared.count_yield();
        self.frozen = fault_at_yield(&self.state, shared)?;
        if matches!(step, Step::Waits(_)) {
            self.state.trim();
        }
        Ok(step)
    }

    /// Gives an event to the program, which runs from then on.
    fn deliver(&mut self, event: &Arguments) -> Result<(), Ended> {
        match self.state.resume(event) {
            Ok(()) => {
                self.begin_time();
                self.does = Does::Runs;
                Ok(())
            }
            // What others send must not turn a computer off; what it has started itself it would wait for in vain.
            Err(_) if is_from_others(event) => Ok(()),
            Err(message) => Err(no_memory(&message)),
        }
    }
}

/// The end of a computer that cannot go on.
fn no_memory(message: &[u8]) -> Ended {
    Ended::Off(Exit::failed(String::from_utf8_lossy(message)))
}

/// What goes wrong with a computer that has yielded: until when it stands still, if it does.
fn fault_at_yield(state: &State, shared: &Shared) -> Result<Option<Moment>, Ended> {
    let mut host = state.context().host.borrow_mut();
    let world = host.world.clone();
    let Some(faults) = world.faults() else { return Ok(None) };
    let now = host.now();
    let fault = faults.at_yield(shared.id, now);
    host.clock.set_jumped(faults.jumped(shared.id));
    match fault {
        None => Ok(None),
        Some(AtYield::Frozen(time)) => Ok(Some(now.saturating_add(time))),
        Some(AtYield::Killed(off)) => Err(Ended::NoPower(off.map(|off| now.saturating_add(off)))),
        Some(AtYield::Rebooted) => Err(Ended::Restart),
    }
}

/// How a computer stands that has yielded.
fn rest(state: &State, shared: &Shared) -> Result<Step, Ended> {
    let mut host = state.context().host.borrow_mut();
    check_power(&host)?;
    host.flush_output();
    let until = host.timers.next_due().into_iter().chain(shared.next_stamp()).min();
    Ok(if until.is_some_and(|until| until <= host.now()) { Step::Busy } else { Step::Waits(until) })
}

/// An error if the program has turned its computer off.
fn check_power(host: &Host) -> Result<(), Ended> {
    match host.power {
        Power::Off(code) => Err(Ended::Off(Exit::of(host, code))),
        Power::Restarting => Err(Ended::Restart),
        Power::On => Ok(()),
    }
}

/// Whether an event comes from outside of the computer.
fn is_from_others(event: &Arguments) -> bool {
    let Arguments::Values(values) = event else { return false };
    let name = values.first().and_then(Value::as_bytes);
    name.is_some_and(|name| !OWN_EVENTS.contains(&name))
}

/// What the program or somebody else asked for, once the computer has stopped.
fn stopped(state: &State, shared: &Shared) -> Option<Ended> {
    if let Err(ended) = check_power(&state.context().host.borrow()) {
        return Some(ended);
    }
    if !state.context().watchdog.stopping() {
        return None;
    }
    while let Some(queued) = shared.take(Moment::MAX) {
        match queued {
            Queued::Shutdown => break,
            Queued::Reboot => return Some(Ended::Restart),
            _ => {}
        }
    }
    Some(Ended::Off(Exit::default()))
}

/// Looks for an event that the program wants; an error is the end of the computer.
fn next_event(state: &mut State, shared: &Shared, filter: Option<&[u8]>) -> Result<Next, Ended> {
    let wanted = |name: &[u8]| filter.is_none_or(|filter| filter == name) || name == TERMINATE;
    let (now, due) = {
        let mut host = state.context().host.borrow_mut();
        check_power(&host)?;
        let now = host.now();
        while host.take_due(now) {}
        (now, host.timers.next_due())
    };
    for _ in 0..MOST_LEFT_OUT {
        match shared.take(now) {
            None => return Ok(Next::None(due.into_iter().chain(shared.next_stamp()).min())),
            Some(Queued::Shutdown) => return Err(Ended::Off(Exit::default())),
            Some(Queued::Reboot) => return Err(Ended::Restart),
            Some(Queued::Event(values)) => {
                if values.first().and_then(Value::as_bytes).is_some_and(wanted) {
                    return Ok(Next::Event(Arguments::Values(values)));
                }
            }
            Some(Queued::Make { name, make }) => {
                if wanted(name.as_bytes()) {
                    let values = make(&mut state.context().host.borrow_mut());
                    return Ok(Next::Event(Arguments::Values(values)));
                }
            }
            Some(Queued::Packed(packed)) => {
                if state.packed_name(packed).is_some_and(|name| wanted(&name)) {
                    return Ok(Next::Event(Arguments::Packed(packed)));
                }
                state.forget(packed);
            }
        }
    }
    Ok(Next::LeftOut)
}

/// Makes the state of a computer that starts: from the one that another has left for it, where there is one.
fn state_of(world: &World, shared: &Shared, host: Host) -> Result<State, Exit> {
    let watchdog = Watchdog::new(world.time().clone(), shared.stop_flag());
    let context = Context::new(host, watchdog);
    let seed = world.seed().map_or_else(
        || getrandom::u64().unwrap_or_default(),
        // Another one for each computer.
        |seed| seed ^ (u64::from(shared.id) << 32),
    );
    let Some(template) = world.template() else {
        return new_state(world, context, seed).map_err(|error| Exit::failed(error.to_string()));
    };
    let mut state = State::of_template(context, template, seed);
    state.pass_checkpoint().map_err(|message| Exit::failed(String::from_utf8_lossy(&message)))?;
    Ok(state)
}

/// Makes the state of a computer that starts from nothing.
fn new_state(world: &World, context: Context, seed: u64) -> Result<State, LuaStartError> {
    // The machine's network has a time of its own: a simulation has none, unless it is given one.
    let has_network = !world.is_simulated() || world.surroundings().is_some();
    let http = world.settings().flag("http_enable") && has_network;
    let without = world.options().profile.without();
    let start = Start {
        without: without.iter().copied().chain((!http).then_some("http")).collect(),
        globals: globals(world),
        chunk: world.bios(),
        chunk_name: "@bios.lua",
        memory_limit: world.settings().size("memoryLimit"),
        seed,
        count_lines: world.options().coverage.is_some(),
        has_checkpoint: world.options().rom.is_none(),
    };
    State::new(context, &start)
}

/// Everything that the bios finds besides the natives.
fn globals(world: &World) -> Vec<(&'static str, Value)> {
    let options = world.options();
    let settings = world.settings();
    let mut globals = vec![
        ("_HOST", Value::from(options.profile.host_text())),
        ("_HEADLESS", Value::from(true)),
        ("_CC_DEFAULT_SETTINGS", Value::from(settings.text("default_computer_settings"))),
        ("_CC_DISABLE_LUA51_FEATURES", Value::from(settings.flag("disable_lua51_features"))),
    ];
    if let Some(script) = &options.script {
        globals.push(("_CCPC_STARTUP_SCRIPT", Value::string(script.clone())));
    }
    if let Some(arguments) = &options.arguments {
        globals.push(("_CCPC_STARTUP_ARGS", Value::from(arguments.as_str())));
    }
    globals
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::Options;

    /// Many slices, and one number to see that it came to its end.
    const BUSY: &str = "for _ = 1, 2000000 do end os.shutdown(5)";

    /// The same after it has waited, and before.
    const BUSY_AFTER: &str =
        "for _ = 1, 100000 do end coroutine.yield('go') for _ = 1, 100000 do end os.shutdown(5)";

    /// A simulated computer with that bios, which is stepped by whoever has it: the world's own only when it is asked to simulate.
    fn computer(bios: &str) -> (tempfile::TempDir, Arc<World>, Arc<Shared>, Machine) {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir_all(folder.path().join("rom/rom")).expect("the folder is ours");
        std::fs::write(folder.path().join("rom/bios.lua"), bios).expect("the folder is ours");
        let mut options = Options::new(folder.path());
        options.rom = Some(folder.path().join("rom"));
        options.simulate = true;
        let world = World::new(options).expect("the options are good");
        let shared = world.boot(0).expect("it starts");
        let machine = Machine::new(world.clone(), shared.clone());
        (folder, world, shared, machine)
    }

    #[test]
    fn a_simulated_computer_begins_in_one_slice_and_takes_turns_afterwards() {
        let (_folder, _world, shared, mut machine) = computer(BUSY_AFTER);
        assert!(matches!(machine.step(), Step::Waits(None)), "all that it does before it waits is one slice");
        shared.queue(Queued::Event(vec![Value::from("go")]));
        let slices = std::iter::from_fn(|| matches!(machine.step(), Step::Busy).then_some(())).count();
        assert!(slices >= 5, "{slices}");
    }

    #[test]
    fn a_computer_between_two_slices_does_not_use_up_its_time() {
        let (_folder, world, _, mut machine) = computer(BUSY);
        let mut slices = 0;
        let exit = loop {
            match machine.step() {
                Step::Busy => slices += 1,
                Step::Waits(_) => panic!("it never waits"),
                Step::Ended(exit) => break exit,
            }
            // Others run for an hour.
            world.time().set(world.time().now() + Duration::from_secs(3600));
        };
        assert_eq!((exit.code, exit.error), (5, None));
        assert!(slices > 5, "{slices}");
    }
}
