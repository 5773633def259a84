//! Lists of computers on the command line: `7`, `0-999`, `1,5,7-9`.

use std::collections::BTreeSet;
use std::str::FromStr;

use thiserror::Error;

/// More computers than a machine has memory for.
const MOST: usize = 100_000;

/// A list that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum IdsError {
    #[error(
        "`{0}` is not a computer's id\nhint: ids are whole numbers from 0, ranges such as `0-999`, or lists such as `1,5,7-9`"
    )]
    NotANumber(String),
    #[error("the range `{0}` ends before it begins")]
    Backwards(String),
    #[error("more than {MOST} computers")]
    TooMany,
}

/// Ids in ascending order, each once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ids(BTreeSet<u32>);

impl Ids {
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.iter().copied()
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromStr for Ids {
    type Err = IdsError;

    fn from_str(text: &str) -> Result<Self, IdsError> {
        let number =
            |text: &str| text.trim().parse::<u32>().map_err(|_| IdsError::NotANumber(text.to_owned()));
        let mut ids = BTreeSet::new();
        for part in text.split(',') {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let (first, last) = (number(first)?, number(last)?);
            if last < first {
                return Err(IdsError::Backwards(part.to_owned()));
            }
            if (last - first) as usize >= MOST || ids.len() + (last - first) as usize >= MOST {
                return Err(IdsError::TooMany);
            }
            ids.extend(first..=last);
        }
        Ok(Self(ids))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_ranges_and_lists_are_read() {
        let ids = |text: &str| text.parse::<Ids>().map(|ids| ids.iter().collect::<Vec<_>>());
        assert_eq!(ids("7"), Ok(vec![7]));
        assert_eq!(ids("3,1-2,2"), Ok(vec![1, 2, 3]));
        assert_eq!(ids("0-999").map(|ids| ids.len()), Ok(1000));
        assert_eq!(ids("5-1"), Err(IdsError::Backwards("5-1".to_owned())));
        assert_eq!(ids("0-4294967295"), Err(IdsError::TooMany));
        for wrong in ["", "abc", "-1", "1,", "1.5"] {
            assert!(matches!(ids(wrong), Err(IdsError::NotANumber(_))), "{wrong}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "[0-9,\\- a]{0,16}") {
            let _ = text.parse::<Ids>();
        }
    }
}
