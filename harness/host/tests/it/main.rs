//! The host with real children and real sockets, one module for each topic.

mod configuration;
mod local;
mod recording;
mod remote;
mod shutdown;
mod support;
