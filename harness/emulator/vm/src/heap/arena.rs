//! Objects of one type, named by 32-bit handles. A handle that outlives its object names an empty object or another
//! one of the same type: a wrong value, never a wrong memory access.

use std::ops::Range;

use memchr::memchr;
use serde::{Deserialize, Serialize};

// Whether a slot is free, in use, or in use and reached by the collection that runs: a byte for each, so that free ones are
// found quickly.
const FREE: u8 = 0;
const USED: u8 = 1;
const REACHED: u8 = 2;
/// Reached, and to be looked at: perhaps it has changed since it was looked at, or there was no room to note it.
const TOUCHED: u8 = 3;

/// So many objects that have changed are listed; others are found by their marks.
const MOST_TOUCHED: usize = 64 * 1024;

/// So many marks are looked through in the time in which one value is looked at.
const MARKS_PER_VALUE: usize = 64;

/// An arena without room grows by so many slots at least.
const SMALLEST_STEP: usize = 16;

/// A small arena grows to twice its size: most of the time that a computer takes to begin would be copying otherwise. One with
/// more slots grows by a quarter: what it has and does not use is not counted.
const SMALL: usize = 4096;

#[derive(Debug, Serialize, Deserialize)]
#[serde(bound(serialize = "T: Serialize", deserialize = "T: Deserialize<'de>"))]
pub struct Arena<T> {
    #[serde(with = "crate::saving::room")]
    slots: Vec<T>,
    #[serde(with = "crate::saving::room")]
    marks: Vec<u8>,
    /// How many slots are free, and below which one none is. The lowest is used first, so that the last ones can be given
    /// back.
    vacant: usize,
    lowest: usize,
    /// A collection looks for what is reached: objects that it has seen and that change are noted.
    marking: bool,
    touched: Vec<u32>,
    /// From where on there may be objects that have to be looked at and are not listed.
    unlisted: Option<usize>,
    /// Slots among which a collection has yet to free the dead.
    unswept: Range<usize>,
}

/// A copy with the same room: what was charged for the original is charged for the copy too.
pub fn clone_with_room<T: Clone>(original: &Vec<T>) -> Vec<T> {
    let mut copy = Vec::with_capacity(original.capacity());
    copy.extend_from_slice(original);
    copy
}

impl<T: Clone> Clone for Arena<T> {
    fn clone(&self) -> Self {
        Self {
            slots: clone_with_room(&self.slots),
            marks: clone_with_room(&self.marks),
            touched: self.touched.clone(),
            unswept: self.unswept.clone(),
            ..*self
        }
    }
}

impl<T> Default for Arena<T> {
    fn default() -> Self {
        Self {
            slots: Vec::new(),
            marks: Vec::new(),
            vacant: 0,
            lowest: 0,
            marking: false,
            touched: Vec::new(),
            unlisted: None,
            unswept: 0..0,
        }
    }
}

impl<T: Default> Arena<T> {
    /// What one slot takes, with its mark. Slots beyond the last that was ever used are not counted: a process takes no
    /// memory for them.
    const SLOT: usize = size_of::<T>() + size_of::<u8>();

    /// How many bytes the next object needs that the arena does not have yet.
    #[inline]
    pub fn growth(&self) -> usize {
        if self.vacant > 0 { 0 } else { Self::SLOT }
    }

    /// How many bytes its slots take.
    pub fn bytes(&self) -> usize {
        self.slots.len() * Self::SLOT
    }

    /// How many bytes its slots without an object take.
    pub fn spare(&self) -> usize {
        self.vacant * Self::SLOT
    }

    /// Puts an object into a slot. The bytes of [`Arena::growth`] have been charged.
    #[inline]
    pub fn insert(&mut self, object: T) -> u32 {
        if self.vacant > 0 {
            let index = self.take_lowest();
            self.slots[index] = object;
            // What the collection has yet to look at is kept by its mark.
            self.marks[index] = if self.unswept.contains(&index) { REACHED } else { USED };
            return handle(index);
        }
        if self.slots.len() == self.slots.capacity() {
            let length = self.slots.len();
            let step = if length < SMALL { length } else { length / 4 };
            self.reserve(step + SMALLEST_STEP);
        }
        self.slots.push(object);
        self.marks.push(USED);
        handle(self.slots.len() - 1)
    }

    fn reserve(&mut self, slots: usize) {
        self.slots.reserve_exact(slots);
        self.marks.reserve_exact(slots);
    }

    /// Makes room for as many objects again: a copy of this arena has it too, and takes no memory for it until it is used.
    pub fn double_room(&mut self) {
        self.reserve(self.slots.len());
    }

    /// The lowest free slot, which is not free any more.
    #[inline]
    fn take_lowest(&mut self) -> usize {
        let from = self.lowest;
        let index = if self.marks[from] == FREE {
            from
        } else {
            from + memchr(FREE, &self.marks[from..]).expect("a slot is free, and none below that one")
        };
        self.vacant -= 1;
        self.lowest = index + 1;
        index
    }

    #[inline]
    pub fn get(&self, index: u32) -> &T {
        &self.slots[index as usize]
    }

    /// An object that is about to change. Every change of what an object refers to comes through here, so that a
    /// collection which has seen the object before looks at it again.
    #[inline]
    pub fn get_mut(&mut self, index: u32) -> &mut T {
        if self.marking && self.marks[index as usize] == REACHED {
            self.touch(index);
        }
        &mut self.slots[index as usize]
    }

    /// The same where what the object refers to stays as it is.
    #[inline]
    pub fn quiet_mut(&mut self, index: u32) -> &mut T {
        &mut self.slots[index as usize]
    }

    #[cold]
    fn touch(&mut self, index: u32) {
        if self.touched.len() < MOST_TOUCHED {
            self.marks[index as usize] = TOUCHED;
            self.touched.push(index);
        } else {
            self.put_off(index);
        }
    }

    /// Leaves an object that was reached to be looked at later, without a list.
    #[cold]
    pub fn put_off(&mut self, index: u32) {
        self.marks[index as usize] = TOUCHED;
        let index = index as usize;
        self.unlisted = Some(self.unlisted.map_or(index, |from| from.min(index)));
    }

    // For the collector.

    pub fn begin_marking(&mut self) {
        self.marking = true;
    }

    /// Marks an object as reached; true the first time.
    #[inline]
    pub fn reach(&mut self, index: u32) -> bool {
        let mark = &mut self.marks[index as usize];
        let first = *mark == USED;
        if first {
            *mark = REACHED;
        }
        first
    }

    pub fn is_reached(&self, index: u32) -> bool {
        matches!(self.marks[index as usize], REACHED | TOUCHED)
    }

    /// An object that has to be looked at, once: it has changed since it was reached, or was put off. Looking for those that
    /// are not listed is counted as work.
    pub fn take_touched(&mut self, work: &mut usize) -> Option<u32> {
        if let Some(index) = self.touched.pop() {
            self.marks[index as usize] = REACHED;
            return Some(index);
        }
        let from = self.unlisted?;
        let found = memchr(TOUCHED, &self.marks[from..]);
        *work += found.unwrap_or(self.marks.len() - from) / MARKS_PER_VALUE;
        self.unlisted = found.map(|at| from + at + 1);
        let index = from + found?;
        self.marks[index] = REACHED;
        Some(handle(index))
    }

    /// Everything that lives is marked: what is not will be freed.
    pub fn begin_sweeping(&mut self) {
        self.marking = false;
        self.touched = Vec::new();
        self.unlisted = None;
        self.unswept = 0..self.slots.len();
    }

    /// Forgets what was marked, without freeing anything.
    pub fn abandon(&mut self) {
        self.marking = false;
        self.touched = Vec::new();
        self.unlisted = None;
        for mark in &mut self.marks {
            *mark = (*mark).min(USED);
        }
    }

    /// An object that was about to be freed is used again.
    #[inline]
    pub fn revive(&mut self, index: u32) {
        if self.unswept.contains(&(index as usize)) {
            self.marks[index as usize] = REACHED;
        }
    }

    /// The next object to be freed, looking at no more slots than there is work left. Nothing when the work or the slots
    /// have come to an end.
    pub fn next_dead(&mut self, work: &mut usize) -> Option<u32> {
        while *work > 0 {
            let index = self.unswept.next()?;
            *work -= 1;
            let mark = &mut self.marks[index];
            match *mark {
                REACHED | TOUCHED => *mark = USED,
                USED => return Some(handle(index)),
                _ => {}
            }
        }
        None
    }

    /// Frees an object.
    pub fn release(&mut self, index: u32) {
        let index = index as usize;
        self.slots[index] = T::default();
        self.marks[index] = FREE;
        self.vacant += 1;
        self.lowest = self.lowest.min(index);
    }

    pub fn is_swept(&self) -> bool {
        self.unswept.is_empty()
    }

    /// Gives back the last slots where they are free and all dead are gone: tells how many bytes went with those.
    pub fn end_step(&mut self) -> usize {
        if !self.is_swept() {
            return 0;
        }
        let before = self.slots.len();
        let used = self.marks.iter().rposition(|mark| *mark != FREE).map_or(0, |last| last + 1);
        self.slots.truncate(used);
        self.marks.truncate(used);
        self.vacant -= before - used;
        self.lowest = self.lowest.min(used);
        if used + used / 4 + SMALLEST_STEP < self.slots.capacity() {
            self.slots.shrink_to(used + used / 8);
            self.marks.shrink_to(used + used / 8);
        }
        (before - used) * Self::SLOT
    }

    /// Gives back the room that no slot has used.
    pub fn fit(&mut self) {
        self.slots.shrink_to_fit();
        self.marks.shrink_to_fit();
    }

    pub fn for_each_used(&mut self, mut change: impl FnMut(u32, &mut T)) {
        for (index, (slot, mark)) in self.slots.iter_mut().zip(&self.marks).enumerate() {
            if *mark != FREE {
                change(handle(index), slot);
            }
        }
    }

    pub fn iter_used(&self) -> impl Iterator<Item = (u32, &T)> {
        self.slots
            .iter()
            .zip(&self.marks)
            .enumerate()
            .filter(|(_, (_, mark))| **mark != FREE)
            .map(|(index, (slot, _))| (handle(index), slot))
    }
}

#[inline]
fn handle(index: usize) -> u32 {
    u32::try_from(index).expect("the memory limit is below that many objects")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_of_an_arena_with_double_room_takes_as_many_objects_again_where_it_is() {
        let mut arena = Arena::<u64>::default();
        for object in 0..1000 {
            arena.insert(object);
        }
        arena.fit();
        arena.double_room();
        let mut copy = arena.clone();
        let place = copy.slots.as_ptr();
        for object in 0..1000 {
            copy.insert(object);
        }
        assert_eq!(copy.slots.as_ptr(), place);
        assert_eq!((*copy.get(0), *copy.get(1999)), (0, 999));
        assert_eq!(copy.bytes(), 2 * arena.bytes(), "only what is used counts");
    }
}
