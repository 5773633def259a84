//! Compares the Lua machine with other machines: the same made-up programs and library calls, the same results.
//!
//! - [`run`]: batches, comparison, verdict. Start here.
//! - [`calls`] and [`programs`]: what is made up, from [`random`] numbers and the [`values`] that both use.
//! - [`batch`]: many cases in one Lua file that writes a line for each.
//! - [`machines`]: runs a batch on our machine, on `lua5.2`, on CraftOS-PC.
//! - [`meant`]: the differences that are meant.

pub mod batch;
pub mod calls;
pub mod machines;
pub mod meant;
pub mod programs;
pub mod random;
pub mod run;
pub mod values;
