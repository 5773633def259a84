//! Every run of [`RUN`] tokens of the other source, found by its content.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::tokens::{Language, Token};
use crate::tree::Source;

/// Shorter runs stand in any two programs of one language.
pub const RUN: usize = 24;

/// Places that are kept for one run. Long tables of numbers repeat one run at each of their entries; this many are enough
/// to find the longest run, and bound the work.
const PLACES: usize = 32;

/// A place in the other source: the number of its file, and of its token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub file: usize,
    pub token: usize,
}

type Key = (Language, [u32; RUN]);

/// The other source.
#[derive(Debug, Default)]
pub struct Index {
    pub files: Vec<Source>,
    places: HashMap<Key, Vec<Place>>,
}

impl Index {
    pub fn new(files: Vec<Source>) -> Self {
        let mut places: HashMap<Key, Vec<Place>> = HashMap::new();
        for (file, source) in files.iter().enumerate() {
            for (token, run) in source.tokens.windows(RUN).enumerate() {
                match places.entry((source.language, key(run))) {
                    Entry::Vacant(entry) => {
                        entry.insert(vec![Place { file, token }]);
                    }
                    Entry::Occupied(mut entry) if entry.get().len() < PLACES => {
                        entry.get_mut().push(Place { file, token });
                    }
                    Entry::Occupied(_) => {}
                }
            }
        }
        Self { files, places }
    }

    /// Where the run at the start of `tokens` stands in the other source.
    pub fn places(&self, language: Language, tokens: &[Token]) -> &[Place] {
        let run = tokens.get(..RUN).map(|run| (language, key(run)));
        run.and_then(|run| self.places.get(&run)).map_or(&[], Vec::as_slice)
    }
}

fn key(run: &[Token]) -> [u32; RUN] {
    std::array::from_fn(|at| run[at].kind)
}
