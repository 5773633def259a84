//! Counters of lines: how often each was run. Off unless a host asks for them; they are the host's memory, not the
//! program's.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::State;
use crate::compile::Proto;

/// A function's code is counted under no number.
pub const NOT_COUNTED: u32 = u32::MAX;

/// How many instructions are counted at most: 64 MiB of counters. A program that loads texts for ever would take all of the
/// host's memory, and what people write themselves is far smaller.
const MOST_COUNTED: usize = 16 * 1024 * 1024;

/// How often each instruction of a function was run.
#[derive(Debug, Clone)]
struct Counted {
    proto: Arc<Proto>,
    hits: Box<[u32]>,
}

/// The counters of all functions that a state has loaded. They stay when a function is collected.
#[derive(Debug, Clone, Default)]
pub struct Coverage {
    functions: Vec<Counted>,
    /// The number of each function, by where its code lies: the code is kept, so that nothing else lies there.
    numbers: HashMap<usize, u32>,
    /// How many instructions they have together.
    counted: usize,
}

impl Coverage {
    /// The number under which a function is counted. Only files are: a text that a program has made has no lines that
    /// anybody looks at, and a program may make any number of them.
    pub fn number(&mut self, proto: &Arc<Proto>) -> u32 {
        if !proto.name.source.starts_with(b"@") {
            return NOT_COUNTED;
        }
        let place = Arc::as_ptr(proto) as usize;
        if let Some(number) = self.numbers.get(&place) {
            return *number;
        }
        if self.counted + proto.code().len() > MOST_COUNTED {
            return NOT_COUNTED;
        }
        self.counted += proto.code().len();
        let number = u32::try_from(self.functions.len()).unwrap_or(NOT_COUNTED);
        let hits = vec![0; proto.code().len()].into();
        self.functions.push(Counted { proto: proto.clone(), hits });
        self.numbers.insert(place, number);
        number
    }

    /// The counters of a function's instructions.
    #[inline]
    pub fn hits(&mut self, number: u32) -> &mut [u32] {
        self.functions.get_mut(number as usize).map_or(&mut [], |function| &mut function.hits)
    }
}

impl State {
    /// Begins or ends counting lines of files: chunks whose name begins with `@`. It costs a few percent of the time. Ending
    /// forgets the counters.
    pub fn count_lines(&mut self, on: bool) {
        if !on {
            self.coverage = None;
            return;
        }
        if self.coverage.is_some() {
            return;
        }
        let mut coverage = Coverage::default();
        self.loaded.for_each_used(|_, loaded| {
            if let Some(proto) = &loaded.proto {
                let number = coverage.number(proto);
                if let Some(own) = &mut loaded.own {
                    own.counter = number;
                }
            }
        });
        self.coverage = Some(Box::new(coverage));
    }

    /// How often each line was run, by the name that its chunk was loaded with. A line that could run and did not is
    /// there with zero, in functions too that were never made.
    pub fn line_counts(&self) -> BTreeMap<Arc<[u8]>, BTreeMap<u32, u32>> {
        let mut chunks: BTreeMap<Arc<[u8]>, BTreeMap<u32, u32>> = BTreeMap::new();
        let functions = self.coverage.iter().flat_map(|coverage| &coverage.functions);
        for Counted { proto, hits } in functions {
            let lines = chunks.entry(proto.name.source.clone()).or_default();
            for line in proto.executable_lines() {
                lines.entry(line).or_default();
            }
            for (line, hits) in proto.lines().iter().zip(hits) {
                // The end of a function is a line of its own only where it says so.
                if let Some(most) = lines.get_mut(line) {
                    *most = (*most).max(*hits);
                }
            }
        }
        chunks
    }
}
