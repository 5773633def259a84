//! The computers' side: sockets are accepted, upgraded, greeted and served here.
//!
//! - [`frame`]: what is said on a link; [`parts`]: what is too large for one frame; [`hello`]: who is there.
//! - [`note`]: what is said about a request before its answer; [`returned`]: what a chunk returned.
//! - [`upgrade`]: from a TCP socket to a WebSocket; [`installer`]: what a computer fetches before it has the program.
//! - [`life`]: one link from hello to close; [`listener`]: all of them.

pub mod frame;
pub mod hello;
pub mod installer;
pub mod life;
pub mod listener;
pub mod note;
pub mod parts;
pub mod returned;
pub mod upgrade;
