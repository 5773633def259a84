//! `table.sort` of plain lists: of numbers only, or of texts only. It can be stopped, which Lua's own cannot, and no list is
//! arranged so that it takes the square of its length.
#![expect(unsafe_code, reason = "it reads and writes a table on Lua's stack")]

use std::ffi::c_int;

use mlua_sys as ffi;

use super::Watchdog;
use super::convert::string_at;
use super::trampoline::{context_of, memory_left};

/// Runs of this length are sorted by insertion before they are merged: a text may be long, and the time is looked at
/// after each comparison.
const RUN: usize = 8;
/// Numbers are compared at once: runs of this length take some hundred microseconds.
const NUMBERS_RUN: usize = 4096;
/// What is sorted is a copy, and merging needs another.
const COPIES: usize = 2;

/// What became of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sorted {
    Done,
    /// The computer's time was up; the list is as it was.
    Stopped,
    /// There is no memory for the copy that is sorted; the list is as it was.
    NoRoom,
    /// It has numbers and texts in it, or what cannot be compared.
    Mixed,
    /// It has tables in it, or others whose order a program decides.
    Special,
}

/// What a list holds.
enum List<'a> {
    Numbers(Vec<f64>),
    /// Texts, and where each stood.
    Texts(Vec<(&'a [u8], usize)>),
}

/// Sorts the table in the first slot.
///
/// # Safety
/// Lua calls a C function whose first argument is a table.
pub unsafe fn sort(state: *mut ffi::lua_State) -> Sorted {
    // SAFETY: what is called here raises nothing: values are read and written in places that the table has, and one slot
    // of the stack is enough. The texts are held by the table, which no program changes meanwhile.
    unsafe {
        match collect(state) {
            Err(other) => other,
            Ok(List::Numbers(mut numbers)) => {
                let watchdog = &context_of(state).watchdog;
                for run in numbers.chunks_mut(NUMBERS_RUN) {
                    if watchdog.rang() {
                        return Sorted::Stopped;
                    }
                    run.sort_unstable_by(f64::total_cmp);
                }
                if !merge(&mut numbers, NUMBERS_RUN, watchdog, |left, right| left.total_cmp(right).is_lt()) {
                    return Sorted::Stopped;
                }
                for (index, number) in numbers.into_iter().enumerate() {
                    ffi::lua_pushnumber(state, number);
                    ffi::lua_rawseti_(state, 1, position(index));
                }
                Sorted::Done
            }
            Ok(List::Texts(mut texts)) => {
                if !merge_sort(&mut texts, &context_of(state).watchdog) {
                    return Sorted::Stopped;
                }
                rearrange(state, texts.into_iter().map(|(_, index)| index).collect());
                Sorted::Done
            }
        }
    }
}

fn position(index: usize) -> c_int {
    c_int::try_from(index + 1).expect("memory has room for fewer values")
}

unsafe fn collect<'a>(state: *mut ffi::lua_State) -> Result<List<'a>, Sorted> {
    // SAFETY: as for `sort`.
    unsafe {
        let length = ffi::lua_rawlen(state, 1);
        let needed = length.saturating_mul(COPIES * size_of::<(&[u8], usize)>());
        if memory_left(state, needed) < needed {
            return Err(Sorted::NoRoom);
        }
        let (mut numbers, mut texts) = (Vec::new(), Vec::new());
        let mut mixed = false;
        for index in 0..length {
            ffi::lua_rawgeti_(state, 1, position(index));
            let top = ffi::lua_gettop(state);
            match ffi::lua_type(state, top) {
                ffi::LUA_TNUMBER => numbers.push(ffi::lua_tonumberx(state, top, std::ptr::null_mut())),
                ffi::LUA_TSTRING => texts.push((string_at(state, top), index)),
                ffi::LUA_TTABLE | ffi::LUA_TUSERDATA => {
                    ffi::lua_settop(state, top - 1);
                    return Err(Sorted::Special);
                }
                _ => mixed = true,
            }
            ffi::lua_settop(state, top - 1);
        }
        if numbers.iter().any(|number| number.is_nan()) {
            mixed = true;
        }
        match (mixed, numbers.is_empty(), texts.is_empty()) {
            (false, _, true) => Ok(List::Numbers(numbers)),
            (false, true, _) => Ok(List::Texts(texts)),
            _ => Err(Sorted::Mixed),
        }
    }
}

/// Sorts texts by their bytes; false if it was stopped.
fn merge_sort<'a>(texts: &mut Vec<(&'a [u8], usize)>, watchdog: &Watchdog) -> bool {
    let less = |left: &(&'a [u8], usize), right: &(&'a [u8], usize)| {
        // Many are the very same, and may be long.
        !std::ptr::eq(left.0, right.0) && left.0 < right.0
    };
    for run in texts.chunks_mut(RUN) {
        for index in 1..run.len() {
            let mut at = index;
            while at > 0 && less(&run[at], &run[at - 1]) {
                if watchdog.rang() {
                    return false;
                }
                run.swap(at, at - 1);
                at -= 1;
            }
            if watchdog.rang() {
                return false;
            }
        }
    }
    merge(texts, RUN, watchdog, less)
}

/// Merges runs of that length that are sorted each; false if it was stopped.
fn merge<T: Copy>(
    items: &mut Vec<T>,
    mut run: usize,
    watchdog: &Watchdog,
    less: impl Fn(&T, &T) -> bool,
) -> bool {
    let length = items.len();
    let mut merged = Vec::with_capacity(length);
    while run < length {
        for start in (0..length).step_by(2 * run) {
            let (middle, end) = ((start + run).min(length), (start + 2 * run).min(length));
            let (mut left, mut right) = (start, middle);
            while left < middle && right < end {
                if watchdog.rang() {
                    return false;
                }
                let from = if less(&items[right], &items[left]) { &mut right } else { &mut left };
                merged.push(items[*from]);
                *from += 1;
            }
            merged.extend_from_slice(&items[left..middle]);
            merged.extend_from_slice(&items[right..end]);
        }
        std::mem::swap(items, &mut merged);
        merged.clear();
        run *= 2;
    }
    true
}

/// Puts each value where it belongs: `order` has, for each place, where its value stands now.
unsafe fn rearrange(state: *mut ffi::lua_State, mut order: Vec<usize>) {
    // SAFETY: as for `sort`; the value that waits for its place and another one need two slots.
    unsafe {
        for start in 0..order.len() {
            if order[start] == start {
                continue;
            }
            ffi::lua_rawgeti_(state, 1, position(start));
            let mut place = start;
            loop {
                let from = std::mem::replace(&mut order[place], place);
                if from == start {
                    ffi::lua_rawseti_(state, 1, position(place));
                    break;
                }
                ffi::lua_rawgeti_(state, 1, position(from));
                ffi::lua_rawseti_(state, 1, position(place));
                place = from;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn texts_are_sorted_by_their_bytes(texts: Vec<Vec<u8>>) {
            let watchdog = Watchdog::new(std::sync::Arc::default());
            let mut sorted: Vec<_> = texts.iter().enumerate().map(|(index, text)| (&text[..], index)).collect();
            proptest::prop_assert!(merge_sort(&mut sorted, &watchdog));
            let mut expected: Vec<&[u8]> = texts.iter().map(|text| &text[..]).collect();
            expected.sort_unstable();
            proptest::prop_assert_eq!(sorted.into_iter().map(|(text, _)| text).collect::<Vec<_>>(), expected);
        }
    }
}
