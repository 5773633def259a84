//! Peripherals as values: what a Rust program attaches to a computer, and those of the emulator's own that need nothing
//! but themselves.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use thiserror::Error;

use crate::lua::{Call, NativeResult, Raise, Value};
use crate::world::{Queued, Shared};

/// No side's name is longer, and none on a network.
const LONGEST_NAME: usize = 256;

/// Something that programs find with `peripheral`.
///
/// ```
/// use embedded_craftos::host::Arguments as _;
/// use embedded_craftos::lua::{Call, NativeResult, Value};
/// use embedded_craftos::{Attachment, Emulator, Options, Peripheral};
///
/// /// A lamp that programs switch.
/// #[derive(Debug, Default)]
/// struct Lamp {
///     is_on: bool,
/// }
///
/// impl Peripheral for Lamp {
///     fn types(&self) -> Vec<&str> {
///         vec!["lamp"]
///     }
///
///     fn methods(&self) -> Vec<&str> {
///         vec!["isOn", "set"]
///     }
///
///     fn call(&mut self, at: &Attachment, method: &str, call: &mut Call<'_>) -> NativeResult {
///         if method == "set" {
///             self.is_on = call.flag(1)?;
///             at.queue_event("lamp_changed", [Value::Bool(self.is_on)]);
///         }
///         call.push(self.is_on);
///         Ok(())
///     }
/// }
///
/// let folder = tempfile::tempdir()?;
/// let mut options = Options::new(folder.path());
/// options.script = Some(
///     b"while not peripheral.isPresent('left') do os.pullEvent('peripheral') end
///     os.shutdown(peripheral.call('left', 'set', true) and 7 or 1)"
///         .to_vec(),
/// );
/// let emulator = Emulator::new(options)?;
/// let computer = emulator.boot(1)?;
/// computer.attach("left", Lamp::default())?;
/// assert_eq!(computer.wait().code, 7);
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
pub trait Peripheral: fmt::Debug + Send {
    /// What it is, the most telling name first.
    fn types(&self) -> Vec<&str>;

    /// The names of its methods.
    fn methods(&self) -> Vec<&str>;

    /// Calls one of its methods: reads the arguments from the call, and leaves the results in it. The computer waits
    /// meanwhile.
    fn call(&mut self, at: &Attachment, method: &str, call: &mut Call<'_>) -> NativeResult;

    /// Learns where it was attached. It may keep that, to queue events later.
    fn attached(&mut self, _at: &Attachment) {}

    /// Learns that it was taken off.
    fn detached(&mut self, _at: &Attachment) {}
}

/// Where a peripheral is attached.
#[derive(Debug, Clone)]
pub struct Attachment {
    name: String,
    computer: Weak<Shared>,
}

impl Attachment {
    pub fn new(name: &str, computer: &Arc<Shared>) -> Self {
        Self { name: name.to_owned(), computer: Arc::downgrade(computer) }
    }

    /// The side, or the name on a network.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Queues an event with the peripheral's name before these values, as peripherals do. It is lost where the computer
    /// has fallen far behind.
    pub fn queue_event(&self, event: &str, values: impl IntoIterator<Item = Value>) {
        if let Some(computer) = self.computer.upgrade() {
            let named = [Value::from(event), Value::from(self.name.as_str())];
            computer.offer(Queued::Event(named.into_iter().chain(values).collect()));
        }
    }
}

/// Why a peripheral cannot be attached, or taken off.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum AttachError {
    #[error("there is a peripheral `{0}` already\nhint: detach it first")]
    Taken(String),
    #[error("`{0}` is not the name of a peripheral\nhint: give a side, or a name such as `lamp_0`")]
    Name(String),
    #[error("there is no peripheral `{0}`")]
    NotThere(String),
}

/// A peripheral with its place.
#[derive(Debug, Clone)]
pub struct Device {
    peripheral: Arc<Mutex<Box<dyn Peripheral>>>,
    at: Attachment,
}

impl Device {
    pub fn new(peripheral: impl Peripheral + 'static, at: Attachment) -> Self {
        let device = Self { peripheral: Arc::new(Mutex::new(Box::new(peripheral))), at };
        device.held().attached(&device.at);
        device
    }

    /// A peripheral that panicked once is called again: its computer has ended by then.
    fn held(&self) -> MutexGuard<'_, Box<dyn Peripheral>> {
        self.peripheral.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn types(&self) -> Vec<String> {
        self.held().types().into_iter().map(ToOwned::to_owned).collect()
    }

    pub fn methods(&self) -> Vec<String> {
        self.held().methods().into_iter().map(ToOwned::to_owned).collect()
    }

    pub fn call(&self, method: &str, call: &mut Call<'_>) -> NativeResult {
        let mut peripheral = self.held();
        if !peripheral.methods().contains(&method) {
            return Err(Raise::new("No such method"));
        }
        peripheral.call(&self.at, method, call)
    }

    pub fn detach(&self) {
        self.held().detached(&self.at);
    }
}

/// What a Rust program has attached to a computer. It stays when the computer is turned off or rebooted.
#[derive(Debug, Default)]
pub struct Devices(Mutex<BTreeMap<String, Device>>);

impl Devices {
    fn held(&self) -> MutexGuard<'_, BTreeMap<String, Device>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn find(&self, name: &str) -> Option<Device> {
        self.held().get(name).cloned()
    }

    pub fn names(&self) -> Vec<String> {
        self.held().keys().cloned().collect()
    }

    pub fn attach(
        &self,
        name: &str,
        peripheral: impl Peripheral + 'static,
        computer: &Arc<Shared>,
    ) -> Result<(), AttachError> {
        if name.is_empty() || name.len() > LONGEST_NAME {
            return Err(AttachError::Name(name.to_owned()));
        }
        let mut devices = self.held();
        if devices.contains_key(name) {
            return Err(AttachError::Taken(name.to_owned()));
        }
        devices.insert(name.to_owned(), Device::new(peripheral, Attachment::new(name, computer)));
        Ok(())
    }

    pub fn detach(&self, name: &str) -> Result<(), AttachError> {
        let device = self.held().remove(name).ok_or_else(|| AttachError::NotThere(name.to_owned()))?;
        device.detach();
        Ok(())
    }
}
