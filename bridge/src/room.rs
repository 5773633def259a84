//! Room for a bounded number of sockets, and for a share of them from one address. When it is full, the one that has been
//! idle for longest makes place: a flood of sockets that say nothing keeps nobody out, and neither does one peer alone.

use std::collections::{BTreeMap, HashMap};
use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

/// How many refused sockets are one line in the log.
const REFUSED_PER_LINE: u64 = 1000;

/// The sockets of one port.
#[derive(Debug)]
pub struct Room {
    what: &'static str,
    most: usize,
    /// How many of them one address may have.
    share: usize,
    seats: Mutex<Seats>,
    next: AtomicU64,
    refused: AtomicU64,
}

#[derive(Debug, Default)]
struct Seats {
    row: BTreeMap<u64, Arc<State>>,
    /// How many each address has.
    taken: HashMap<IpAddr, usize>,
}

#[derive(Debug)]
struct State {
    address: IpAddr,
    /// Its place in the row: the lower, the longer idle.
    number: AtomicU64,
    uses: AtomicUsize,
    give_up: CancellationToken,
}

/// Why a socket finds no place. The text is for the peer's user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    #[error("this bridge is full: all of its {0} places are taken")]
    Full(usize),
    #[error("this bridge is full for your address: it has {0} places for one address, and all are taken")]
    Share(usize),
}

impl Room {
    /// Room for `most` sockets, `share` of them from one address.
    pub fn new(what: &'static str, most: usize, share: usize) -> Arc<Self> {
        Arc::new(Self {
            what,
            most,
            share,
            seats: Mutex::default(),
            next: AtomicU64::new(0),
            refused: AtomicU64::new(0),
        })
    }

    /// Takes a place for a new socket, where need be that of one that is idle.
    pub fn enter(self: &Arc<Self>, address: IpAddr) -> Result<Seat, Refused> {
        let address = network(address);
        let mut seats = self.seats.lock();
        let own = seats.taken.get(&address).copied().unwrap_or_default();
        let full = if own >= self.share {
            Some(Refused::Share(self.share))
        } else {
            (seats.row.len() >= self.most).then_some(Refused::Full(self.most))
        };
        if let Some(refused) = full {
            let gives_way = |state: &State| {
                state.uses.load(Ordering::Relaxed) == 0
                    && (matches!(refused, Refused::Full(_)) || state.address == address)
            };
            let idle = seats.row.iter().find(|(_, state)| gives_way(state)).map(|(number, _)| *number);
            let Some(number) = idle else {
                drop(seats);
                self.refuse(refused);
                return Err(refused);
            };
            if let Some(state) = seats.remove(number) {
                state.give_up.cancel();
            }
        }
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let state = Arc::new(State {
            address,
            number: number.into(),
            uses: AtomicUsize::new(0),
            give_up: CancellationToken::new(),
        });
        *seats.taken.entry(address).or_default() += 1;
        seats.row.insert(number, state.clone());
        drop(seats);
        Ok(Seat { room: self.clone(), state })
    }

    /// Puts a socket that has just become idle at the end of the row.
    fn used(&self, state: &State) {
        let mut seats = self.seats.lock();
        if let Some(seat) = seats.row.remove(&state.number.load(Ordering::Relaxed)) {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            state.number.store(number, Ordering::Relaxed);
            seats.row.insert(number, seat);
        }
    }

    fn refuse(&self, why: Refused) {
        let before = self.refused.fetch_add(1, Ordering::Relaxed);
        if before.is_multiple_of(REFUSED_PER_LINE) {
            tracing::warn!("refused a socket on the {} port ({before} refused before): {why}", self.what);
        }
    }
}

impl Seats {
    fn remove(&mut self, number: u64) -> Option<Arc<State>> {
        let state = self.row.remove(&number)?;
        if let Some(taken) = self.taken.get_mut(&state.address) {
            *taken -= 1;
            if *taken == 0 {
                self.taken.remove(&state.address);
            }
        }
        Some(state)
    }
}

/// What counts as one address: of IPv6 the first 64 bits, of which a single machine has all the rest.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & (!0 << 64))),
        canonical @ IpAddr::V4(_) => canonical,
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
        self.room.seats.lock().remove(self.state.number.load(Ordering::Relaxed));
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

    const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

    fn is_wanted(seat: &Seat) -> bool {
        let wanted = std::pin::pin!(seat.wanted());
        wanted.poll(&mut Context::from_waker(Waker::noop())) == Poll::Ready(())
    }

    #[test]
    fn the_longest_idle_one_makes_place_and_those_in_use_stay() {
        let room = Room::new("test", 3, 3);
        let seats: Vec<Seat> = (0..3).map(|_| room.enter(HERE).expect("room")).collect();
        let _used = seats[0].in_use();
        drop(seats[1].in_use());
        let _late = room.enter(HERE).expect("an idle one makes place");
        assert_eq!([0, 1, 2].map(|at| is_wanted(&seats[at])), [false, false, true], "the one never used");
        let _later = room.enter(HERE).expect("an idle one makes place");
        assert_eq!([0, 1, 2].map(|at| is_wanted(&seats[at])), [false, true, true]);
    }

    #[test]
    fn when_all_are_in_use_the_next_one_is_refused() {
        let room = Room::new("test", 2, 2);
        let seats = [room.enter(HERE).expect("room"), room.enter(HERE).expect("room")];
        let uses: Vec<InUse> = seats.iter().map(Seat::in_use).collect();
        assert_eq!(room.enter(HERE).map(drop), Err(Refused::Share(2)));
        drop(uses);
        assert!(room.enter(HERE).is_ok());
    }

    #[test]
    fn a_place_is_given_back() {
        let room = Room::new("test", 1, 1);
        for _ in 0..10 {
            let seat = room.enter(HERE).expect("room");
            assert!(!is_wanted(&seat));
            drop(seat);
            let seats = room.seats.lock();
            assert!(seats.row.is_empty() && seats.taken.is_empty());
        }
    }

    #[test]
    fn one_address_takes_no_place_of_another_and_a_network_of_ipv6_is_one() {
        let room = Room::new("test", 4, 2);
        let other = room.enter(HERE).expect("room");
        let addresses = ["2001:db8::1", "2001:db8::2"].map(|address| address.parse().expect("an address"));
        let own = addresses.map(|address: IpAddr| room.enter(address).expect("room"));
        let _uses = [own[0].in_use(), own[1].in_use()];
        let third = "2001:db8::3".parse().expect("an address");
        assert_eq!(room.enter(third).map(drop), Err(Refused::Share(2)));
        assert!(!is_wanted(&other), "it is idle, and somebody else's");
        assert!(room.enter("2001:db8:0:1::3".parse().expect("an address")).is_ok(), "another network");
    }

    #[test]
    fn one_address_leaves_places_for_others() {
        let room = Room::new("test", 4, 3);
        let theirs: Vec<Seat> = (0..3).map(|_| room.enter(HERE).expect("room")).collect();
        let uses: Vec<InUse> = theirs.iter().map(Seat::in_use).collect();
        assert_eq!(room.enter(HERE).map(drop), Err(Refused::Share(3)));
        let mapped = "::ffff:127.0.0.1".parse().expect("an address");
        assert_eq!(room.enter(mapped).map(drop), Err(Refused::Share(3)), "the same, written differently");
        let one = room.enter("2001:db8::1".parse().expect("an address")).expect("a place is left");
        let _one = one.in_use();
        assert_eq!(room.enter("2001:db8::2".parse().expect("an address")).map(drop), Err(Refused::Full(4)));
        drop(uses);
        let _late = room.enter(HERE).expect("an idle one of its own makes place");
        assert_eq!([0, 1, 2].map(|at| is_wanted(&theirs[at])), [true, false, false]);
    }
}
