//! The declared tools that are served now. A call goes on with the version that it began with.

use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::RwLock;
use thiserror::Error;
use tokio::sync::watch;

use super::catalog::Catalog;

/// Why the tools cannot be served at all.
#[derive(Debug, Error)]
pub enum ToolboxError {
    #[error(
        "there is no folder `{0}` for tools\nhint: `--tools` and `CC_TOOLS` name folders with an `_index.yaml`"
    )]
    NoFolder(PathBuf),
}

/// The tools of some folders, and word of every change.
#[derive(Debug)]
pub struct Toolbox {
    folders: Vec<PathBuf>,
    current: RwLock<Arc<Catalog>>,
    changes: watch::Sender<u64>,
}

impl Toolbox {
    /// Reads the tools of these folders. Whatever is wrong with a tool is logged, and the others are served.
    pub fn open(folders: Vec<PathBuf>) -> Result<Arc<Self>, ToolboxError> {
        if let Some(missing) = folders.iter().find(|folder| !folder.is_dir()) {
            return Err(ToolboxError::NoFolder(missing.clone()));
        }
        let catalog = Catalog::load(&folders);
        if !folders.is_empty() {
            report(&catalog);
        }
        let current = RwLock::new(Arc::new(catalog));
        Ok(Arc::new(Self { folders, current, changes: watch::Sender::new(0) }))
    }

    pub fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    /// Whether there can be declared tools at all.
    pub fn is_used(&self) -> bool {
        !self.folders.is_empty()
    }

    /// The tools that are served now.
    pub fn current(&self) -> Arc<Catalog> {
        self.current.read().clone()
    }

    /// Wakes after each change from now on.
    pub fn watch(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Reads everything anew, and serves nothing of it yet.
    pub fn read(&self) -> Catalog {
        Catalog::load(&self.folders)
    }

    /// Serves these tools from now on. Who listens hears of a change; what is wrong is logged.
    pub fn serve(&self, fresh: Catalog) {
        let (fresh, old) = (Arc::new(fresh), self.current());
        let (same_tools, same_findings) = (fresh.is_like(&old), fresh.findings == old.findings);
        if !same_findings || !same_tools {
            report(&fresh);
        }
        *self.current.write() = fresh;
        if !same_tools {
            self.changes.send_modify(|version| *version += 1);
        }
    }
}

fn report(catalog: &Catalog) {
    for finding in &catalog.findings {
        tracing::error!("{finding}");
    }
    let (tools, findings) = (catalog.tools().len(), catalog.findings.len());
    tracing::info!(tools, findings, "tools declared in Lua");
}
