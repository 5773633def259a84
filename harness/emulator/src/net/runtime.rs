//! The thread that all sockets of the process live on.

use std::future::Future;
use std::sync::LazyLock;
use std::thread;

use tokio::runtime::{Builder, Handle};
use tokio::task::JoinHandle;

static HANDLE: LazyLock<Handle> = LazyLock::new(|| {
    let runtime = Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime needs only a few descriptors");
    let handle = runtime.handle().clone();
    thread::Builder::new()
        .name("network".to_owned())
        .spawn(move || runtime.block_on(std::future::pending::<()>()))
        .expect("one more thread can be started");
    handle
});

/// Runs a task on the network's thread, which starts with the first one.
pub fn spawn<F>(task: F) -> JoinHandle<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send,
{
    HANDLE.spawn(task)
}
