//! How much of one file stands in the other source.

use crate::index::{Index, Place};
use crate::tokens::Token;
use crate::tree::Source;

/// A run of our tokens that also stands in the other source.
#[derive(Clone, Copy, Debug)]
pub struct Shared {
    pub ours: usize,
    pub theirs: Place,
    pub length: usize,
}

/// What a file has in common with the other source.
#[derive(Clone, Debug)]
pub struct Likeness {
    pub tokens: usize,
    /// Tokens that stand in a run of [`RUN`](crate::index::RUN) or more.
    pub alike: usize,
    /// The runs, the longest first.
    pub runs: Vec<Shared>,
}

impl Likeness {
    /// The share of tokens that are alike, in percent.
    pub fn percent(&self) -> f64 {
        percent(self.alike, self.tokens)
    }

    pub fn longest(&self) -> usize {
        self.runs.first().map_or(0, |run| run.length)
    }
}

/// `part` of `whole` in percent, 0 of nothing.
#[expect(clippy::cast_precision_loss, reason = "counts of tokens are far below what a double holds exactly")]
pub fn percent(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 * 100.0 / whole as f64 }
}

/// Compares one of our files with all of the other source: from the start, the longest run at each place, and on behind it.
/// So a token counts once, and only in the company of [`RUN`](crate::index::RUN) others that follow the same place.
pub fn compare(ours: &Source, index: &Index) -> Likeness {
    let mut runs = Vec::new();
    let mut at = 0;
    while at < ours.tokens.len() {
        let rest = &ours.tokens[at..];
        let places = index.places(ours.language, rest).iter();
        let longest = places
            .map(|place| (common(rest, &index.files[place.file].tokens[place.token..]), *place))
            .max_by_key(|(length, _)| *length);
        at += match longest {
            Some((length, theirs)) => {
                runs.push(Shared { ours: at, theirs, length });
                length
            }
            None => 1,
        };
    }
    let alike = runs.iter().map(|run| run.length).sum();
    runs.sort_by_key(|run| std::cmp::Reverse(run.length));
    Likeness { tokens: ours.tokens.len(), alike, runs }
}

fn common(ours: &[Token], theirs: &[Token]) -> usize {
    ours.iter().zip(theirs).take_while(|(one, other)| one.kind == other.kind).count()
}
