//! The bridge over real sockets: computers and clients in Rust on one side each. One module per topic.

mod access;
mod cancel;
mod check_link;
mod desk;
mod eras;
mod exec;
mod hostile;
mod http;
mod inside;
mod jobs;
mod links;
mod load;
mod parts;
mod probe;
mod program;
mod progress;
mod properties;
mod resources;
#[cfg(unix)]
mod restarts;
mod support;
mod tasks;
mod tools;
mod tools_check;
mod tools_edits;
mod tools_input;
mod tools_talk;
mod vector;
