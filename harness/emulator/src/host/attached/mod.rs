//! What can be attached to a computer. One file for each kind; all answer to [`Attached::call`]. Those that need nothing
//! but themselves are a [`Peripheral`], as a Rust program writes one.

mod chest;
mod computer;
mod device;
mod drive;
mod energy;
mod modem;
mod monitor;
mod speaker;
mod tank;

pub use chest::Chest;
pub use computer::RemoteComputer;
pub use device::{AttachError, Attachment, Device, Devices, Peripheral};
pub use drive::Drive;
pub use energy::Energy;
pub use modem::Modem;
pub use monitor::Monitor;
pub use speaker::Speaker;
pub use tank::Tank;

use super::Host;
use crate::lua::{Call, NativeResult, Raise};

/// Something attached to a computer.
#[derive(Debug)]
pub enum Attached {
    Chest(Chest),
    Computer(RemoteComputer),
    Device(Device),
    Drive(Drive),
    Modem(Modem),
    Tank(Tank),
}

/// Names that last, as those of a peripheral in Rust, which may change.
fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

impl Attached {
    /// What it is, the most telling name first.
    pub fn types(&self) -> Vec<String> {
        match self {
            Self::Chest(_) => owned(&["minecraft:chest", "inventory", "chest"]),
            Self::Computer(_) => owned(&["computer"]),
            Self::Device(device) => device.types(),
            Self::Drive(_) => owned(&["drive"]),
            Self::Modem(modem) => owned(modem.types()),
            Self::Tank(_) => owned(&["tank", "fluid_storage"]),
        }
    }

    pub fn methods(&self) -> Vec<String> {
        match self {
            Self::Device(device) => device.methods(),
            other => owned(other.known_methods()),
        }
    }

    /// The methods of all but a device, which knows its own.
    fn known_methods(&self) -> &'static [&'static str] {
        match self {
            Self::Chest(_) => chest::METHODS,
            Self::Computer(_) => computer::METHODS,
            Self::Device(_) => &[],
            Self::Drive(_) => drive::METHODS,
            Self::Modem(modem) => modem.methods(),
            Self::Tank(_) => tank::METHODS,
        }
    }

    /// Calls a method; `name` is what it is attached as, and the call's arguments are the method's.
    pub fn call(&mut self, host: &mut Host, name: &str, method: &str, call: &mut Call<'_>) -> NativeResult {
        // The reference answers to it without listing it. A device looks at its methods itself.
        let unlisted = matches!(self, Self::Chest(_)) && method == "getItemLimit";
        if !unlisted && !matches!(self, Self::Device(_)) && !self.known_methods().contains(&method) {
            return Err(Raise::new("No such method"));
        }
        match self {
            Self::Chest(chest) => chest.call(host, name, method, call),
            Self::Computer(computer) => computer.call(host, method, call),
            Self::Device(device) => device.call(method, call),
            Self::Drive(drive) => drive.call(host, name, method, call),
            Self::Modem(modem) => modem.call(host, name, method, call),
            Self::Tank(tank) => tank.call(host, method, call),
        }
    }

    /// Lets go of what it holds elsewhere, before it is taken off.
    pub fn detach(&mut self, host: &mut Host, name: &str) {
        match self {
            Self::Modem(_) => host.world.airwaves().remove(host.id, name),
            Self::Drive(drive) => drive.eject(host, name),
            Self::Device(device) => device.detach(),
            _ => {}
        }
    }
}
