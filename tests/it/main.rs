//! End-to-end tests, one module for each topic.

mod context;
mod leftovers;
mod program;
mod scenarios;
mod snapshots;
mod tools;
