//! `mcp-bridge check-link` on both sides of this project, and on ten that are wrong in one way each.

mod bridges;
mod computers;
mod proxy;
