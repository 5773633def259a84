//! What the tests share: a bridge on free ports, computers in Rust, and an MCP client that sees every byte.
pub mod bridge;
pub mod client;
pub mod computer;
pub mod disk;
pub mod tools;

pub use bridge::TestBridge;
pub use client::{Client, Era};
pub use computer::FakeComputer;

use std::time::Duration;

/// Longer than anything here takes on a busy machine. Reaching it is a failure, never a pause.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Waits for a future, but not for ever.
pub async fn within<T>(what: &str, future: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, future).await.unwrap_or_else(|_| panic!("{what}: not within {PATIENCE:?}"))
}
