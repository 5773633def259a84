//! Objects of one type, named by 32-bit handles. A handle that outlives its object names an empty object or another
//! one of the same type: a wrong value, never a wrong memory access.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// With fewer free slots than this an arena might grow in the midst of a collection, while slots that were freed wait.
const FEW_FREE: usize = 4096;

/// Whether a slot is free, in use, or in use and reached by the collection that runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Mark {
    Free,
    Used,
    Reached,
    /// Reached, and perhaps changed since: it has to be looked at again.
    Touched,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(bound(serialize = "T: Serialize", deserialize = "T: Deserialize<'de>"))]
pub struct Arena<T> {
    #[serde(with = "crate::saving::room")]
    slots: Vec<T>,
    #[serde(with = "crate::saving::room")]
    marks: Vec<Mark>,
    free: Vec<u32>,
    /// A collection looks for what is reached: objects that it has seen and that change are noted.
    marking: bool,
    touched: Vec<u32>,
    /// Slots among which a collection has yet to free the dead.
    unswept: Range<usize>,
    /// Slots that it has freed and that are not in the list of free ones yet.
    freed: Vec<u32>,
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
            free: clone_with_room(&self.free),
            marking: self.marking,
            touched: self.touched.clone(),
            unswept: self.unswept.clone(),
            freed: self.freed.clone(),
        }
    }
}

impl<T> Default for Arena<T> {
    fn default() -> Self {
        Self {
            slots: Vec::new(),
            marks: Vec::new(),
            free: Vec::new(),
            marking: false,
            touched: Vec::new(),
            unswept: 0..0,
            freed: Vec::new(),
        }
    }
}

impl<T: Default> Arena<T> {
    /// What one slot takes, with its mark and its place in the list of free ones.
    const SLOT: usize = size_of::<T>() + size_of::<Mark>() + size_of::<u32>();

    /// How many bytes the next object needs that the arena does not have yet.
    #[inline]
    pub fn growth(&self) -> usize {
        if !self.free.is_empty() || self.slots.len() < self.slots.capacity() {
            0
        } else {
            self.step() * Self::SLOT
        }
    }

    /// How many bytes its slots take.
    pub fn bytes(&self) -> usize {
        self.slots.capacity() * Self::SLOT
    }

    /// How many bytes its slots without an object take.
    pub fn spare(&self) -> usize {
        (self.free.len() + self.slots.capacity() - self.slots.len()) * Self::SLOT
    }

    fn step(&self) -> usize {
        self.slots.len() / 4 + 16
    }

    /// Puts an object into a slot. The bytes of [`Arena::growth`] have been charged.
    #[inline]
    pub fn insert(&mut self, object: T) -> u32 {
        if let Some(index) = self.free.pop() {
            self.slots[index as usize] = object;
            // What the collection has yet to look at is kept by its mark.
            let unswept = self.unswept.contains(&(index as usize));
            self.marks[index as usize] = if unswept { Mark::Reached } else { Mark::Used };
            return index;
        }
        if self.slots.len() == self.slots.capacity() {
            let step = self.step();
            self.slots.reserve_exact(step);
            self.marks.reserve_exact(step);
        }
        self.slots.push(object);
        self.marks.push(Mark::Used);
        u32::try_from(self.slots.len() - 1).expect("the memory limit is below that many objects")
    }

    #[inline]
    pub fn get(&self, index: u32) -> &T {
        &self.slots[index as usize]
    }

    /// An object that is about to change. Every change of what an object refers to comes through here, so that a
    /// collection which has seen the object before looks at it again.
    #[inline]
    pub fn get_mut(&mut self, index: u32) -> &mut T {
        if self.marking && self.marks[index as usize] == Mark::Reached {
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
        self.marks[index as usize] = Mark::Touched;
        self.touched.push(index);
    }

    // For the collector.

    pub fn begin_marking(&mut self) {
        self.marking = true;
    }

    /// Marks an object as reached; true the first time.
    #[inline]
    pub fn reach(&mut self, index: u32) -> bool {
        let mark = &mut self.marks[index as usize];
        let first = *mark == Mark::Used;
        if first {
            *mark = Mark::Reached;
        }
        first
    }

    pub fn is_reached(&self, index: u32) -> bool {
        matches!(self.marks[index as usize], Mark::Reached | Mark::Touched)
    }

    /// An object that has changed since it was reached, once.
    pub fn take_touched(&mut self) -> Option<u32> {
        let index = self.touched.pop()?;
        self.marks[index as usize] = Mark::Reached;
        Some(index)
    }

    /// Everything that lives is marked: what is not will be freed.
    pub fn begin_sweeping(&mut self) {
        self.marking = false;
        self.unswept = 0..self.slots.len();
    }

    /// Forgets what was marked, without freeing anything.
    pub fn abandon(&mut self) {
        self.marking = false;
        self.touched = Vec::new();
        for mark in &mut self.marks {
            if *mark != Mark::Free {
                *mark = Mark::Used;
            }
        }
    }

    /// An object that was about to be freed is used again.
    #[inline]
    pub fn revive(&mut self, index: u32) {
        if self.unswept.contains(&(index as usize)) {
            self.marks[index as usize] = Mark::Reached;
        }
    }

    /// The next object to be freed, looking at no more slots than there is work left. Nothing when the work or the slots
    /// have come to an end.
    pub fn next_dead(&mut self, work: &mut usize) -> Option<u32> {
        while *work > 0 {
            let index = self.unswept.next()?;
            *work -= 1;
            let mark = &mut self.marks[index];
            match mark {
                Mark::Reached | Mark::Touched => *mark = Mark::Used,
                Mark::Used => return u32::try_from(index).ok(),
                Mark::Free => {}
            }
        }
        None
    }

    /// Frees an object. Its slot is used again after [`Arena::end_step`].
    pub fn release(&mut self, index: u32) {
        self.slots[index as usize] = T::default();
        self.marks[index as usize] = Mark::Free;
        self.freed.push(index);
    }

    pub fn is_swept(&self) -> bool {
        self.unswept.is_empty()
    }

    /// Makes freed slots free for use. The lowest is always used first, so that the last ones can be given back: tells
    /// how many bytes went with those.
    pub fn end_step(&mut self) -> usize {
        if self.is_swept() {
            self.touched = Vec::new();
            self.freed = Vec::new();
            return self.shrink();
        }
        if self.free.len() < FEW_FREE {
            self.freed.reverse();
            self.freed.append(&mut self.free);
            std::mem::swap(&mut self.freed, &mut self.free);
        }
        0
    }

    fn shrink(&mut self) -> usize {
        let before = self.slots.capacity();
        let used = self.marks.iter().rposition(|mark| *mark != Mark::Free).map_or(0, |last| last + 1);
        self.slots.truncate(used);
        self.marks.truncate(used);
        self.free.clear();
        if used + used / 4 + 16 < before {
            self.slots.shrink_to(used + used / 8);
            self.marks.shrink_to(used + used / 8);
            self.free.shrink_to(used + used / 8);
        }
        for (index, mark) in self.marks.iter().enumerate().rev() {
            if *mark == Mark::Free {
                self.free.push(u32::try_from(index).expect("handles have 32 bits"));
            }
        }
        (before - self.slots.capacity()) * Self::SLOT
    }

    pub fn for_each_used(&mut self, mut change: impl FnMut(&mut T)) {
        for (slot, mark) in self.slots.iter_mut().zip(&self.marks) {
            if *mark != Mark::Free {
                change(slot);
            }
        }
    }

    pub fn iter_used(&self) -> impl Iterator<Item = (u32, &T)> {
        self.slots
            .iter()
            .zip(&self.marks)
            .enumerate()
            .filter(|(_, (_, mark))| **mark != Mark::Free)
            .map(|(index, (slot, _))| (u32::try_from(index).expect("handles have 32 bits"), slot))
    }
}
