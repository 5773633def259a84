//! Mark and sweep, a step at a time: everything that the machine can reach stays.
//!
//! A step runs only between two instructions, when all that a program can still use is in the heap or in the roots. While
//! marks are set, the program goes on: an object that was seen and then changes is noted by its arena and looked at again.
//! The registers of the running coroutine change all the time; they are looked at when all else is done, in a step
//! that goes on only if little is found from them ([`Heap::finish_marking`]). Then the dead are freed, again a step at a time.

use serde::{Deserialize, Serialize};

use super::clearing::Clearing;
use super::ephemerons::Waiting;
use super::mark::{Grey, Marker};
use super::objects::{Account, Bound, Closure, Heap, Loaded};
use super::table::Table;
use super::{Arena, clone_with_room};
use crate::machine::Thread;
use crate::value::Value;

/// What a collection begins with.
#[derive(Debug)]
pub struct Roots<'a> {
    pub values: &'a [Value],
    pub thread: &'a Thread,
    /// How many registers of the running coroutine are in use.
    pub used: usize,
}

/// How far a collection is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Phase {
    /// None runs.
    #[default]
    Idle,
    /// It looks for what is reached.
    Mark,
    /// It looks at weak tables, while the program stands still.
    Clear,
    /// It frees what was not.
    Sweep,
}

/// A collection that runs.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Collection {
    pub phase: Phase,
    /// How many bytes lived or were garbage when it began.
    pub began_with: usize,
    /// How many entries of tables were looked at again, because these had changed.
    pub again: usize,
    /// Objects that were reached and whose parts have not been looked at.
    pub grey: Waiters,
    /// Tables that were weak when they were looked at: with weak keys, weak values, or both.
    #[serde(with = "crate::saving::room")]
    pub weak: Vec<Weak>,
    pub clearing: Option<Box<Clearing>>,
    /// How many bytes were charged for the list of weak tables.
    weak_bytes: usize,
}

/// Objects that wait to be looked at: the last first. They lie in parts, so that a long list is not copied when it grows.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Waiters {
    full: Vec<Vec<Grey>>,
    #[serde(with = "crate::saving::room")]
    last: Vec<Grey>,
}

/// So many lie in a part. The first part is not charged: where there were fewer, those that were put off would have to be
/// sought all the time.
const PART: usize = 4096;
const PART_BYTES: usize = PART * size_of::<Grey>();

impl Clone for Waiters {
    fn clone(&self) -> Self {
        Self { full: self.full.iter().map(clone_with_room).collect(), last: clone_with_room(&self.last) }
    }
}

impl Waiters {
    /// Adds one; false where there is no memory for it.
    #[inline]
    pub fn push(&mut self, grey: Grey, account: &mut Account) -> bool {
        if self.last.len() == self.last.capacity() && !self.grow(account) {
            return false;
        }
        self.last.push(grey);
        true
    }

    #[cold]
    fn grow(&mut self, account: &mut Account) -> bool {
        if self.last.len() >= PART {
            if !account.charge_collection(PART_BYTES) {
                return false;
            }
            self.full.push(std::mem::take(&mut self.last));
        }
        self.last.reserve_exact(PART - self.last.len());
        true
    }

    /// Adds one in any case: the rest of a table with very many entries.
    pub fn push_anyway(&mut self, grey: Grey) {
        self.last.push(grey);
    }

    #[inline]
    pub fn pop(&mut self, account: &mut Account) -> Option<Grey> {
        let last = self.last.pop();
        if last.is_some() { last } else { self.pop_part(account) }
    }

    #[cold]
    fn pop_part(&mut self, account: &mut Account) -> Option<Grey> {
        self.last = self.full.pop()?;
        account.release(PART_BYTES);
        self.last.pop()
    }

    fn bytes(&self) -> usize {
        self.full.len() * PART_BYTES
    }
}

impl Clone for Collection {
    fn clone(&self) -> Self {
        Self {
            grey: self.grey.clone(),
            weak: clone_with_room(&self.weak),
            clearing: self.clearing.clone(),
            ..*self
        }
    }
}

/// A list of weak tables grows by so many at least.
const FIRST_WEAK: usize = 64;

/// The handle of a table, and whether its keys and its values are weak.
pub type Weak = (u32, bool, bool);

impl Collection {
    /// Notes a weak table; false where there is no memory for that. A large one comes here with each of its parts.
    pub fn add_weak(&mut self, table: Weak, account: &mut Account) -> bool {
        if self.weak.last() == Some(&table) {
            return true;
        }
        if self.weak.len() == self.weak.capacity() {
            let more = self.weak.len().max(FIRST_WEAK);
            let bytes = more * size_of::<Weak>();
            if !account.charge_collection(bytes) {
                return false;
            }
            self.weak_bytes += bytes;
            self.weak.reserve_exact(more);
        }
        self.weak.push(table);
        true
    }

    /// The bytes that were charged for it.
    pub fn bytes(&self) -> usize {
        let waiting = self.clearing.as_ref().map_or(0, |clearing| clearing.waiting.bytes());
        self.grey.bytes() + self.weak_bytes + waiting
    }
}

/// Does something with each arena.
macro_rules! each_arena {
    ($heap:expr, $loaded:expr, |$arena:ident| $what:expr) => {{
        {
            let $arena = &mut $heap.strings;
            $what;
        }
        {
            let $arena = &mut $heap.tables;
            $what;
        }
        {
            let $arena = &mut $heap.closures;
            $what;
        }
        {
            let $arena = &mut $heap.bounds;
            $what;
        }
        {
            let $arena = &mut $heap.cells;
            $what;
        }
        {
            let $arena = &mut $heap.threads;
            $what;
        }
        {
            let $arena = &mut *$loaded;
            $what;
        }
    }};
}

impl Heap {
    /// Begins a collection, where none runs.
    pub fn begin_collection(&mut self, loaded: &mut Arena<Loaded>, roots: &Roots<'_>) -> usize {
        each_arena!(self, loaded, |arena| arena.begin_marking());
        self.collection.phase = Phase::Mark;
        self.collection.began_with = self.account.used.saturating_sub(self.spare());
        let mut marker = Marker::new(self, loaded);
        marker.roots(roots);
        marker.done()
    }

    /// Looks at objects, about as many as there is work; gives how much it was. False when none are left.
    pub fn mark_some(&mut self, loaded: &mut Arena<Loaded>, work: usize) -> (usize, bool) {
        let mut marker = Marker::new(self, loaded);
        let more = marker.trace(work);
        (marker.done(), more)
    }

    /// Marks what is left; gives how much work it was. Where it would be much more than `most`, only a part is done, and the
    /// collection goes on marking. What has to be whole is to look at the running coroutine. Weak tables come next, if there
    /// are any.
    pub fn finish_marking(&mut self, loaded: &mut Arena<Loaded>, roots: &Roots<'_>, most: usize) -> usize {
        let mut marker = Marker::new(self, loaded);
        let finished = marker.finish(roots, most);
        let work = marker.done();
        if !finished {
            return work;
        }
        if self.collection.weak.is_empty() {
            self.begin_sweeping(loaded, roots);
            return work;
        }
        let keyed = self.collection.weak.iter().filter(|(_, keys, values)| *keys && !*values);
        let entries = keyed.map(|(index, ..)| self.tables.get(*index).entry_count()).sum();
        let waiting = Waiting::with_room(entries, &mut self.account);
        self.collection.clearing = Some(Box::new(Clearing::new(waiting)));
        self.collection.phase = Phase::Clear;
        work
    }

    /// Goes on with weak tables, about as much as there is work; gives how much it was. The program must not run before the
    /// last of them is cleared.
    pub fn clear_some(&mut self, loaded: &mut Arena<Loaded>, roots: &Roots<'_>, work: usize) -> usize {
        let mut marker = Marker::new(self, loaded);
        let more = marker.clear(work);
        if !more {
            // What the host has made meanwhile.
            marker.roots(roots);
            marker.trace(usize::MAX);
        }
        let done = marker.done();
        if !more {
            self.begin_sweeping(loaded, roots);
        }
        done
    }

    fn begin_sweeping(&mut self, loaded: &mut Arena<Loaded>, roots: &Roots<'_>) {
        let buffers = self.living_buffers(roots.thread);
        self.account.release(self.buffers.saturating_sub(buffers));
        self.buffers = buffers;
        self.account.release(self.collection.bytes());
        self.collection = Collection { phase: Phase::Sweep, ..Collection::default() };
        each_arena!(self, loaded, |arena| arena.begin_sweeping());
    }

    /// Bytes that natives hold in coroutines that live. What natives held that an error has ended is not among them.
    fn living_buffers(&self, running: &Thread) -> usize {
        let held = |thread: &Thread| thread.conts.iter().map(crate::machine::Cont::bytes).sum::<usize>();
        let waiting = self.threads.iter_used().filter(|(index, _)| self.threads.is_reached(*index));
        held(running) + waiting.filter_map(|(_, thread)| thread.as_deref()).map(held).sum::<usize>()
    }

    /// Frees some of the dead; gives how much work it was. The collection ends with the last of them.
    pub fn sweep_some(&mut self, loaded: &mut Arena<Loaded>, work: usize) -> usize {
        let mut left = work;
        let mut gone = 0;
        if !self.strings.is_swept() {
            gone += self.strings.sweep(&mut left);
        }
        gone += sweep(&mut self.tables, Table::bytes, &mut left);
        gone += sweep(&mut self.closures, Closure::bytes, &mut left);
        gone += sweep(&mut self.bounds, Bound::bytes, &mut left);
        gone += sweep(&mut self.cells, |_| 0, &mut left);
        gone +=
            sweep(&mut self.threads, |thread| thread.as_ref().map_or(0, |thread| thread.bytes()), &mut left);
        let names = &mut self.long_names;
        let code =
            |code: &Loaded| code.bytes() + code.proto.as_ref().map_or(0, |proto| names.remove(&proto.name));
        gone += sweep(loaded, code, &mut left);
        self.account.release(gone);
        let mut swept = true;
        each_arena!(self, loaded, |arena| swept &= arena.is_swept());
        if swept {
            self.collection = Collection::default();
        }
        work - left
    }

    /// Forgets a collection that looks for what is reached.
    pub fn abandon_collection(&mut self, loaded: &mut Arena<Loaded>) {
        each_arena!(self, loaded, |arena| arena.abandon());
        self.account.release(self.collection.bytes());
        self.collection = Collection::default();
    }
}

/// Frees the dead of an arena, while there is work left; gives how many bytes went.
fn sweep<T: Default>(arena: &mut Arena<T>, mut size: impl FnMut(&T) -> usize, work: &mut usize) -> usize {
    if arena.is_swept() {
        return 0;
    }
    let mut gone = 0;
    while let Some(index) = arena.next_dead(work) {
        gone += size(arena.get(index));
        arena.release(index);
    }
    gone + arena.end_step()
}
