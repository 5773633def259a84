//! Somebody who changes frames on their way: what a wrong bridge or a wrong computer would have sent, for tests of tests.

use std::fmt;
use std::sync::Arc;

use super::Direction;

/// A frame on its way.
#[derive(Debug, Clone, Copy)]
pub struct Passing<'a> {
    pub computer: &'a str,
    /// The link of that computer, from 0.
    pub link: usize,
    pub direction: Direction,
    pub text: &'a str,
}

type Meddle = dyn Fn(Passing<'_>) -> Vec<(Direction, String)> + Send + Sync;

/// Gives the frames that go on in place of one.
#[derive(Clone)]
pub struct Meddler(Arc<Meddle>);

impl Meddler {
    pub fn new(meddle: impl Fn(Passing<'_>) -> Vec<(Direction, String)> + Send + Sync + 'static) -> Self {
        Self(Arc::new(meddle))
    }

    pub(super) fn meddle(&self, passing: Passing<'_>) -> Vec<(Direction, String)> {
        (self.0)(passing)
    }
}

impl fmt::Debug for Meddler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Meddler")
    }
}
