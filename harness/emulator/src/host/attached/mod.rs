//! What can be attached to a computer. One file for each kind; all answer to [`Peripheral::call`].

mod chest;
mod computer;
mod drive;
mod energy;
mod modem;
mod monitor;
mod speaker;
mod tank;

pub use chest::Chest;
pub use computer::RemoteComputer;
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
pub enum Peripheral {
    Chest(Chest),
    Computer(RemoteComputer),
    Drive(Drive),
    Energy(Energy),
    Modem(Modem),
    Monitor(Monitor),
    Speaker(Speaker),
    Tank(Tank),
}

impl Peripheral {
    /// What it is, the most telling name first.
    pub fn types(&self) -> &'static [&'static str] {
        match self {
            Self::Chest(_) => &["minecraft:chest", "inventory", "chest"],
            Self::Computer(_) => &["computer"],
            Self::Drive(_) => &["drive"],
            Self::Energy(_) => &["energy", "energy_storage"],
            Self::Modem(modem) => modem.types(),
            Self::Monitor(_) => &["monitor"],
            Self::Speaker(_) => &["speaker"],
            Self::Tank(_) => &["tank", "fluid_storage"],
        }
    }

    pub fn methods(&self) -> &'static [&'static str] {
        match self {
            Self::Chest(_) => chest::METHODS,
            Self::Computer(_) => computer::METHODS,
            Self::Drive(_) => drive::METHODS,
            Self::Energy(_) => energy::METHODS,
            Self::Modem(modem) => modem.methods(),
            Self::Monitor(_) => monitor::METHODS,
            Self::Speaker(_) => speaker::METHODS,
            Self::Tank(_) => tank::METHODS,
        }
    }

    /// Calls a method; `name` is what it is attached as, and the call's arguments are the method's.
    pub fn call(&mut self, host: &mut Host, name: &str, method: &str, call: &mut Call<'_>) -> NativeResult {
        // The reference answers to it without listing it.
        let unlisted = matches!(self, Self::Chest(_)) && method == "getItemLimit";
        if !unlisted && !self.methods().contains(&method) {
            return Err(Raise::new("No such method"));
        }
        match self {
            Self::Chest(chest) => chest.call(host, name, method, call),
            Self::Computer(computer) => computer.call(host, method, call),
            Self::Drive(drive) => drive.call(host, name, method, call),
            Self::Energy(energy) => energy.call(method, call),
            Self::Modem(modem) => modem.call(host, name, method, call),
            Self::Monitor(monitor) => monitor.call(method, call),
            Self::Speaker(_) => Speaker::call(host, name, method, call),
            Self::Tank(tank) => tank.call(host, method, call),
        }
    }

    /// Lets go of what it holds elsewhere, before it is taken off.
    pub fn detach(&mut self, host: &mut Host, name: &str) {
        match self {
            Self::Modem(_) => host.world.airwaves().remove(host.id, name),
            Self::Drive(drive) => drive.eject(host, name),
            _ => {}
        }
    }
}
