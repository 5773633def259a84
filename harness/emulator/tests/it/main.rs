//! Tests of the whole program and of the library, on the embedded ROM and on small ones of their own.

mod cli;
mod context;
mod files;
mod library;
mod limits;
mod modems;
mod network;
mod output;
mod seed;
