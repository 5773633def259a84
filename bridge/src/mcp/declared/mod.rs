//! A call of a tool that is declared in Lua, from its arguments to its result.
//!
//! - [`call`](fn@call): the whole of it; [`target`]: which computer; [`relay`]: what the client hears meanwhile.
//! - [`ask`]: what a tool asks the client; [`parked`]: calls that wait for what a client of the stateless era says.
//! - [`result`]: what a tool returned.

mod ask;
mod call;
pub mod parked;
mod relay;
mod result;
mod target;

pub use call::call;
