//! What a run leaves: results as data, lines and summaries for people, and pages that show what happened.
//!
//! In reading order: [`results`] is what all others are made from; [`files`] lays out the report's folder; [`page`] and
//! [`index`] are its pages, [`specs`] and [`coverage`] those of a run of specs; [`merge()`] joins the results of shards; [`live`], [`summary`] and [`junit`] tell people and
//! programs.

pub mod coverage;
mod describe;
mod diagram;
mod failure;
pub mod files;
mod fold;
mod html;
pub mod index;
pub mod junit;
mod lanes;
pub mod live;
mod machine;
pub mod merge;
pub mod page;
pub mod results;
pub mod specs;
pub mod summary;
mod text;
pub mod trace;

pub use machine::Machine;
pub use merge::{MergeError, merge};
pub use results::{Entry, Results, Run, Shard};
