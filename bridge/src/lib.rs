//! The MCP bridge: an MCP server on one side, the link listener for ComputerCraft computers on the other.
