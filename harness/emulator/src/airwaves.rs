//! What modems of one process hear of each other.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::faults::{Delivery, Injector};
use crate::lua::Value;
use crate::time::Moment;
use crate::world::{Queued, Shared};

/// A computer with that many events waiting hears no more: nobody may fill another's memory.
const CROWDED: usize = 4096;

/// Whom a modem reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Medium {
    Air,
    /// A cable, by its number.
    Cable(u32),
}

#[derive(Debug)]
struct Station {
    computer: Arc<Shared>,
    name: String,
    medium: Medium,
    open: BTreeSet<u16>,
}

/// All modems and the channels that they listen to.
#[derive(Debug, Default)]
pub struct Airwaves {
    stations: Vec<Station>,
}

impl Airwaves {
    pub fn add(&mut self, computer: Arc<Shared>, name: &str, medium: Medium) {
        self.stations.push(Station { computer, name: name.to_owned(), medium, open: BTreeSet::new() });
    }

    pub fn remove(&mut self, computer: u32, name: &str) {
        self.stations.retain(|station| station.computer.id != computer || station.name != name);
    }

    /// Takes away every modem of a computer that stopped.
    pub fn remove_all(&mut self, computer: u32) {
        self.stations.retain(|station| station.computer.id != computer);
    }

    /// The channels that a modem listens to.
    pub fn channels(&mut self, computer: u32, name: &str) -> Option<&mut BTreeSet<u16>> {
        let mut stations = self.stations.iter_mut();
        stations
            .find(|station| station.computer.id == computer && station.name == name)
            .map(|station| &mut station.open)
    }

    /// Computers other than `computer` that hang on the same cable.
    pub fn neighbours(&self, computer: u32, medium: Medium) -> Vec<u32> {
        let others = self
            .stations
            .iter()
            .filter(|station| station.medium == medium && station.computer.id != computer);
        let ids: BTreeSet<u32> = others.map(|station| station.computer.id).collect();
        ids.into_iter().collect()
    }

    /// Whether `other` is one of them.
    pub fn is_neighbour(&self, computer: u32, medium: Medium, other: u32) -> bool {
        other != computer
            && self.stations.iter().any(|station| station.computer.id == other && station.medium == medium)
    }

    /// Carries a message to every other modem that listens, now, unless something goes wrong on the way.
    pub fn transmit(
        &self,
        from: (u32, &str),
        medium: Medium,
        (channel, reply): (u16, u16),
        message: &Value,
        (faults, now): (Option<&Injector>, Moment),
    ) {
        for station in &self.stations {
            let own = station.computer.id == from.0 && station.name == from.1;
            if own || station.medium != medium || !station.open.contains(&channel) {
                continue;
            }
            if !station.computer.has_room(CROWDED) {
                continue;
            }
            let delivery =
                faults.map_or(Delivery::AT_ONCE, |faults| faults.message(from.0, station.computer.id, now));
            let event = || {
                Queued::Event(vec![
                    "modem_message".into(),
                    station.name.as_str().into(),
                    f64::from(channel).into(),
                    f64::from(reply).into(),
                    message.clone(),
                    delivery.distance.into(),
                ])
            };
            for late in [delivery.first, delivery.second].into_iter().flatten() {
                if late.is_zero() {
                    station.computer.offer(event());
                } else {
                    station.computer.offer_at(event(), now.saturating_add(late));
                }
            }
        }
    }
}
