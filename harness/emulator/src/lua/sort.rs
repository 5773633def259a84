//! `table.sort` of plain lists: of numbers only, or of texts only. It can be stopped, which Lua's own cannot, and no list is
//! arranged so that it takes the square of its length.
#![expect(unsafe_code, reason = "it reads and writes a table on Lua's stack")]

use std::ffi::c_int;

use mlua_sys as ffi;

use super::Watchdog;
use super::convert::string_at;
use super::trampoline::context_of;

/// Runs of this length are sorted by insertion before they are merged.
const RUN: usize = 8;

/// What became of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sorted {
    Done,
    /// The computer's time was up; the list is as it was.
    Stopped,
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
                numbers.sort_unstable_by(f64::total_cmp);
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
    let length = texts.len();
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
    let mut merged = Vec::with_capacity(length);
    let mut run = RUN;
    while run < length {
        for start in (0..length).step_by(2 * run) {
            let (middle, end) = ((start + run).min(length), (start + 2 * run).min(length));
            let (mut left, mut right) = (start, middle);
            while left < middle && right < end {
                if watchdog.rang() {
                    return false;
                }
                let from = if less(&texts[right], &texts[left]) { &mut right } else { &mut left };
                merged.push(texts[*from]);
                *from += 1;
            }
            merged.extend_from_slice(&texts[left..middle]);
            merged.extend_from_slice(&texts[right..end]);
        }
        std::mem::swap(texts, &mut merged);
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
