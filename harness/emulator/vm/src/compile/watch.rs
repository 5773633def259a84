//! Asks now and then whether compiling may go on: a text can be as large as all of a program's memory.

use std::cell::{Cell, RefCell};

use super::CompileError;

/// So many tokens or expressions are compiled between two questions, which takes a fraction of a millisecond.
const STEPS: u32 = 2048;

/// Whoever is asked whether compiling may go on.
pub struct Watch<'a> {
    goes_on: RefCell<&'a mut (dyn FnMut() -> bool + 'a)>,
    left: Cell<u32>,
}

impl<'a> Watch<'a> {
    pub fn new(goes_on: &'a mut dyn FnMut() -> bool) -> Self {
        Self { goes_on: RefCell::new(goes_on), left: Cell::new(STEPS) }
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
