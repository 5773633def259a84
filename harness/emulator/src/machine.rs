//! Runs one computer from power on to power off: its bios as a coroutine, an event at a time.

use std::sync::Arc;
use std::time::Instant;

use crate::coverage;
use crate::host::{Host, Power};
use crate::lua::{Arguments, Context, LuaStartError, Resumed, Start, State, Value, Watchdog};
use crate::overtime::Overtime;
use crate::world::{Queued, Shared, World};

/// The event that reaches a program whatever it waits for.
const TERMINATE: &[u8] = b"terminate";
/// What a computer brings about itself, and waits for.
const OWN_EVENTS: [&[u8]; 2] = [b"timer", b"alarm"];
/// The code for the process when a computer's bios failed.
const FAILED: i32 = 1;

/// Why a computer of the game is turned off.
const NEVER_YIELDED: &str = "it went on after `Too long without yielding`";

/// How a computer ended.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Exit {
    /// What the program gave to `os.shutdown`.
    pub code: i32,
    /// The error that ended the bios, if one did.
    pub error: Option<String>,
}

/// Why a run of the bios ended.
enum Ended {
    Off(Exit),
    Restart,
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

/// Runs a computer until it is off.
pub fn run(world: &Arc<World>, shared: &Arc<Shared>) -> Exit {
    loop {
        match world.host_for(shared).map(|host| run_once(world, shared, host)) {
            Ok(Ended::Off(exit)) => return exit,
            Ok(Ended::Restart) => {
                shared.clear();
                shared.reset_terminal();
                world.airwaves().remove_all(shared.id);
            }
            Err(error) => return Exit::failed(error.to_string()),
        }
    }
}

/// Runs from start to stop.
fn run_once(world: &Arc<World>, shared: &Arc<Shared>, host: Host) -> Ended {
    let mut turn = Some(world.turns().take());
    let mut state = match new_state(world, shared, host) {
        Ok(state) => state,
        Err(error) => return Ended::Off(Exit::failed(error.to_string())),
    };
    let mut arguments = Arguments::Values(Vec::new());
    let mut filter = None;
    let overtime = world.options().profile.overtime().map(|most| (Overtime::new(shared.stop_flag()), most));
    let ended = loop {
        let abort_timeout = state.context().host.borrow().settings().abort_timeout();
        state.context().watchdog.restart(abort_timeout);
        if let Some((overtime, most)) = &overtime {
            overtime.begin(abort_timeout.saturating_add(*most));
        }
        let from_others = is_from_others(&arguments);
        let resumed = state.resume(&arguments);
        drop(turn.take());
        if let Some((overtime, _)) = &overtime {
            overtime.end();
            if overtime.exceeded() {
                break Ended::Off(Exit::failed(NEVER_YIELDED));
            }
        }
        match resumed {
            Resumed::Waiting(name) => filter = name,
            // What others send must not turn a computer off; what it has started itself it would wait for in vain.
            Resumed::NoRoom(_) if from_others => {}
            Resumed::NoRoom(message) => break Ended::Off(Exit::failed(String::from_utf8_lossy(&message))),
            Resumed::Finished => break Ended::Off(Exit::default()),
            Resumed::Failed(message) => {
                if let Some(stopped) = stopped(&state, shared) {
                    break stopped;
                }
                break Ended::Off(Exit::failed(String::from_utf8_lossy(&message)));
            }
        }
        match next_event(&mut state, shared, filter.as_deref()) {
            Ok(next) => arguments = next,
            Err(ended) => break ended,
        }
    };
    state.context().host.borrow_mut().finish_output();
    if let Some(sink) = &world.options().coverage {
        coverage::write(sink, shared.id, &state.line_counts());
    }
    ended
}

/// Whether an event comes from outside of the computer.
fn is_from_others(event: &Arguments) -> bool {
    let Arguments::Values(values) = event else { return false };
    let name = values.first().and_then(Value::as_bytes);
    name.is_some_and(|name| !OWN_EVENTS.contains(&name))
}

/// What the program or somebody else asked for, once the computer has stopped.
fn stopped(state: &State, shared: &Shared) -> Option<Ended> {
    let host = state.context().host.borrow();
    match host.power {
        Power::Off(code) => return Some(Ended::Off(Exit::of(&host, code))),
        Power::Restarting => return Some(Ended::Restart),
        Power::On => {}
    }
    if !state.context().watchdog.stopping() {
        return None;
    }
    while let Some(queued) = shared.take(Some(Instant::now())) {
        match queued {
            Queued::Shutdown => break,
            Queued::Reboot => return Some(Ended::Restart),
            _ => {}
        }
    }
    Some(Ended::Off(Exit::default()))
}

/// Waits for an event that the program wants; an error is the end of the computer.
fn next_event(state: &mut State, shared: &Shared, filter: Option<&[u8]>) -> Result<Arguments, Ended> {
    let wanted = |name: &[u8]| filter.is_none_or(|filter| filter == name) || name == TERMINATE;
    loop {
        let deadline = {
            let mut host = state.context().host.borrow_mut();
            match host.power {
                Power::Off(code) => return Err(Ended::Off(Exit::of(&host, code))),
                Power::Restarting => return Err(Ended::Restart),
                Power::On => {}
            }
            host.flush_output();
            while host.take_due(Instant::now()) {}
            host.timers.next_due()
        };
        match shared.take(deadline) {
            Some(Queued::Shutdown) => return Err(Ended::Off(Exit::default())),
            Some(Queued::Reboot) => return Err(Ended::Restart),
            Some(Queued::Event(values)) if values.first().and_then(Value::as_bytes).is_some_and(wanted) => {
                return Ok(Arguments::Values(values));
            }
            Some(Queued::Event(_)) | None => {}
            Some(Queued::Make { name, make }) => {
                if wanted(name.as_bytes()) {
                    return Ok(Arguments::Values(make(&mut state.context().host.borrow_mut())));
                }
            }
            Some(Queued::Packed(packed)) => {
                if state.packed_name(packed).is_some_and(|name| wanted(&name)) {
                    return Ok(Arguments::Packed(packed));
                }
                state.forget(packed);
            }
        }
    }
}

/// Makes the state of a computer that starts.
fn new_state(world: &World, shared: &Shared, host: Host) -> Result<State, LuaStartError> {
    let http = world.settings().flag("http_enable");
    let without = world.options().profile.without();
    let start = Start {
        without: without.iter().copied().chain((!http).then_some("http")).collect(),
        globals: globals(world),
        chunk: world.bios(),
        chunk_name: "@bios.lua",
        memory_limit: world.settings().size("memoryLimit"),
        seed: world.options().seed.map_or_else(
            || getrandom::u64().unwrap_or_default(),
            // Another one for each computer.
            |seed| seed ^ (u64::from(shared.id) << 32),
        ),
        count_lines: world.options().coverage.is_some(),
    };
    State::new(Context::new(host, Watchdog::new(shared.stop_flag())), &start)
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
