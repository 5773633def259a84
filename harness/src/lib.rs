//! The harness: boots emulators and a bridge, drives MCP, writes transcripts, compares them with snapshots.
//!
//! A map, in reading order; start with [`stage`], which everything else is built on.
//!
//! - [`emulators`], [`scratch`] and [`computer`]: what computers run on, temporary folders, and one computer with its
//!   folder and its process. They are a crate of their own, `craftos-computers`, which knows nothing of MCP.
//! - [`net`]: how the parts reach each other, over loopback or in memory.
//! - [`record`] and [`proxy`]: what went over the links, and who saw it.
//! - [`bridge`] and [`client`]: the bridge of a run, and the MCP client that drives it.
//! - [`servers`]: other MCP servers of a scenario.
//! - [`stage`]: all of these together; [`lab`]: the same in a sentence, for Rust programs.
//! - [`scenario`] and [`suite`]: files, steps, transcripts, snapshots; and many of them on many emulators.
//! - [`simulate`]: the same in virtual time, by seed; [`faults`]: what goes wrong on purpose, and what holds all the same.
//! - [`report`]: what a run leaves: results, pages, lines for people and programs.
//! - [`cli`], [`cli_kill`], [`cli_mcp`], [`config`], [`places`], [`commands`] and [`run`]: the program around it.
//!
//! It knows nothing of how a computer is emulated: that is `embedded-craftos`. Nor of other MCP servers: `mcp-host`.

#[macro_use]
mod told;

pub mod bridge;
pub mod cli;
mod cli_common;
pub mod cli_kill;
pub mod cli_mcp;
pub mod cli_test;
pub mod client;
pub mod commands;
pub mod config;
pub mod faults;
pub mod lab;
pub mod net;
pub mod places;
pub mod proxy;
pub mod record;
pub mod report;
pub mod run;
pub mod scenario;
pub mod servers;
pub mod simulate;
pub mod stage;
pub mod suite;

pub use craftos_computers::{computer, emulators, scratch};
pub use lab::{Lab, LabError, RunningLab};
