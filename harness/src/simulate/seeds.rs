//! Which seeds are played.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// Seeds from the first to the one before the end; without an end for as long as there is time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seeds {
    pub first: u64,
    pub end: Option<u64>,
}

/// What is no range of seeds.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("`{0}` is neither a number of seeds nor a range\nhint: `1000`, or `100..200`, which leaves out 200")]
pub struct SeedsError(String);

impl Seeds {
    /// One seed.
    pub fn one(seed: u64) -> Self {
        Self { first: seed, end: seed.checked_add(1) }
    }

    /// The seed at a place, from 0; none past the end. The last number of all is none: there is none after it.
    pub fn at(self, place: u64) -> Option<u64> {
        let seed = self.first.checked_add(place)?;
        (seed < self.end.unwrap_or(u64::MAX)).then_some(seed)
    }
}

impl FromStr for Seeds {
    type Err = SeedsError;

    fn from_str(text: &str) -> Result<Self, SeedsError> {
        let wrong = || SeedsError(text.to_owned());
        let number = |text: &str| text.parse::<u64>().map_err(|_| wrong());
        let (first, end) = match text.split_once("..") {
            Some((first, end)) => (number(first)?, number(end)?),
            None => (1, number(text)?.checked_add(1).ok_or_else(wrong)?),
        };
        if first < end { Ok(Self { first, end: Some(end) }) } else { Err(wrong()) }
    }
}

impl fmt::Display for Seeds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.end {
            Some(end) if end - self.first == 1 => write!(f, "seed {}", self.first),
            Some(end) => write!(f, "seeds {}..{end}", self.first),
            None => write!(f, "seeds from {}", self.first),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_how_many_and_a_range_is_which() {
        assert_eq!("1000".parse(), Ok(Seeds { first: 1, end: Some(1001) }));
        assert_eq!("100..200".parse(), Ok(Seeds { first: 100, end: Some(200) }));
        for wrong in ["0", "5..5", "9..3", "x", "..", "1..", "-1", "18446744073709551615"] {
            assert_eq!(wrong.parse::<Seeds>(), Err(SeedsError(wrong.to_owned())), "{wrong}");
        }
        let seeds: Seeds = "7..9".parse().expect("a range");
        assert_eq!([seeds.at(0), seeds.at(1), seeds.at(2)], [Some(7), Some(8), None]);
        assert_eq!(seeds.to_string(), "seeds 7..9");
        assert_eq!(Seeds::one(7).to_string(), "seed 7");
    }
}
