//! The network of a simulation: addresses in memory, each with somebody who accepts streams.

use std::collections::BTreeMap;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use embedded_craftos::surroundings::{Duplex, Later};

/// Connects to whoever listens.
pub type Dial = Arc<dyn Fn() -> Later<io::Result<Box<dyn Duplex>>> + Send + Sync>;

/// The first address that is given: the same in every simulation, and longer than those that people type.
const FIRST_PORT: u16 = 40_000;

/// Who listens where.
#[derive(Default)]
pub struct Ports(Mutex<BTreeMap<u16, Option<Dial>>>);

/// Stops listening when it is dropped. What is connected stays so.
#[derive(Debug)]
#[must_use]
pub struct Closed {
    ports: Arc<Ports>,
    pub address: SocketAddr,
}

impl std::fmt::Debug for Ports {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.all().keys()).finish()
    }
}

impl Ports {
    fn all(&self) -> MutexGuard<'_, BTreeMap<u16, Option<Dial>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Listens on an address of its own, which nobody else ever gets.
    pub fn listen(self: &Arc<Self>, dial: Dial) -> Closed {
        let mut all = self.all();
        let port = all.keys().next_back().map_or(FIRST_PORT, |last| last + 1);
        all.insert(port, Some(dial));
        Closed { ports: self.clone(), address: SocketAddr::from((Ipv4Addr::LOCALHOST, port)) }
    }

    /// Connects to an address; refused, where nobody listens.
    pub async fn connect(&self, address: SocketAddr) -> io::Result<Box<dyn Duplex>> {
        let dial = self.all().get(&address.port()).cloned().flatten().filter(|_| address.ip().is_loopback());
        match dial {
            Some(dial) => dial().await,
            None => Err(io::ErrorKind::ConnectionRefused.into()),
        }
    }
}

impl Drop for Closed {
    fn drop(&mut self) {
        self.ports.all().insert(self.address.port(), None);
    }
}
