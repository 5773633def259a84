//! The host with real children and real sockets, one module for each topic.

mod configuration;
mod local;
mod remote;
mod shutdown;
mod support;
