//! The Lua of ComputerCraft, in safe Rust.
//!
//! - [`text`]: what the machine does with numbers as text, formats, patterns, packed values and bytes.

#![forbid(unsafe_code)]

pub mod text;
