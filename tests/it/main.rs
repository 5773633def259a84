//! End-to-end tests, one module for each topic.

mod context;
mod leftovers;
mod program;
mod report;
mod scenarios;
mod snapshots;
