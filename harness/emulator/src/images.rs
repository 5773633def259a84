//! Computers made from an image: what the bios does before it looks at its own computer is done once for all of them.
//!
//! A process that boots a few computers never makes one. Once several have started (`Options::copies_after`), two more are
//! booted that nobody sees, up to the checkpoint of the bios, each as unlike the other as computers can be. If their Lua
//! states are the same all the same, then that state is what every computer begins with, and the next ones are copies of
//! it. The chunks that those before had loaded are in it: whoever loads the same text has it already.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use crate::fs::sanitize;
use crate::host::{Host, HostSetup, Output};
use crate::lua::{
    Arguments, Chunk, Context, Image, Memory, Resumed, Slot, State, Value, Watchdog, often_loaded,
};
use crate::machine;
use crate::screen::Terminal;
use crate::world::{Shared, World};

/// What most of them have loaded, the next ones will.
const LOADS: u32 = 4;
/// Where the bios stops, and what it is told by.
const CHECKPOINT: &[u8] = b"checkpoint";
const CHECKPOINT_GLOBAL: &str = "_CHECKPOINT";
/// Several times what a computer at its checkpoint needs; only what is used takes memory.
const ROOM: usize = 16 * 1024 * 1024;

/// The images of one process: with colours, and without.
#[derive(Debug, Default)]
pub struct Images {
    started: AtomicUsize,
    made: [OnceLock<Result<Image, String>>; 2],
}

impl Images {
    /// Notes that a computer has started: it has run up to its first wait.
    pub fn computer_started(&self) {
        self.started.fetch_add(1, Ordering::Relaxed);
    }

    /// The image for a computer that is about to start, if there is one.
    pub fn image_for(&self, host: &Host) -> Option<&Image> {
        let options = host.world.options();
        // Seeded computers begin at addresses that are given. Another bios has no checkpoint, and other APIs may look at
        // their computer before it.
        let other_rom = options.rom.is_some() || options.mounts.iter().any(|mount| covers_rom(&mount.at));
        let few = self.started.load(Ordering::Relaxed) < options.copies_after;
        if options.seed.is_some() || other_rom || few {
            return None;
        }
        let colour = usize::from(host.computer_config.is_color);
        self.made[colour].get_or_init(|| make(host)).as_ref().ok()
    }
}

/// Whether something that is mounted there lies in the ROM, or over it.
fn covers_rom(at: &str) -> bool {
    sanitize(at.as_bytes()).map_or(true, |parts| parts.first().is_none_or(|first| first == "rom"))
}

/// Makes an image for computers like this one. The first time the one may compile what the other then finds compiled.
fn make(host: &Host) -> Result<Image, String> {
    compare_two(host).or_else(|_| compare_two(host))
}

fn compare_two(host: &Host) -> Result<Image, String> {
    let mut chunks = None;
    let one = boot_whole(host, 0, &mut chunks)?;
    let other = boot_whole(host, 1, &mut chunks)?;
    Image::new(one, other).map_err(|error| error.to_string())
}

/// Boots one of the two, and loads ahead what the first has found. Both run at one depth of one stack: what is left of its
/// addresses in a state is the same in both.
#[inline(never)]
fn boot_whole(host: &Host, which: u32, chunks: &mut Option<Vec<Chunk>>) -> Result<State, String> {
    let mut state = boot(host, which)?;
    let compiled = state.context().compiled();
    let chunks = chunks.get_or_insert_with(|| often_loaded(LOADS, &compiled));
    state.load_ahead(chunks).map_err(|message| String::from_utf8_lossy(&message).into_owned())?;
    Ok(state)
}

/// Boots a computer that nobody sees up to its checkpoint. Whatever a bios could ask for is different for the two.
fn boot(like: &Host, which: u32) -> Result<State, String> {
    let world = &like.world;
    let size = 20 + which as usize;
    let label = vec![b'x'; size];
    let shared = Arc::new(Shared::new(u32::MAX - which, Terminal::new(size, size), Some(label.clone())));
    let mut computer_config = like.computer_config.clone();
    computer_config.label = Some(label);
    let host = Host::new(HostSetup {
        id: shared.id,
        shared: shared.clone(),
        world: world.clone(),
        fs: world.file_system(like.id, None).map_err(|error| error.to_string())?,
        computer_config,
        output: Output::new(None, false),
        seed: None,
        space_limited: false,
    });
    let slot = Slot::new(ROOM, false).ok_or("no slot")?;
    let mut start = machine::start(world, ROOM, Memory::Slot { seed: std::process::id(), slot });
    start.globals.push((CHECKPOINT_GLOBAL, Value::from(true)));
    let context = Context::new(host, Watchdog::new(shared.stop_flag()));
    context.watch_compiling();
    let mut state = State::new(context, start).map_err(|error| error.to_string())?;
    let timeout = world.settings().abort_timeout();
    state.context().watchdog.restart(timeout);
    let resumed = state.resume(Arguments::Values(Vec::new()));
    if resumed != Resumed::Waiting(Some(CHECKPOINT.to_vec())) {
        return Err(format!("the bios did not stop at its checkpoint: {resumed:?}"));
    }
    if !state.context().host.borrow().is_untouched() {
        return Err("the bios has changed its computer before its checkpoint".to_owned());
    }
    Ok(state)
}

impl World {
    /// Makes the state of a computer that starts, from an image where there is one.
    pub fn new_state(
        self: &Arc<Self>,
        shared: &Shared,
        host: Host,
    ) -> Result<State, crate::lua::LuaStartError> {
        let memory_limit = self.settings().size("memoryLimit");
        let copied =
            self.images().image_for(&host).and_then(|image| Some((image, image.room(memory_limit)?)));
        let context = Context::new(host, Watchdog::new(shared.stop_flag()));
        if let Some((image, slot)) = copied {
            return Ok(image.copy_to(slot, context, memory_limit));
        }
        let memory = self.options().seed.map_or(Memory::Anywhere, |seed| Memory::Fixed {
            seed: machine::fold(seed, shared.id),
            range: shared.id,
        });
        State::new(context, machine::start(self, memory_limit, memory))
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use crate::options::Options;

    /// Says what a program can see of its computer, but for what is its own.
    const LOOK: &str = r#"
        local lines = {}
        local function look(name, value, seen)
            lines[#lines + 1] = name .. " " .. type(value)
            if type(value) == "string" or type(value) == "number" then
                lines[#lines] = lines[#lines] .. " " .. tostring(value)
            end
            if type(value) ~= "table" or seen[value] then return end
            -- Tables and functions as keys are found by their addresses.
            seen[value] = true
            for key in pairs(value) do assert(rawget(value, key) ~= nil) end
            for key, item in pairs(value) do
                if type(key) == "string" or type(key) == "number" then look(name .. "." .. key, item, seen) end
            end
            seen[value] = nil
        end
        _G._CCPC_STARTUP_SCRIPT = nil
        look("_G", _G, {})
        look("settings", settings.getNames(), {})
        for _, name in ipairs(settings.getNames()) do look(name, settings.get(name), {}) end
        look("package", package, { [_G] = true })
        local functions = { [print] = "print", [fs] = "fs", [string.rep] = "rep" }
        look("found", functions[print] .. functions[fs] .. functions[string.rep], {})
        local made = require("cc.pretty").render(require("cc.pretty").pretty({ 1, { a = 2 } }), 20)
        look("pretty", made, {})
        local ok, message = pcall(textutils.serialise, { [print] = 1, f = print })
        look("message", message, {})
        collectgarbage()
        table.sort(lines)
        local file = fs.open("seen", "w")
        file.write(table.concat(lines, "\n"))
        file.close()
        os.setComputerLabel("number " .. os.getComputerID())
        assert(os.getComputerLabel() == "number " .. os.getComputerID())
        local timer = os.startTimer(0)
        repeat local _, id = os.pullEvent("timer") until id == timer
        os.shutdown(math.random() < 2 and 7 or 8)
    "#;

    fn world(folder: &std::path::Path) -> Arc<World> {
        let script = Some(LOOK.as_bytes().to_vec());
        World::new(Options { script, ..Options::new(folder) }).expect("the options are right")
    }

    #[test]
    fn copies_are_like_the_computers_before_them() {
        const COMPUTERS: u32 = 60;
        let folder = tempfile::tempdir().expect("a folder can be made");
        std::fs::create_dir(folder.path().join("config")).expect("a folder can be made");
        let settings = r#"{"default_computer_settings": "motd.enable=false,shell.autocomplete=false"}"#;
        std::fs::write(folder.path().join("config/global.json"), settings).expect("a file can be written");
        let world = world(folder.path());
        for id in 0..COMPUTERS {
            world.boot(id).expect("it starts");
        }
        let exits = world.wait();
        assert!(exits.values().all(|exit| exit.code == 7 && exit.error.is_none()), "{exits:?}");
        let image = world.images().made[1].get().expect("so many computers need an image");
        assert!(image.is_ok(), "{image:?}");
        let seen = |id: u32| {
            let path = world.options().computer_folder(id).join("seen");
            let seen = std::fs::read(path).expect("the computer has written it");
            String::from_utf8_lossy(&seen).into_owned()
        };
        let first = seen(0);
        assert!(first.lines().count() > 500, "{first}");
        for id in 1..COMPUTERS {
            same(&first, &seen(id), id);
        }
    }

    fn same(first: &str, other: &str, id: u32) {
        for (line, others) in first.lines().zip(other.lines()) {
            assert_eq!(line, others, "computer {id}");
        }
        assert_eq!(first.lines().count(), other.lines().count(), "computer {id}");
    }

    #[test]
    fn states_that_differ_give_no_image() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let world = world(folder.path());
        let shared = world.boot(0).expect("it starts");
        world.wait();
        let host = world.host_for(&shared).expect("it can start again");
        make(&host).expect("the bios does before its checkpoint what every computer does");
        let (one, mut other) = (boot(&host, 0).expect("it boots"), boot(&host, 1).expect("it boots"));
        let event = vec![Value::from("an event that only one of them saw")];
        other.resume(Arguments::Values(event));
        assert!(Image::new(one, other).is_err());
    }
}
