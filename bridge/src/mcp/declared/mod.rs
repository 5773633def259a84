//! A call of a tool that is declared in Lua, from its arguments to its result.
//!
//! - [`mod@call`]: the whole of it; [`target`]: which computer.
//! - [`ask`]: what a tool asks the client.
//! - [`result`]: what a tool returned.

pub mod ask;
pub mod call;
pub mod result;
pub mod target;

pub use call::call;
