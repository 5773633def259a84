//! An image: the Lua state of a computer at the point up to which all computers are the same, to make more of them from.
//!
//! A state is made twice, at two addresses, and the two are compared word by word. Words that differ by the distance between
//! the two are addresses within the state: in a copy they are moved along. One word is the address of the state's allocator,
//! which is another one for each. If there is any other difference, then the two computers were not the same, and there is no
//! image. So nothing here rests on how Lua lays out its objects, and nothing of one computer can get into another.
#![expect(unsafe_code, reason = "it copies Lua states as plain memory")]
#![expect(clippy::cast_ptr_alignment, reason = "slots begin at pages")]

use std::fmt;

use mlua_sys as ffi;
use thiserror::Error;

use super::alloc::Allocator;
use super::arena::{Arena, Shape};
use super::slot::Slot;
use super::state::State;
use super::trampoline::Context;

const WORD: usize = size_of::<usize>();
/// What is loaded ahead counts as a computer's memory: where that is short, it starts without.
const LEAST_OF_LIMIT: usize = 8;
/// What the system maps at a time.
const PAGE: usize = 4096;

/// Why there is no image.
#[derive(Debug, Error)]
pub enum ImageError {
    #[error("the states are not in slots of their own")]
    NoSlot,
    #[error("the states have different sizes: {one:?} and {other:?}")]
    Size { one: (usize, Shape), other: (usize, Shape) },
    #[error("the states differ at byte {at}: {one:#x} and {other:#x}")]
    Different { at: usize, one: usize, other: usize },
}

/// A state to make copies of.
pub struct Image {
    words: Vec<usize>,
    /// Where the words were.
    start: usize,
    /// Which of them are addresses among them.
    addresses: Vec<u32>,
    /// Which of them is the address of the allocator.
    owners: Vec<u32>,
    /// Where the outer state and the main coroutine begin.
    raw: usize,
    main: usize,
    used: usize,
    coroutine_size: usize,
    shape: Shape,
    error_function: Option<ffi::lua_CFunction>,
}

impl fmt::Debug for Image {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Image")
            .field("bytes", &(self.words.len() * WORD))
            .field("addresses", &self.addresses.len())
            .finish_non_exhaustive()
    }
}

/// The words of a state in a slot, up to the last that is in use.
struct Used<'a> {
    words: &'a [usize],
    shape: Shape,
    allocator: usize,
}

fn words_of(state: &mut State) -> Result<Used<'_>, ImageError> {
    let allocator = &raw const *state.allocator as usize;
    let arena = state.allocator.arena_mut();
    arena.wipe_free();
    let shape = arena.shape().ok_or(ImageError::NoSlot)?;
    let start = arena.slot().ok_or(ImageError::NoSlot)?.start();
    // SAFETY: the slot has at least that many bytes, begins at a page, and nothing runs the state meanwhile.
    let words = unsafe { std::slice::from_raw_parts(start.cast::<usize>(), shape.next.div_ceil(WORD)) };
    Ok(Used { words, shape, allocator })
}

impl Image {
    /// Compares two states that were made in the same way, each in a slot of its own.
    pub fn new(mut one: State, mut other: State) -> Result<Self, ImageError> {
        let (raw, main, used) = (one.raw as usize, one.main as usize, one.allocator.used());
        let error_function = one.context().error_function();
        let (coroutine_size, other_used) = (one.allocator.coroutine_size(), other.allocator.used());
        let (one, other) = (words_of(&mut one)?, words_of(&mut other)?);
        if one.words.len() != other.words.len() || used != other_used || one.shape != other.shape {
            return Err(ImageError::Size { one: (used, one.shape), other: (other_used, other.shape) });
        }
        let (start, other_start) = (one.words.as_ptr() as usize, other.words.as_ptr() as usize);
        let distance = other_start.wrapping_sub(start);
        let within = start..=start + one.words.len() * WORD;
        let (mut addresses, mut owners) = (Vec::new(), Vec::new());
        for (place, (&word, &twin)) in one.words.iter().zip(other.words).enumerate() {
            let index = u32::try_from(place).map_err(|_| ImageError::NoSlot)?;
            if word == twin {
                continue;
            }
            if twin.wrapping_sub(word) == distance && within.contains(&word) {
                addresses.push(index);
            } else if (word, twin) == (one.allocator, other.allocator) {
                owners.push(index);
            } else {
                return Err(ImageError::Different { at: place * WORD, one: word, other: twin });
            }
        }
        Ok(Self {
            words: one.words.to_vec(),
            start,
            addresses,
            owners,
            raw: raw - start,
            main: main - start,
            used,
            coroutine_size,
            shape: one.shape,
            error_function,
        })
    }

    /// Gets the memory for a copy; none where there is no place for it, or where the computer may have less.
    pub fn room(&self, memory_limit: usize) -> Option<Slot> {
        (self.used < memory_limit / LEAST_OF_LIMIT)
            .then(|| Slot::new((self.words.len() * WORD).next_multiple_of(PAGE), true))?
    }

    /// Makes a computer that goes on where those of the image stopped.
    pub fn copy_to(&self, slot: Slot, context: Context, memory_limit: usize) -> State {
        assert!(slot.size() >= self.words.len() * WORD, "`room` has given a slot that is large enough");
        let start = slot.start();
        let distance = (start as usize).wrapping_sub(self.start);
        context.set_error_function(self.error_function);
        // SAFETY: the slot is ours alone and has room for all words; every index is below their number.
        unsafe {
            let words = start.cast::<usize>();
            std::ptr::copy_nonoverlapping(self.words.as_ptr(), words, self.words.len());
            for &index in &self.addresses {
                let word = words.add(index as usize);
                word.write(word.read().wrapping_add(distance));
            }
        }
        let context = Box::new(context);
        let arena = Arena::around(slot, &self.shape);
        let mut allocator = Allocator::with(arena, self.used, memory_limit, self.coroutine_size);
        allocator.set_context(&raw const *context);
        for &index in &self.owners {
            // SAFETY: as above; Lua keeps there what it passes to its allocator.
            unsafe { start.cast::<usize>().add(index as usize).write(&raw mut *allocator as usize) };
        }
        // SAFETY: both lie in the slot.
        let (raw, main) = unsafe { (start.add(self.raw).cast(), start.add(self.main).cast()) };
        State { raw, main, context, allocator }
    }
}
