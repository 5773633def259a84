//! Objects of one type, named by 32-bit handles. A handle that outlives its object names an empty object or another
//! one of the same type: a wrong value, never a wrong memory access.

/// Whether a slot is free, in use, or in use and reached by the collection that runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    Free,
    Used,
    Reached,
}

#[derive(Debug)]
pub struct Arena<T> {
    slots: Vec<T>,
    marks: Vec<Mark>,
    free: Vec<u32>,
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
        }
    }
}

impl<T> Default for Arena<T> {
    fn default() -> Self {
        Self { slots: Vec::new(), marks: Vec::new(), free: Vec::new() }
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
        self.slots.len() / 2 + 16
    }

    /// Puts an object into a slot. The bytes of [`Arena::growth`] have been charged.
    #[inline]
    pub fn insert(&mut self, object: T) -> u32 {
        if let Some(index) = self.free.pop() {
            self.slots[index as usize] = object;
            self.marks[index as usize] = Mark::Used;
            return index;
        }
        if self.slots.len() == self.slots.capacity() {
            let step = self.step();
            self.slots.reserve_exact(step);
            self.marks.reserve_exact(step);
            self.free.reserve_exact(self.slots.len() + step);
        }
        self.slots.push(object);
        self.marks.push(Mark::Used);
        u32::try_from(self.slots.len() - 1).expect("the memory limit is below that many objects")
    }

    #[inline]
    pub fn get(&self, index: u32) -> &T {
        &self.slots[index as usize]
    }

    #[inline]
    pub fn get_mut(&mut self, index: u32) -> &mut T {
        &mut self.slots[index as usize]
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
        self.marks[index as usize] == Mark::Reached
    }

    /// Frees what was not reached, calling `drop` with each, and makes the rest ready for the next collection. Gives
    /// how many bytes of slots went.
    pub fn sweep(&mut self, mut release: impl FnMut(&mut T, u32)) -> usize {
        self.free.clear();
        for (index, mark) in self.marks.iter_mut().enumerate() {
            match mark {
                Mark::Reached => *mark = Mark::Used,
                Mark::Used => {
                    let id = u32::try_from(index).expect("handles have 32 bits");
                    release(&mut self.slots[index], id);
                    self.slots[index] = T::default();
                    *mark = Mark::Free;
                }
                Mark::Free => {}
            }
        }
        let used = self.marks.iter().rposition(|mark| *mark != Mark::Free).map_or(0, |last| last + 1);
        let before = self.slots.capacity();
        self.slots.truncate(used);
        self.marks.truncate(used);
        if used + used / 2 + 64 < before {
            self.slots.shrink_to(used + used / 4);
            self.marks.shrink_to(used + used / 4);
            self.free.shrink_to(used + used / 4);
        }
        // The lowest free slot is used first.
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
