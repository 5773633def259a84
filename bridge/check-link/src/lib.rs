//! `mcp-bridge check-link` is this: it plays one side of the link protocol against somebody's other side, and reports by requirement.
//!
//! - [`requirement`]: what docs/LINK-PROTOCOL.md demands of each side, by id; [`report`]: what was found.
//! - [`wire`]: one link, from either end, and what is odd on it; [`mcp`]: a client that makes a bridge send requests.
//! - [`of_bridge`]: plays a computer; [`of_computer`]: plays a bridge; [`command`]: the command line around both.
//!
//! It judges by what is on the wire alone, and knows nothing of the bridge beside it.

pub mod command;
pub mod mcp;
pub mod of_bridge;
pub mod of_computer;
pub mod report;
pub mod requirement;
pub mod wire;
