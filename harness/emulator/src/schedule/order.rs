//! The order in which the computers of a pool run, without the threads: a queue of those that are ready, the moments
//! at which others become so, and those that have not begun.
//!
//! About as many computers begin at once as there are processors. A thousand that boot at once on two processors would
//! each get a thousandth of them, and those that are up would be late for whoever waits for an answer. One that begins
//! counts until it waits for the first time, but only for a number of turns: a computer that never yields holds up nobody.
//! Turns and not time, so that a busy machine, on which everything takes long, does not begin with all of them at once.
//!
//! Those that begin and those that are up take turns: neither waits for all of the others. Among those that begin the
//! first goes on until it is up: what it has in memory stays with one thread.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

use crate::time::Moment;

/// For how many turns one that begins counts. A start takes a few dozen.
const TURNS: u32 = 200;

/// How long a turn of one that begins may take until it counts no more: it waits for the host.
const TURN: Duration = Duration::from_secs(1);

/// Where a computer stands; whoever steps one holds it meanwhile.
#[derive(Debug)]
enum Place<M> {
    /// In the queue of those that are ready, or of those that have not begun.
    Queued(M),
    /// It is being stepped; it is ready again at once if something has happened to it since.
    Stepped { woken: bool },
    /// It waits for an event, or until a moment.
    Waits(M, Option<Moment>),
}

/// A computer whose turn it is.
#[derive(Debug)]
pub struct Turn<M> {
    pub id: u32,
    pub machine: M,
}

/// All computers of a pool that are on.
#[derive(Debug)]
pub struct Order<M> {
    places: BTreeMap<u32, Place<M>>,
    /// Those that could run and are up, or have had their turns.
    ready: VecDeque<u32>,
    /// Those that could run and begin.
    starting: VecDeque<u32>,
    /// Whether the last turn was that of one that begins.
    was_starting: bool,
    /// When those that wait for a moment become ready.
    moments: BTreeSet<(Moment, u32)>,
    /// Those that have not begun, the first one first.
    new: VecDeque<u32>,
    /// Those that count as beginning, the oldest first.
    beginning: Vec<Beginning>,
    most_beginning: usize,
    /// When it was last looked what has become ready.
    now: Moment,
}

/// A computer that begins.
#[derive(Debug)]
struct Beginning {
    id: u32,
    /// The turns that it has had.
    turns: u32,
    /// While it is being stepped: until when it counts.
    until: Option<Moment>,
}

impl<M> Order<M> {
    /// Lets that many computers begin at once.
    pub fn new(most_beginning: usize) -> Self {
        Self {
            places: BTreeMap::new(),
            ready: VecDeque::new(),
            starting: VecDeque::new(),
            was_starting: false,
            moments: BTreeSet::new(),
            new: VecDeque::new(),
            beginning: Vec::new(),
            most_beginning,
            now: Moment::ZERO,
        }
    }

    /// Whether no computer is on.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Whether some computer could run now.
    pub fn has_ready(&self) -> bool {
        !self.ready.is_empty() || !self.starting.is_empty()
    }

    /// Adds a computer that has not begun.
    pub fn add(&mut self, id: u32, machine: M, now: Moment) {
        self.places.insert(id, Place::Queued(machine));
        self.new.push_back(id);
        self.advance(now);
    }

    /// Notes what has become ready by now.
    pub fn advance(&mut self, now: Moment) {
        self.now = now;
        while let Some((moment, id)) = self.moments.first().copied()
            && moment <= now
        {
            self.wake(id);
        }
        self.beginning.retain(|one| one.until.is_none_or(|until| until > now));
        while self.beginning.len() < self.most_beginning
            && let Some(id) = self.new.pop_front()
        {
            self.beginning.push(Beginning { id, turns: 0, until: None });
            self.starting.push_back(id);
        }
    }

    /// When something becomes ready by itself.
    pub fn next_moment(&self) -> Option<Moment> {
        let waiting = self.moments.first().map(|(moment, _)| *moment);
        let beginning = self.beginning.iter().filter(|_| !self.new.is_empty()).filter_map(|one| one.until);
        waiting.into_iter().chain(beginning).min()
    }

    /// Takes the computer whose turn it is; it has to be given back.
    pub fn take(&mut self) -> Option<Turn<M>> {
        let (first, second) = if self.was_starting {
            (&mut self.ready, &mut self.starting)
        } else {
            (&mut self.starting, &mut self.ready)
        };
        let id = first.pop_front().or_else(|| second.pop_front())?;
        let beginning = self.beginning.iter_mut().find(|one| one.id == id);
        self.was_starting = beginning.is_some();
        if let Some(beginning) = beginning {
            beginning.turns += 1;
            beginning.until = Some(self.now + TURN);
        }
        let place = self.places.get_mut(&id)?;
        match std::mem::replace(place, Place::Stepped { woken: false }) {
            Place::Queued(machine) => Some(Turn { id, machine }),
            Place::Stepped { .. } | Place::Waits(..) => unreachable!("what is in the queue is queued, once"),
        }
    }

    /// Something has happened to a computer; whether it is ready because of that.
    pub fn wake(&mut self, id: u32) -> bool {
        let Some(place) = self.places.get_mut(&id) else { return false };
        match place {
            Place::Queued(_) => false,
            Place::Stepped { woken } => {
                *woken = true;
                false
            }
            Place::Waits(..) => {
                let Place::Waits(machine, until) = std::mem::replace(place, Place::Stepped { woken: false })
                else {
                    unreachable!("it was looked at in the line before");
                };
                *place = Place::Queued(machine);
                if let Some(until) = until {
                    self.moments.remove(&(until, id));
                }
                self.ready.push_back(id);
                true
            }
        }
    }

    /// Gives back a computer that could go on.
    pub fn put_ready(&mut self, turn: Turn<M>) {
        self.places.insert(turn.id, Place::Queued(turn.machine));
        self.beginning.retain(|one| one.id != turn.id || one.turns < TURNS);
        match self.beginning.iter_mut().find(|one| one.id == turn.id) {
            Some(beginning) => {
                beginning.until = None;
                self.starting.push_front(turn.id);
            }
            None => self.ready.push_back(turn.id),
        }
    }

    /// Gives back a computer that waits, until a moment at the latest.
    pub fn put_waiting(&mut self, turn: Turn<M>, until: Option<Moment>) {
        self.begun(turn.id);
        if matches!(self.places.get(&turn.id), Some(Place::Stepped { woken: true })) {
            return self.put_ready(turn);
        }
        if let Some(until) = until {
            self.moments.insert((until, turn.id));
        }
        self.places.insert(turn.id, Place::Waits(turn.machine, until));
    }

    /// Takes back a computer that was added and could not begin.
    pub fn withdraw(&mut self, id: u32) {
        self.ready.retain(|other| *other != id);
        self.starting.retain(|other| *other != id);
        self.new.retain(|other| *other != id);
        self.remove(id);
    }

    /// Forgets a computer that was taken and is off.
    pub fn remove(&mut self, id: u32) {
        self.begun(id);
        self.places.remove(&id);
    }

    /// One that was beginning is up, or will never be.
    fn begun(&mut self, id: u32) {
        self.beginning.retain(|one| one.id != id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Moment = Moment::ZERO;

    fn add(order: &mut Order<()>, ids: impl IntoIterator<Item = u32>) {
        for id in ids {
            order.add(id, (), NOW);
        }
    }

    fn take(order: &mut Order<()>) -> Option<u32> {
        order.take().map(|turn| turn.id)
    }

    #[test]
    fn one_that_is_up_and_never_yields_has_its_turn_after_the_others() {
        let mut order = Order::new(9);
        add(&mut order, [1, 2, 3]);
        for _ in 0..3 {
            let turn = order.take().expect("all are ready");
            order.put_waiting(turn, None);
        }
        (1..=3).for_each(|id| assert!(order.wake(id)));
        let busy = order.take().expect("all are ready");
        order.put_ready(busy);
        assert_eq!([take(&mut order), take(&mut order), take(&mut order)], [Some(2), Some(3), Some(1)]);
        assert_eq!(take(&mut order), None);
    }

    #[test]
    fn one_that_begins_goes_on_before_the_next_one() {
        let mut order = Order::new(9);
        add(&mut order, [1, 2, 3]);
        for _ in 0..3 {
            let first = order.take().expect("all are ready");
            assert_eq!(first.id, 1);
            order.put_ready(first);
        }
        let first = order.take().expect("all are ready");
        order.put_waiting(first, None);
        assert_eq!([take(&mut order), take(&mut order), take(&mut order)], [Some(2), Some(3), None]);
    }

    #[test]
    fn one_that_waits_is_ready_at_its_moment_or_when_it_is_woken() {
        let mut order = Order::new(9);
        add(&mut order, [1, 2]);
        for seconds in [5, 3] {
            let turn = order.take().expect("both are ready");
            order.put_waiting(turn, Some(Duration::from_secs(seconds)));
        }
        assert_eq!((take(&mut order), order.next_moment()), (None, Some(Duration::from_secs(3))));
        assert!(order.wake(1) && !order.wake(1), "once is enough");
        assert_eq!(take(&mut order), Some(1));
        order.advance(Duration::from_secs(3));
        assert_eq!((take(&mut order), order.next_moment()), (Some(2), None));
    }

    #[test]
    fn what_happens_to_one_that_is_being_stepped_is_not_lost() {
        let mut order = Order::new(9);
        add(&mut order, [1]);
        let turn = order.take().expect("it is ready");
        assert!(!order.wake(1));
        order.put_waiting(turn, None);
        assert_eq!(take(&mut order), Some(1));
    }

    #[test]
    fn a_few_begin_at_once_and_those_that_wait_for_the_host_hold_up_nobody() {
        let mut order = Order::new(2);
        add(&mut order, [1, 2, 3, 4, 5]);
        let first = order.take().expect("it is ready");
        assert_eq!((take(&mut order), take(&mut order)), (Some(2), None));
        order.put_waiting(first, None);
        order.advance(NOW);
        assert_eq!((take(&mut order), take(&mut order)), (Some(3), None));
        assert_eq!(order.next_moment(), Some(TURN));
        order.advance(TURN);
        assert_eq!((take(&mut order), take(&mut order)), (Some(4), Some(5)));
    }

    #[test]
    fn one_that_begins_counts_for_its_turns_however_long_they_take() {
        let mut order = Order::new(1);
        add(&mut order, [1, 2]);
        for turn in 1..=TURNS {
            order.advance(TURN * 10 * turn);
            let turn = order.take().expect("it is ready");
            assert_eq!(turn.id, 1);
            order.put_ready(turn);
        }
        order.advance(TURN * 10 * TURNS);
        assert_eq!((take(&mut order), take(&mut order)), (Some(1), Some(2)));
    }

    #[test]
    fn those_that_are_up_and_those_that_begin_take_turns() {
        let mut order = Order::new(2);
        add(&mut order, 0..100);
        for _ in 0..50 {
            let turn = order.take().expect("it is ready");
            order.put_waiting(turn, None);
            order.advance(NOW);
        }
        // Fifty are up, and all of them have something to do; of the others two begin.
        (0..50).for_each(|id| assert!(order.wake(id)));
        let turns: Vec<bool> = (0..20)
            .map(|_| {
                let turn = order.take().expect("all are ready");
                let is_up = turn.id < 50;
                order.put_ready(turn);
                is_up
            })
            .collect();
        assert_eq!(turns.iter().filter(|is_up| **is_up).count(), 10, "{turns:?}");
    }

    #[test]
    fn one_that_is_off_is_forgotten() {
        let mut order = Order::new(2);
        add(&mut order, [1, 2, 3]);
        order.withdraw(1);
        assert_eq!(take(&mut order), Some(2));
        order.remove(2);
        order.advance(NOW);
        assert!(!order.wake(1) && !order.wake(2) && !order.is_empty());
        assert_eq!((take(&mut order), take(&mut order)), (Some(3), None));
    }
}
