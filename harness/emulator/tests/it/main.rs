//! Tests of the whole program and of the library, on the embedded ROM and on small ones of their own.

mod attacks;
mod cli;
mod confinement;
mod context;
mod coverage;
mod devices;
#[cfg(feature = "tls")]
mod encryption;
mod faults;
mod files;
mod hostile;
mod json;
mod library;
mod limits;
mod many;
mod modems;
mod network;
mod output;
mod pool;
mod profile;
mod seed;
mod simulation;
mod stopping;
