//! The state of one computer that its natives act on.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, MutexGuard};
use std::time::Duration;

use super::attached::Attached;
use super::http::{Network, Response};
use super::redstone::{SIDES, Side};
use super::{Clock, Output, Timers};
use crate::config::{ComputerConfig, LabelError, Profile, Settings};
use crate::fs::{FileHandle, FileSystem, FsError, LuaFile, Mode, sanitize};
use crate::lua::{Packed, Raise, Value};
use crate::net::Rules;
use crate::screen::Terminal;
use crate::time::Moment;
use crate::world::{Queued, Shared, World};

/// Whether a computer goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Power {
    On,
    /// Off, with the code for the process.
    Off(i32),
    Restarting,
}

/// The code for a computer whose startup failed.
const FAILED_STARTUP: i32 = 1;

/// Counting a disk's files takes long: for this time what was counted holds.
const SPACE_KNOWN: Duration = Duration::from_millis(100);

/// Texts that are written while another one is; Lua does not nest calls of C functions deeper.
const MOST_WRITING: usize = 256;
/// What these may take together: it is not counted as the computer's memory.
const MOST_WRITTEN: usize = 16 * 1024 * 1024;

/// A text that is being written.
#[derive(Debug)]
struct Writing {
    text: Vec<u8>,
    shown: bool,
}

/// What a host is made from.
#[derive(Debug)]
pub struct HostSetup {
    pub id: u32,
    pub shared: Arc<Shared>,
    pub world: Arc<World>,
    pub fs: FileSystem,
    pub computer_config: ComputerConfig,
    pub output: Output,
    pub seed: Option<u64>,
    pub space_limited: bool,
}

/// One computer, as its natives see it.
#[derive(Debug)]
pub struct Host {
    pub id: u32,
    pub power: Power,
    pub fs: FileSystem,
    pub files: HashMap<u64, FileHandle>,
    pub responses: HashMap<u64, Response>,
    pub network: Network,
    pub timers: Timers,
    pub clock: Clock,
    pub computer_config: ComputerConfig,
    pub redstone: [Side; 6],
    pub peripherals: BTreeMap<String, Attached>,
    pub world: Arc<World>,
    pub shared: Arc<Shared>,
    /// The settings as this computer's programs have changed them.
    settings: Arc<Settings>,
    /// Why the startup failed, if it did.
    pub failure: Option<String>,
    output: Output,
    writing: Vec<Writing>,
    last_handle: u64,
    space_limited: bool,
    /// When the free space was last counted, and what was left then and since.
    space: Option<(Moment, u64)>,
}

impl Host {
    pub fn new(setup: HostSetup) -> Self {
        let settings = setup.world.settings().clone();
        let network = Network::new(settings.size("http_max_requests"), settings.size("memoryLimit"));
        setup.shared.set_output(setup.output.clone());
        let mut clock = Clock::new(setup.world.time().clone(), setup.seed.is_some());
        if let Some(faults) = setup.world.faults() {
            clock.set_jumped(faults.jumped(setup.id));
        }
        Self {
            settings,
            id: setup.id,
            power: Power::On,
            fs: setup.fs,
            files: HashMap::new(),
            responses: HashMap::new(),
            network,
            timers: Timers::default(),
            clock,
            computer_config: setup.computer_config,
            redstone: [Side::default(); 6],
            peripherals: BTreeMap::new(),
            world: setup.world,
            shared: setup.shared,
            failure: None,
            output: setup.output,
            writing: Vec::new(),
            last_handle: 0,
            space_limited: setup.space_limited,
            space: None,
        }
    }

    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Changes hold for this computer, until it restarts.
    pub fn settings_mut(&mut self) -> &mut Settings {
        Arc::make_mut(&mut self.settings)
    }

    /// The moment on the clock of all computers.
    pub fn now(&self) -> Moment {
        self.world.time().now()
    }

    /// Starts a timer or an alarm; returns its number.
    pub fn start_timer(&mut self, event: &'static str, delay: Duration) -> u32 {
        let (now, uptime) = (self.now(), self.clock.uptime());
        self.timers.start(event, delay, now, uptime)
    }

    /// The computer's screen, which others may read at any time.
    pub fn terminal(&self) -> MutexGuard<'_, Terminal> {
        self.shared.terminal()
    }

    pub fn label(&self) -> Option<Vec<u8>> {
        self.shared.label()
    }

    pub fn set_label(&mut self, label: Option<Vec<u8>>) -> Result<(), LabelError> {
        let profile = self.world.options().profile;
        self.computer_config.set_label(label.clone(), profile)?;
        self.shared.set_label(label);
        Ok(())
    }

    /// Whether the values of a header that comes twice are joined, as the game does; else the last one counts.
    pub fn joins_headers(&self) -> bool {
        self.world.options().profile == Profile::Game
    }

    /// Whether natives take numbers only for numbers and texts only for texts, as the game does.
    pub fn has_strict_arguments(&self) -> bool {
        self.world.options().profile == Profile::Game
    }

    /// A text of the host as programs see it.
    pub fn lua_text(&self, text: &str) -> Value {
        Value::String(self.world.options().profile.bytes_of(text))
    }

    /// A program's text as it is on the host.
    pub fn host_bytes(&self, bytes: Vec<u8>) -> Vec<u8> {
        self.world.options().profile.host_bytes(bytes)
    }

    /// All of a file; none if it cannot be had or is larger than that.
    pub fn read_whole(&self, path: &[u8], most: usize) -> Option<LuaFile> {
        let path = sanitize(&self.host_bytes(path.to_vec())).ok()?;
        self.fs.read(&path, most as u64)
    }

    /// A URL as it is on the host.
    pub fn url_text(&self, url: &[u8]) -> String {
        String::from_utf8_lossy(&self.host_bytes(url.to_vec())).into_owned()
    }

    /// What this computer may reach on the network, and whom it trusts there.
    pub fn rules(&self) -> Rules {
        let rules = Rules::from_settings(self.settings()).trusting(self.world.trust());
        rules.through(self.world.surroundings().cloned())
    }

    /// A number for something that a program gets a handle on.
    pub fn next_handle(&mut self) -> u64 {
        self.last_handle += 1;
        self.last_handle
    }

    pub fn open_file(&mut self, path: &[String], mode: Mode) -> Result<u64, FsError> {
        if self.files.len() >= self.settings().size("maximumFilesOpen") {
            return Err(FsError::TooManyOpen);
        }
        let mut file = self.fs.open(path, mode)?;
        file.spared = self.world.faults().is_some_and(|faults| faults.spares(path));
        let id = self.next_handle();
        self.files.insert(id, file);
        Ok(id)
    }

    /// How much room the disk has. What programs have written and not flushed is left where it is, because it is lost
    /// with the power, unless the disk is nearly full: then it has to be known exactly.
    fn count_space(&mut self, wanted: u64) -> u64 {
        let free = |fs: &FileSystem| fs.space(&[]).map_or(0, |(_, left)| left);
        let held: u64 = self.files.values().map(FileHandle::held).sum();
        if let Some(left) = free(&self.fs).checked_sub(held).filter(|left| *left >= wanted) {
            return left;
        }
        for file in self.files.values_mut() {
            // A file that cannot be written says so to its own program.
            let _ = file.flush();
        }
        free(&self.fs)
    }

    /// Whether something goes wrong with what is to be written: the disk is full.
    pub fn refuses_write(&self) -> bool {
        self.world.faults().is_some_and(|faults| faults.refuses_write(self.id, self.now()))
    }

    /// Whether something goes wrong with a request: nobody takes it.
    pub fn refuses_request(&self) -> bool {
        self.world.faults().is_some_and(|faults| faults.refuses_request(self.id, self.now()))
    }

    /// The power is gone: what was written and not flushed is lost.
    pub fn lose_power(&mut self) {
        for file in self.files.values_mut() {
            file.discard();
        }
    }

    /// Refuses to write what the computer's disk has no room for; `spared` is what has room whatever goes wrong.
    pub fn charge(&mut self, bytes: usize, spared: bool) -> Result<(), Raise> {
        if !spared && self.refuses_write() {
            return Err(Raise::new(FsError::Full.to_string()));
        }
        if !self.space_limited {
            return Ok(());
        }
        let bytes = bytes as u64;
        let now = self.now();
        let known = self.space.filter(|(asked, left)| now < *asked + SPACE_KNOWN && *left >= bytes);
        let left = if let Some((_, left)) = known { left } else { self.count_space(bytes) };
        let left = left.checked_sub(bytes).ok_or_else(|| Raise::new(FsError::Full.to_string()))?;
        self.space = Some((known.map_or(now, |(asked, _)| asked), left));
        Ok(())
    }

    /// Queues what a program has brought about on its own computer, unless it does so without end.
    pub fn queue_event(&self, values: Vec<Value>) {
        self.shared.offer(Queued::Event(values));
    }

    /// Acts on a peripheral; it is taken off meanwhile, so that it may act on the host.
    pub fn with_peripheral<T>(
        &mut self,
        name: &str,
        act: impl FnOnce(&mut Attached, &mut Self) -> T,
    ) -> Option<T> {
        if let Some(device) = self.shared.devices.find(name) {
            return Some(act(&mut Attached::Device(device), self));
        }
        let mut peripheral = self.peripherals.remove(name)?;
        let result = act(&mut peripheral, self);
        self.peripherals.insert(name.to_owned(), peripheral);
        Some(result)
    }

    /// Whether something is attached by this name: by a program, or by the Rust program around the emulator.
    pub fn has_peripheral(&self, name: &str) -> bool {
        self.peripherals.contains_key(name) || self.shared.devices.find(name).is_some()
    }

    /// What is attached through a cable rather than on a side.
    pub fn remote_peripherals(&self) -> Vec<String> {
        let mut names = self.shared.devices.names();
        names.extend(self.peripherals.keys().cloned());
        names.retain(|name| !SIDES.contains(&name.as_str()));
        names.sort();
        names.dedup();
        names
    }

    /// Whether that is attached through a cable.
    pub fn has_remote_peripheral(&self, name: &str) -> bool {
        self.peripherals.contains_key(name) && !SIDES.contains(&name)
    }

    /// Lets go of what no handle leads to any more.
    pub fn release(&mut self, handles: &[u64]) {
        for handle in handles {
            self.files.remove(handle);
            self.responses.remove(handle);
            self.network.sockets.release(*handle);
        }
    }

    /// Queues an event whose values stayed in Lua.
    pub fn queue_packed(&mut self, packed: Packed) {
        self.shared.queue_own(Queued::Packed(packed));
    }

    /// Turns what is due into an event.
    pub fn take_due(&mut self, now: Moment) -> bool {
        let Some((event, uptime)) = self.timers.take_due(now) else {
            return false;
        };
        self.clock.reach(uptime);
        self.shared.queue_own(Queued::Event(event));
        true
    }

    /// Writes text at the cursor, and to the output unless it is part of a longer text.
    pub fn screen_write(&mut self, text: &[u8]) {
        self.terminal().write(text);
        match self.writing.last_mut() {
            Some(writing) => writing.shown = true,
            None => self.output.text(text),
        }
    }

    /// Notes that a program draws: what it writes can be seen.
    pub fn screen_touched(&mut self) {
        if let Some(writing) = self.writing.last_mut() {
            writing.shown = true;
        }
    }

    /// Notes that the cursor goes elsewhere: another line on the screen is another line of output.
    pub fn screen_moved(&mut self, position: (i32, i32)) {
        if self.writing.is_empty() && position.1 != self.terminal().cursor.1 {
            self.output.end_line();
        }
    }

    pub fn screen_scrolled(&mut self) {
        if self.writing.is_empty() {
            self.output.end_line();
        }
    }

    /// A program begins to write a text, which reaches the screen in pieces that wrap and scroll.
    pub fn begin_text(&mut self, text: Vec<u8>) -> Result<(), Raise> {
        if self.writing.len() >= MOST_WRITING {
            // So many are not written in each other: those before were left in the middle, and never end.
            self.writing.clear();
        }
        let held: usize = self.writing.iter().map(|writing| writing.text.len()).sum();
        if held + text.len() > MOST_WRITTEN {
            self.writing.clear();
        }
        if text.len() > MOST_WRITTEN {
            return Err(Raise::new("not enough memory"));
        }
        self.writing.push(Writing { text, shown: false });
        Ok(())
    }

    /// The text has been written: it goes out whole, if any of it was shown.
    pub fn end_text(&mut self) {
        let Some(writing) = self.writing.pop() else { return };
        match self.writing.last_mut() {
            Some(outer) => outer.shown |= writing.shown,
            None if writing.shown => self.output.text(&writing.text),
            None => {}
        }
    }

    /// What the computer starts with has failed: it turns off, as nobody is there to go on.
    pub fn startup_failed(&mut self, message: String) {
        if self.power == Power::On && self.world.options().stop_on_startup_error {
            self.failure = Some(message);
            self.power = Power::Off(FAILED_STARTUP);
        }
    }

    /// Sends what was printed, when the computer waits.
    pub fn flush_output(&mut self) {
        self.output.flush();
    }

    /// Ends the output's last line, when the computer stops.
    pub fn finish_output(&mut self) {
        self.output.finish();
    }
}
