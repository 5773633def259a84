//! The program `mcp-bridge`.

fn main() {}
