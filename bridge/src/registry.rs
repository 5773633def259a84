//! All linked computers, by id. It neither opens nor closes sockets: it tells a computer's link to.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, RwLock};

use tokio::sync::{broadcast, watch};

use crate::computer::{Computer, Ending};
use crate::link::frame::RequestId;
use crate::link::hello::Identity;

/// News that a reader may fall behind before the oldest are lost to it: they go to a client's log.
const NEWS: usize = 64;

/// What happened to a computer.
#[derive(Debug, Clone)]
pub struct News {
    pub identity: Arc<Identity>,
    pub linked: bool,
}

/// Who is linked. Cheap to share; every change can be waited for.
#[derive(Debug)]
pub struct Registry {
    computers: RwLock<BTreeMap<u64, Arc<Computer>>>,
    changes: watch::Sender<u64>,
    news: broadcast::Sender<News>,
    links: AtomicU64,
    requests: AtomicU64,
}

impl Default for Registry {
    fn default() -> Self {
        Self {
            computers: RwLock::default(),
            changes: watch::Sender::new(0),
            news: broadcast::Sender::new(NEWS),
            links: AtomicU64::new(1),
            requests: AtomicU64::new(1),
        }
    }
}

impl Registry {
    fn read(&self) -> std::sync::RwLockReadGuard<'_, BTreeMap<u64, Arc<Computer>>> {
        self.computers.read().expect("nothing panics while it holds this lock")
    }

    fn write(&self) -> std::sync::RwLockWriteGuard<'_, BTreeMap<u64, Arc<Computer>>> {
        self.computers.write().expect("nothing panics while it holds this lock")
    }

    /// A number that no other link of this bridge has.
    pub fn next_link(&self) -> u64 {
        self.links.fetch_add(1, Ordering::Relaxed)
    }

    /// A number that no other request of this bridge has.
    pub fn next_request(&self) -> RequestId {
        self.requests.fetch_add(1, Ordering::Relaxed)
    }

    /// Registers a computer. An older link with its id is told to close, and what waits there ends at once.
    pub fn join(&self, computer: Arc<Computer>) -> bool {
        let identity = computer.identity();
        let old = self.write().insert(computer.id, computer);
        if let Some(old) = &old {
            old.end(Ending::Replaced);
        }
        self.changed();
        let _ = self.news.send(News { identity, linked: true });
        old.is_some()
    }

    /// Removes a computer, unless a newer link has taken its place; tells which it was.
    pub fn leave(&self, computer: &Computer) -> bool {
        computer.gone();
        let mut computers = self.write();
        if computers.get(&computer.id).is_none_or(|current| current.link != computer.link) {
            return false;
        }
        computers.remove(&computer.id);
        drop(computers);
        self.changed();
        let _ = self.news.send(News { identity: computer.identity(), linked: false });
        true
    }

    /// Tells those who watch that an entry is no longer what it was.
    pub fn changed(&self) {
        self.changes.send_modify(|count| *count = count.wrapping_add(1));
    }

    pub fn get(&self, id: u64) -> Option<Arc<Computer>> {
        self.read().get(&id).cloned()
    }

    pub fn count(&self) -> usize {
        self.read().len()
    }

    /// All computers, in the order of their ids.
    pub fn all(&self) -> Vec<Arc<Computer>> {
        self.read().values().cloned().collect()
    }

    /// At most so many computers with ids from `first` on, in order.
    pub fn page(&self, first: u64, most: usize) -> Vec<Arc<Computer>> {
        self.read().range(first..).take(most).map(|(_, computer)| computer.clone()).collect()
    }

    /// Wakes after each change from now on.
    pub fn watch(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Tells who links and leaves from now on.
    pub fn news(&self) -> broadcast::Receiver<News> {
        self.news.subscribe()
    }

    /// Tells every link to close.
    pub fn end_all(&self, ending: Ending) {
        for computer in self.all() {
            computer.end(ending);
        }
    }
}
