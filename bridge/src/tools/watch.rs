//! Edits are served: the folders are watched, and read anew when they have been quiet for a moment.

use std::sync::Arc;
use std::time::Duration;

use notify::{Event, EventKind, RecursiveMode, Watcher};
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

use super::catalog::Catalog;
use super::toolbox::Toolbox;

/// How long it must be quiet: an editor that saves touches a file several times, a checkout many files.
const QUIET: Duration = Duration::from_millis(100);

/// After this long they are read although it is not quiet: an edit is promised to be live in a second.
const LONGEST: Duration = Duration::from_millis(500);

/// Watches until the shutdown token fires. Where the machine cannot watch, the tools stay as they were read.
pub async fn watch(toolbox: Arc<Toolbox>, shutdown: CancellationToken) {
    // One word waits at most: what matters is that something happened.
    let (sender, mut events) = mpsc::channel(1);
    let watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
        if event.map_or(true, |event| matters(&event)) {
            let _ = sender.try_send(());
        }
    });
    let started = watcher.and_then(|mut watcher| {
        for folder in toolbox.folders() {
            watcher.watch(folder, RecursiveMode::Recursive)?;
        }
        Ok(watcher)
    });
    let mut watcher = match started {
        Ok(watcher) => watcher,
        Err(error) => {
            tracing::warn!("the tools' folders cannot be watched: {error}; restart the bridge after an edit");
            return;
        }
    };
    // What was edited between the first reading and now has made no event.
    reload(&toolbox).await;
    loop {
        tokio::select! {
            () = shutdown.cancelled() => return,
            event = events.recv() => if event.is_none() { return },
        }
        let longest = Instant::now() + LONGEST;
        while let Ok(Some(())) = timeout_at(longest.min(Instant::now() + QUIET), events.recv()).await {}
        // A folder that was replaced is another one to the machine, which has stopped watching it.
        for folder in toolbox.folders() {
            let _ = watcher.unwatch(folder);
            while let Err(error) = watcher.watch(folder, RecursiveMode::Recursive) {
                tracing::debug!("`{}` cannot be watched now: {error}", folder.display());
                reload(&toolbox).await;
                tokio::select! {
                    () = shutdown.cancelled() => return,
                    () = tokio::time::sleep(LONGEST) => {}
                }
            }
        }
        reload(&toolbox).await;
    }
}

/// Reading is no event: the bridge itself reads.
fn matters(event: &Event) -> bool {
    !matches!(event.kind, EventKind::Access(_))
}

/// Reads the folders and serves what is there. A file that is just being saved is empty for a moment: what looks worse
/// than before is looked at twice, so that no call meets a tool that is gone for a moment only.
async fn reload(toolbox: &Arc<Toolbox>) {
    let mut fresh = read(toolbox).await;
    if fresh.as_ref().is_some_and(|fresh| fresh.is_worse_than(&toolbox.current())) {
        tokio::time::sleep(QUIET).await;
        fresh = read(toolbox).await;
    }
    if let Some(fresh) = fresh {
        toolbox.serve(fresh);
    }
}

/// Reads off the runtime's thread, which has calls to serve meanwhile; nothing when the program is ending.
async fn read(toolbox: &Arc<Toolbox>) -> Option<Catalog> {
    let toolbox = toolbox.clone();
    tokio::task::spawn_blocking(move || toolbox.read()).await.ok()
}
