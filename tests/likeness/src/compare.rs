//! How much of one file stands in the other source.

use crate::index::{Index, Place, RUN};
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
    /// Tokens that stand in a run of [`RUN`] or more.
    pub alike: usize,
    /// The longest runs, the longest first, none inside another.
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

/// Compares one of our files with all of the other source.
pub fn compare(ours: &Source, index: &Index) -> Likeness {
    let mut alike = vec![false; ours.tokens.len()];
    let mut runs = Vec::new();
    for at in 0..ours.tokens.len() {
        let places = index.places(ours.language, &ours.tokens[at..]);
        if !places.is_empty() {
            alike[at..at + RUN].fill(true);
        }
        for place in places {
            let theirs = &index.files[place.file].tokens;
            // A run that began earlier was counted there.
            let began = at > 0 && place.token > 0 && ours.tokens[at - 1].kind == theirs[place.token - 1].kind;
            if !began {
                let length = common(&ours.tokens[at..], &theirs[place.token..]);
                runs.push(Shared { ours: at, theirs: *place, length });
            }
        }
    }
    runs.sort_by_key(|run| (std::cmp::Reverse(run.length), run.ours));
    let mut kept: Vec<Shared> = Vec::new();
    for run in runs {
        let inside =
            |other: &Shared| other.ours <= run.ours && run.ours + run.length <= other.ours + other.length;
        if !kept.iter().any(inside) {
            kept.push(run);
        }
    }
    let alike = alike.iter().filter(|alike| **alike).count();
    Likeness { tokens: ours.tokens.len(), alike, runs: kept }
}

fn common(ours: &[Token], theirs: &[Token]) -> usize {
    ours.iter().zip(theirs).take_while(|(one, other)| one.kind == other.kind).count()
}
