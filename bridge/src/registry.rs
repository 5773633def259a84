//! All linked computers, by id. It neither opens nor closes sockets: it tells a computer's link to.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::RwLock;
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

/// What a link found in the place of its computer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Free,
    /// An older link, which has gone.
    Replaced,
    /// A newer link, which stays.
    Taken,
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
    /// A number that no other connection of this bridge has; later ones have larger numbers.
    pub fn next_link(&self) -> u64 {
        self.links.fetch_add(1, Ordering::Relaxed)
    }

    /// A number that no other request of this bridge has.
    pub fn next_request(&self) -> RequestId {
        self.requests.fetch_add(1, Ordering::Relaxed)
    }

    /// Registers a computer. An older link with its id is told to close, and what waits there ends at once. One that is
    /// older itself does not take the place of a newer: its hello was on its way for longer.
    pub fn join(&self, computer: Arc<Computer>) -> Place {
        let identity = computer.identity();
        let mut computers = self.computers.write();
        if computers.get(&computer.id).is_some_and(|current| current.link > computer.link) {
            return Place::Taken;
        }
        let old = computers.insert(computer.id, computer);
        drop(computers);
        if let Some(old) = &old {
            old.end(Ending::Replaced);
        }
        self.changed();
        let _ = self.news.send(News { identity, linked: true });
        if old.is_some() { Place::Replaced } else { Place::Free }
    }

    /// Removes a computer, unless a newer link has taken its place; tells which it was.
    pub fn leave(&self, computer: &Computer) -> bool {
        computer.gone();
        let mut computers = self.computers.write();
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
        self.computers.read().get(&id).cloned()
    }

    pub fn count(&self) -> usize {
        self.computers.read().len()
    }

    /// All computers, in the order of their ids.
    pub fn all(&self) -> Vec<Arc<Computer>> {
        self.computers.read().values().cloned().collect()
    }

    /// At most so many computers with ids from `first` on, in order.
    pub fn page(&self, first: u64, most: usize) -> Vec<Arc<Computer>> {
        self.computers.read().range(first..).take(most).map(|(_, computer)| computer.clone()).collect()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Budget;
    use crate::link::frame::Incoming;

    fn computer(registry: &Registry, id: u64) -> Arc<Computer> {
        let hello = format!(r#"{{"type":"hello","computerId":{id},"computerLabel":"c{id}"}}"#);
        let identity = Identity::from_hello(&Incoming::parse(&hello).expect("a frame"), None, false);
        Computer::new(registry.next_link(), identity.expect("a hello"), Budget::new(1024))
    }

    #[tokio::test]
    async fn a_newer_link_takes_the_place_and_the_older_one_leaves_without_it() {
        let registry = Registry::default();
        let (old, new) = (computer(&registry, 12), computer(&registry, 12));
        assert_eq!(registry.join(old.clone()), Place::Free);
        let mut waiting = old.ping(registry.next_request()).expect("linked");
        assert_eq!(registry.join(new.clone()), Place::Replaced);
        assert!(waiting.answer().await.is_err(), "what waited there has ended");
        assert!(old.ping(registry.next_request()).is_err());
        assert!(!registry.leave(&old), "its place is taken");
        assert_eq!(registry.get(12).map(|current| current.link), Some(new.link));
        assert!(registry.leave(&new));
        assert_eq!(registry.count(), 0);
    }

    #[tokio::test]
    async fn a_link_whose_hello_was_late_does_not_replace_a_newer_one() {
        let registry = Registry::default();
        let (old, new) = (computer(&registry, 12), computer(&registry, 12));
        assert_eq!(registry.join(new.clone()), Place::Free);
        assert_eq!(registry.join(old.clone()), Place::Taken);
        assert!(!registry.leave(&old));
        assert_eq!(registry.get(12).map(|current| current.link), Some(new.link));
        assert!(new.ping(registry.next_request()).is_ok(), "it was not told to close");
    }

    #[tokio::test]
    async fn all_are_in_the_order_of_their_ids_and_come_in_pages() {
        let registry = Registry::default();
        for id in [30, 4, 200, 1] {
            registry.join(computer(&registry, id));
        }
        let ids =
            |computers: Vec<Arc<Computer>>| computers.iter().map(|computer| computer.id).collect::<Vec<_>>();
        assert_eq!(ids(registry.all()), [1, 4, 30, 200]);
        assert_eq!(ids(registry.page(4, 2)), [4, 30]);
        assert!(registry.page(201, 2).is_empty());
    }

    #[tokio::test]
    async fn changes_are_heard() {
        let registry = Registry::default();
        let (mut changes, mut news) = (registry.watch(), registry.news());
        let one = computer(&registry, 12);
        registry.join(one.clone());
        changes.changed().await.expect("the registry is there");
        registry.leave(&one);
        changes.changed().await.expect("the registry is there");
        let heard = [news.recv().await.expect("news").linked, news.recv().await.expect("news").linked];
        assert_eq!(heard, [true, false]);
    }
}
