//! Computers on every emulator that is there, and emulators that misbehave.

mod commands;
mod context;
mod ending;
mod given;
mod identity;
#[cfg(unix)]
mod misbehaving;
mod together;
