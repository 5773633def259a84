//! The state of one computer that its natives act on.

use std::collections::HashMap;
use std::ffi::c_int;
use std::sync::{Arc, MutexGuard, RwLockReadGuard, RwLockWriteGuard};
use std::time::Instant;

use super::redstone::Side;
use super::{Clock, Output, Timers};
use crate::config::{ComputerConfig, LabelError, Settings};
use crate::fs::{FileHandle, FileSystem, FsError, Mode};
use crate::lua::Raise;
use crate::screen::Terminal;
use crate::world::{Queued, Shared, World};

/// Whether a computer goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Power {
    On,
    /// Off, with the code for the process.
    Off(i32),
    Restarting,
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
    pub seeded: bool,
    pub space_limited: bool,
}

/// One computer, as its natives see it.
#[derive(Debug)]
pub struct Host {
    pub id: u32,
    pub power: Power,
    pub fs: FileSystem,
    pub files: HashMap<u64, FileHandle>,
    pub timers: Timers,
    pub clock: Clock,
    pub computer_config: ComputerConfig,
    pub redstone: [Side; 6],
    pub world: Arc<World>,
    pub shared: Arc<Shared>,
    output: Output,
    last_handle: u64,
    space_limited: bool,
}

impl Host {
    pub fn new(setup: HostSetup) -> Self {
        Self {
            id: setup.id,
            power: Power::On,
            fs: setup.fs,
            files: HashMap::new(),
            timers: Timers::default(),
            clock: Clock::new(setup.seeded),
            computer_config: setup.computer_config,
            redstone: [Side::default(); 6],
            world: setup.world,
            shared: setup.shared,
            output: setup.output,
            last_handle: 0,
            space_limited: setup.space_limited,
        }
    }

    pub fn settings(&self) -> RwLockReadGuard<'_, Settings> {
        self.world.settings()
    }

    pub fn settings_mut(&self) -> RwLockWriteGuard<'_, Settings> {
        self.world.settings_mut()
    }

    /// The computer's screen, which others may read at any time.
    pub fn terminal(&self) -> MutexGuard<'_, Terminal> {
        self.shared.terminal()
    }

    pub fn label(&self) -> Option<Vec<u8>> {
        self.shared.label()
    }

    pub fn set_label(&mut self, label: Option<Vec<u8>>) -> Result<(), LabelError> {
        self.shared.set_label(label.clone());
        self.computer_config.set_label(label)
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
        let file = self.fs.open(path, mode)?;
        let id = self.next_handle();
        self.files.insert(id, file);
        Ok(id)
    }

    /// Refuses to write what the computer's disk has no room for.
    pub fn charge(&self, bytes: usize) -> Result<(), Raise> {
        if !self.space_limited {
            return Ok(());
        }
        self.fs
            .room_for(&[], bytes as u64)
            .map_err(|error| Raise::new(error.to_string()))
    }

    /// Lets go of what no handle leads to any more.
    pub fn release(&mut self, handles: &[u64]) {
        for handle in handles {
            self.files.remove(handle);
        }
    }

    /// Queues an event whose values stayed in Lua.
    pub fn queue_packed(&mut self, name: &[u8], reference: c_int) {
        self.shared.queue(Queued::Packed {
            name: name.to_vec(),
            reference,
        });
    }

    /// Turns what is due into an event.
    pub fn take_due(&mut self, now: Instant) -> bool {
        let Some((event, uptime)) = self.timers.take_due(now) else {
            return false;
        };
        self.clock.reach(uptime);
        self.shared.queue(Queued::Event(event));
        true
    }

    /// Writes text at the cursor, and to the output.
    pub fn screen_write(&mut self, text: &[u8]) {
        self.terminal().write(text);
        self.output.text(text);
    }

    /// Notes that a program drew on the screen.
    pub fn screen_touched(&mut self) {}

    /// Notes that the cursor goes elsewhere: another line on the screen is another line of output.
    pub fn screen_moved(&mut self, position: (i32, i32)) {
        if position.1 != self.terminal().cursor.1 {
            self.output.end_line();
        }
    }

    pub fn screen_scrolled(&mut self) {
        self.output.end_line();
    }

    /// Ends the output's last line, when the computer stops.
    pub fn finish_output(&mut self) {
        self.output.end_line();
    }
}
