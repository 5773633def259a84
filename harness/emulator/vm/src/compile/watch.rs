//! Asks now and then whether compiling may go on: a text can be as large as all of a program's memory. Counts what compiling
//! takes on the way.

use std::cell::{Cell, RefCell};

use super::CompileError;

/// So many tokens or expressions are compiled between two questions, which takes a fraction of a millisecond.
const STEPS: u32 = 2048;

/// A list begins with room for so many.
const SMALLEST_LIST: usize = 4;

/// Whoever is asked whether compiling may go on.
pub struct Watch<'a> {
    goes_on: RefCell<&'a mut (dyn FnMut() -> bool + 'a)>,
    left: Cell<u32>,
    /// How many bytes may still be taken.
    room: Cell<usize>,
}

impl<'a> Watch<'a> {
    pub fn new(goes_on: &'a mut dyn FnMut() -> bool, room: usize) -> Self {
        Self { goes_on: RefCell::new(goes_on), left: Cell::new(STEPS), room: Cell::new(room) }
    }

    /// Counts bytes that the tree or the code takes; an error where there is no room for them.
    #[inline]
    pub fn take(&self, bytes: usize) -> Result<(), CompileError> {
        let left = self.room.get().checked_sub(bytes).ok_or_else(CompileError::out_of_memory)?;
        self.room.set(left);
        Ok(())
    }

    /// Adds to a list, and counts what it grows by.
    pub fn push<T>(&self, list: &mut Vec<T>, value: T) -> Result<(), CompileError> {
        if list.len() == list.capacity() {
            let more = list.len().max(SMALLEST_LIST);
            self.take(more * size_of::<T>())?;
            list.reserve_exact(more);
        }
        list.push(value);
        Ok(())
    }

    /// Counts a token or an expression; an error where that was enough.
    #[inline]
    pub fn step(&self) -> Result<(), CompileError> {
        let left = self.left.get() - 1;
        self.left.set(left);
        if left == 0 { self.ask() } else { Ok(()) }
    }

    #[cold]
    fn ask(&self) -> Result<(), CompileError> {
        self.left.set(STEPS);
        if (self.goes_on.borrow_mut())() { Ok(()) } else { Err(CompileError::interrupted()) }
    }
}
