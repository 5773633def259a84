//! The figures that the bridge promises or rests on, each with its reason. Nothing here is configurable.

use std::time::Duration;

/// The largest WebSocket message in either direction: the game and CraftOS-PC refuse more.
pub const FRAME_BYTES: usize = 128 * 1024;

/// The largest chunk of Lua that a client may send; larger programs belong in a file.
pub const CODE_BYTES: usize = 1024 * 1024;

/// The largest whole result that is put together from parts.
pub const RESULT_BYTES: usize = 8 * 1024 * 1024;

/// How many parts one result may come in: 8 MiB in slices of 4 KiB, and a flood of empty ones is not endless.
pub const RESULT_PARTS: u64 = 2048;

/// What all half-received results of all computers may hold together, so that many large ones at once cannot
/// exhaust the machine.
pub const PARTS_BYTES: usize = 256 * 1024 * 1024;

/// Requests that may wait at one computer: four times what `mcp-computer` runs at once.
pub const WAITING_REQUESTS: usize = 64;

/// Bytes that may be queued for one computer that reads slowly, unless one request alone has more: some of the largest
/// chunks of ordinary code.
pub const OUTBOX_BYTES: usize = 4 * 1024 * 1024;

/// Characters of a label that are kept; the game's own limit is 32.
pub const LABEL_CHARS: usize = 64;

/// Characters of an error that a line shows: enough for a Lua error with its position.
pub const ERROR_CHARS: usize = 256;

/// Levels of lists and objects in the arguments of a tool: a frame puts three around them, and a computer reads 64.
pub const ARGUMENT_LEVELS: usize = 60;

/// Questions of one call or job that may be open at once: as many as `mcp-computer` lets a tool ask without yielding.
pub const QUESTIONS: usize = 32;

/// What the open questions of one call or job may have together: one of the largest fits.
pub const QUESTIONS_BYTES: usize = FRAME_BYTES;

/// Capability names that are kept from a hello: five are defined, and room for what is to come.
pub const CAPABILITIES: usize = 16;

/// Computers that can be linked, on a machine with two cores that lets a process open files for them.
pub const COMPUTERS: usize = 15_000;

/// Link sockets at once, where the process may open so many files: twice the computers that are promised. With fewer
/// files there are as many as they allow.
pub const LINK_SOCKETS: usize = 32_768;

/// One address may have all link sockets but one in so many. A game server with thousands of computers is one address,
/// and so is a stranger: the rest is for the others.
pub const LINK_RESERVE: usize = 32;

/// Peers that are told at once that there is no room for them.
pub const REFUSALS: usize = 128;

/// HTTP connections at once: a client needs one or two.
pub const HTTP_CONNECTIONS: usize = 4096;

/// Sessions of the handshake era at once. The longest idle one makes room for a new one.
pub const SESSIONS: usize = 1024;

/// The largest body of an MCP request: the largest chunk of ordinary code, escaped, fits three times.
pub const BODY_BYTES: usize = 4 * 1024 * 1024;

/// What the bodies of all MCP requests that are being received may hold together: sixteen of the largest.
pub const BODIES_BYTES: usize = 64 * 1024 * 1024;

/// What the answers that clients have not read yet may hold together: five of the largest.
pub const ANSWERS_BYTES: usize = 256 * 1024 * 1024;

/// The longest timeout that a call may ask for: a day. More is a mistake in the unit.
pub const MAX_TIMEOUT_MS: u64 = 24 * 60 * 60 * 1000;

/// How long the whole program may take to end after a signal.
pub const SHUTDOWN: Duration = Duration::from_millis(1500);
