//! Says how much of our source runs alongside someone else's: a check that code was written anew, not followed.
//!
//! - [`tokens`]: source to tokens, with names, texts and numbers blanked.
//! - [`index`]: all runs of the other source.
//! - [`compare`]: what of a file stands in the index.
//! - [`tree`]: which files there are.
//! - [`report`]: the verdict, and how it is printed. Start here.

pub mod compare;
pub mod index;
pub mod report;
pub mod tokens;
pub mod tree;
