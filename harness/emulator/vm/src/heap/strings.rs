//! Texts, each kept once: equal texts have equal handles.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::Arena;
use super::small::Bytes;
use crate::value::StringId;

const FIRST_BUCKETS: usize = 256;
/// No further text in a bucket.
const LAST: u32 = u32::MAX;

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Text {
    pub bytes: Bytes,
    hash: u32,
    /// The next text in the same bucket.
    next: u32,
}

/// All texts of a state.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Strings {
    arena: Arena<Text>,
    buckets: Vec<u32>,
    count: usize,
}

/// A hash of the bytes alone, the same in every process.
pub fn hash(bytes: &[u8]) -> u32 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut state: u64 = (bytes.len() as u64).wrapping_mul(FACTOR) ^ 0x51_7c_c1_b7;
    let (words, rest) = bytes.as_chunks::<8>();
    for word in words {
        state = mix(state ^ u64::from_le_bytes(*word), FACTOR);
    }
    if !rest.is_empty() {
        let mut word = [0; 8];
        word[..rest.len()].copy_from_slice(rest);
        state = mix(state ^ u64::from_le_bytes(word), FACTOR);
    }
    let folded = state ^ (state >> 32);
    #[expect(clippy::cast_possible_truncation, reason = "the low half of the folded state is the hash")]
    let hash = folded as u32;
    hash
}

#[inline]
fn mix(value: u64, factor: u64) -> u64 {
    let product = u128::from(value) * u128::from(factor);
    #[expect(clippy::cast_possible_truncation, reason = "both halves of the product are folded")]
    let (low, high) = (product as u64, (product >> 64) as u64);
    low ^ high
}

impl Strings {
    /// The text with these bytes, or how many others were passed where there is none.
    #[inline]
    pub fn find(&mut self, bytes: &[u8], hash: u32) -> Result<StringId, usize> {
        let found = self.look(bytes, hash);
        if let Ok(id) = found {
            self.arena.revive(id.index);
        }
        found
    }

    /// The same for a part of another text; with its hash.
    pub fn find_part(&mut self, text: StringId, range: Range<usize>) -> (Result<StringId, usize>, u32) {
        let bytes = &self.bytes(text)[range];
        let hash = hash(bytes);
        let found = self.look(bytes, hash);
        if let Ok(id) = found {
            self.arena.revive(id.index);
        }
        (found, hash)
    }

    #[inline]
    fn look(&self, bytes: &[u8], hash: u32) -> Result<StringId, usize> {
        if self.buckets.is_empty() {
            return Err(0);
        }
        let mut passed = 0;
        let mut index = self.buckets[hash as usize & (self.buckets.len() - 1)];
        while index != LAST {
            let text = self.arena.get(index);
            if text.hash == hash && *text.bytes == *bytes {
                return Ok(StringId { index, hash });
            }
            index = text.next;
            passed += 1;
        }
        Err(passed)
    }

    /// How many bytes the lists have to grow by for a new text, and how many one of that length takes.
    pub fn cost(&self, length: usize) -> (usize, usize) {
        let buckets = if self.count < self.buckets.len() {
            0
        } else {
            ((self.buckets.len() * 2).max(FIRST_BUCKETS) - self.buckets.len()) * size_of::<u32>()
        };
        (self.arena.growth() + buckets, Bytes::size(length))
    }

    /// Adds a text that is not there yet and whose cost has been charged.
    pub fn add(&mut self, bytes: Bytes, hash: u32) -> StringId {
        if self.count >= self.buckets.len() {
            self.grow();
        }
        let bucket = hash as usize & (self.buckets.len() - 1);
        let index = self.arena.insert(Text { bytes, hash, next: self.buckets[bucket] });
        self.buckets[bucket] = index;
        self.count += 1;
        StringId { index, hash }
    }

    fn grow(&mut self) {
        let size = (self.buckets.len() * 2).max(FIRST_BUCKETS);
        self.rebuild(size);
    }

    fn rebuild(&mut self, size: usize) {
        // The old ones go first: both together would be more than is counted.
        self.buckets = Vec::new();
        self.buckets = vec![LAST; size];
        let buckets = &mut self.buckets;
        self.arena.for_each_used(|index, text| {
            let bucket = text.hash as usize & (size - 1);
            text.next = buckets[bucket];
            buckets[bucket] = index;
        });
    }

    #[inline]
    pub fn bytes(&self, id: StringId) -> &[u8] {
        &self.arena.get(id.index).bytes
    }

    /// How many bytes lie in slots without a text.
    pub fn spare(&self) -> usize {
        self.arena.spare()
    }

    /// Makes room for as many texts again. The buckets are counted and stay as they are.
    pub fn double_room(&mut self) {
        self.arena.double_room();
    }

    /// Gives back the room that no text has used; tells how many bytes of that were counted.
    pub fn fit(&mut self) -> usize {
        self.arena.fit();
        let before = self.buckets.len();
        // There is a bucket for the next text too: otherwise they would have to grow for it.
        let size = (self.count + 1).next_power_of_two().max(FIRST_BUCKETS);
        if size < before {
            self.rebuild(size);
        }
        (before - self.buckets.len()) * size_of::<u32>()
    }

    /// How many bytes all texts take.
    pub fn measured(&self) -> usize {
        let texts: usize = self.arena.iter_used().map(|(_, text)| Bytes::size(text.bytes.len())).sum();
        texts + self.arena.bytes() + self.buckets.len() * size_of::<u32>()
    }

    pub fn reach(&mut self, id: StringId) {
        self.arena.reach(id.index);
    }

    pub fn begin_marking(&mut self) {
        self.arena.begin_marking();
    }

    pub fn begin_sweeping(&mut self) {
        self.arena.begin_sweeping();
    }

    pub fn abandon(&mut self) {
        self.arena.abandon();
    }

    /// Frees texts that nothing refers to, while there is work left; gives how many bytes went.
    pub fn sweep(&mut self, work: &mut usize) -> usize {
        let mut gone = 0;
        while let Some(index) = self.arena.next_dead(work) {
            self.unlink(index, work);
            gone += Bytes::size(self.arena.get(index).bytes.len());
            self.arena.release(index);
            self.count -= 1;
        }
        gone + self.arena.end_step()
    }

    pub fn is_swept(&self) -> bool {
        self.arena.is_swept()
    }

    /// Takes a text out of its bucket.
    fn unlink(&mut self, index: u32, work: &mut usize) {
        let (hash, next) = (self.arena.get(index).hash, self.arena.get(index).next);
        let bucket = hash as usize & (self.buckets.len() - 1);
        let mut at = self.buckets[bucket];
        if at == index {
            self.buckets[bucket] = next;
            return;
        }
        while at != LAST {
            *work = work.saturating_sub(1);
            let text = self.arena.quiet_mut(at);
            if text.next == index {
                text.next = next;
                return;
            }
            at = text.next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_were_passed_are_counted_where_one_is_added() {
        let mut strings = Strings::default();
        let in_one_bucket = |number: &u32| hash(&number.to_le_bytes()) as usize % FIRST_BUCKETS == 7;
        for (count, number) in (0..u32::MAX).filter(in_one_bucket).take(100).enumerate() {
            let bytes = number.to_le_bytes();
            assert_eq!(strings.find(&bytes, hash(&bytes)), Err(count));
            strings.add(Bytes::copy(&bytes), hash(&bytes));
            assert!(strings.find(&bytes, hash(&bytes)).is_ok());
        }
    }
}
