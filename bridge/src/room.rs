//! Room for a bounded number of sockets. When it is full, the one that has been idle for longest makes place: a flood of
//! sockets that say nothing keeps nobody out.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio_util::sync::CancellationToken;

/// How many refused sockets are one line in the log.
const REFUSED_PER_LINE: u64 = 1000;

/// The sockets of one port.
#[derive(Debug)]
pub struct Room {
    what: &'static str,
    most: usize,
    seats: Mutex<BTreeMap<u64, Arc<State>>>,
    next: AtomicU64,
    refused: AtomicU64,
}

#[derive(Debug)]
struct State {
    /// Its place in the row: the lower, the longer idle.
    number: AtomicU64,
    uses: AtomicUsize,
    give_up: CancellationToken,
}

impl Room {
    pub fn new(what: &'static str, most: usize) -> Arc<Self> {
        Arc::new(Self {
            what,
            most,
            seats: Mutex::default(),
            next: AtomicU64::new(0),
            refused: AtomicU64::new(0),
        })
    }

    fn seats(&self) -> MutexGuard<'_, BTreeMap<u64, Arc<State>>> {
        self.seats.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a place for a new socket; nothing when all are in use.
    pub fn enter(self: &Arc<Self>) -> Option<Seat> {
        let mut seats = self.seats();
        if seats.len() >= self.most {
            let idle = seats.iter().find(|(_, state)| state.uses.load(Ordering::Relaxed) == 0);
            let Some(number) = idle.map(|(number, _)| *number) else {
                drop(seats);
                self.refuse();
                return None;
            };
            if let Some(state) = seats.remove(&number) {
                state.give_up.cancel();
            }
        }
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let state =
            State { number: number.into(), uses: AtomicUsize::new(0), give_up: CancellationToken::new() };
        let state = Arc::new(state);
        seats.insert(number, state.clone());
        drop(seats);
        Some(Seat { room: self.clone(), state })
    }

    /// Puts a socket that has just become idle at the end of the row.
    fn used(&self, state: &State) {
        let mut seats = self.seats();
        if let Some(seat) = seats.remove(&state.number.load(Ordering::Relaxed)) {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            state.number.store(number, Ordering::Relaxed);
            seats.insert(number, seat);
        }
    }

    fn refuse(&self) {
        let refused = self.refused.fetch_add(1, Ordering::Relaxed);
        if refused.is_multiple_of(REFUSED_PER_LINE) {
            tracing::warn!(
                "refused a socket on the {} port: {} are in use ({refused} refused before)",
                self.what,
                self.most
            );
        }
    }
}

/// One socket's place; given back when it is dropped.
#[derive(Debug)]
pub struct Seat {
    room: Arc<Room>,
    state: Arc<State>,
}

impl Seat {
    /// Marks the socket as in use while the guard lives.
    pub fn in_use(&self) -> InUse {
        self.state.uses.fetch_add(1, Ordering::Relaxed);
        InUse { room: self.room.clone(), state: self.state.clone() }
    }

    /// Waits until the place is wanted for another socket.
    pub async fn wanted(&self) {
        self.state.give_up.cancelled().await;
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.room.seats().remove(&self.state.number.load(Ordering::Relaxed));
    }
}

/// Keeps a socket from being given up.
#[derive(Debug)]
pub struct InUse {
    room: Arc<Room>,
    state: Arc<State>,
}

impl Drop for InUse {
    fn drop(&mut self) {
        if self.state.uses.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.room.used(&self.state);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::task::{Context, Poll, Waker};

    fn is_wanted(seat: &Seat) -> bool {
        let wanted = std::pin::pin!(seat.wanted());
        wanted.poll(&mut Context::from_waker(Waker::noop())) == Poll::Ready(())
    }

    #[test]
    fn the_longest_idle_one_makes_place_and_those_in_use_stay() {
        let room = Room::new("test", 3);
        let seats: Vec<Seat> = (0..3).map(|_| room.enter().expect("room")).collect();
        let _used = seats[0].in_use();
        drop(seats[1].in_use());
        let _late = room.enter().expect("an idle one makes place");
        assert_eq!([0, 1, 2].map(|at| is_wanted(&seats[at])), [false, false, true], "the one never used");
        let _later = room.enter().expect("an idle one makes place");
        assert_eq!([0, 1, 2].map(|at| is_wanted(&seats[at])), [false, true, true]);
    }

    #[test]
    fn when_all_are_in_use_the_next_one_is_refused() {
        let room = Room::new("test", 2);
        let seats = [room.enter().expect("room"), room.enter().expect("room")];
        let uses: Vec<InUse> = seats.iter().map(Seat::in_use).collect();
        assert!(room.enter().is_none());
        drop(uses);
        assert!(room.enter().is_some());
    }

    #[test]
    fn a_place_is_given_back() {
        let room = Room::new("test", 1);
        for _ in 0..10 {
            let seat = room.enter().expect("room");
            assert!(!is_wanted(&seat));
        }
    }
}
