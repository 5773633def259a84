//! One connection to one server: how it is opened in either era, what is asked on it, how its end is told.
//!
//! - [`era`]: the two ways to speak.
//! - [`mod@open`]: from a configuration to a connection.
//! - [`connection`]: tools, calls and signs of life.
//! - [`handler`]: what servers tell by themselves.
//! - [`heard`]: every message, for those who record them.
//! - [`error`]: what goes wrong, with the last words of the server.

pub mod connection;
pub mod era;
pub mod error;
pub mod handler;
pub mod heard;
pub mod open;

pub use connection::{Called, Connection};
pub use era::{Era, Protocol};
pub use error::{CallError, Ending, StartError};
pub use heard::{Meddler, Recorder, Way};
pub use open::{Opened, connect, open};
