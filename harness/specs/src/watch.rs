//! Edits of a project, for a person who runs its specs again and again.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use craftos_computers::computer::is_left_out;
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout_at};

/// How long it must be quiet: an editor that saves touches a file several times.
const QUIET: Duration = Duration::from_millis(50);

/// After this long the specs run although it is not quiet: the result is promised within a second.
const LONGEST: Duration = Duration::from_millis(300);

/// Watches a project's folder for as long as it lives.
#[derive(Debug)]
pub struct Edits {
    root: PathBuf,
    events: mpsc::UnboundedReceiver<Event>,
    _watcher: RecommendedWatcher,
}

impl Edits {
    /// Begins to watch.
    pub fn of(root: &Path) -> notify::Result<Self> {
        let (sender, events) = mpsc::unbounded_channel();
        let mut watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
            if let Ok(event) = event
                && !matches!(event.kind, EventKind::Access(_))
            {
                let _ = sender.send(event);
            }
        })?;
        let root = root.canonicalize().map_err(notify::Error::io)?;
        watcher.watch(&root, RecursiveMode::Recursive)?;
        Ok(Self { root, events, _watcher: watcher })
    }

    /// Waits for the next edits; gives the files, below the project's folder. Nothing when nothing more will come.
    pub async fn next(&mut self) -> Option<BTreeSet<PathBuf>> {
        let mut edited = BTreeSet::new();
        while edited.is_empty() {
            let event = self.events.recv().await?;
            edited.extend(self.files(&event));
        }
        let longest = Instant::now() + LONGEST;
        while let Ok(Some(event)) = timeout_at(longest.min(Instant::now() + QUIET), self.events.recv()).await
        {
            edited.extend(self.files(&event));
        }
        Some(edited)
    }

    fn files(&self, event: &Event) -> Vec<PathBuf> {
        let below = event.paths.iter().filter_map(|path| path.strip_prefix(&self.root).ok());
        let is_source = |path: &&Path| {
            !path.iter().any(|part| is_left_out(&part.to_string_lossy())) && !path.as_os_str().is_empty()
        };
        below.filter(is_source).map(Path::to_owned).collect()
    }
}

/// The spec files that edits touch: those that were edited, where nothing else was; otherwise all, for any of them may
/// load what was edited.
pub fn touched(all: &[PathBuf], edited: &BTreeSet<PathBuf>) -> Vec<PathBuf> {
    let specs: Vec<PathBuf> = all.iter().filter(|file| edited.contains(*file)).cloned().collect();
    if specs.len() == edited.len() { specs } else { all.to_vec() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_edit_is_told_and_what_is_no_source_is_not() {
        let folder = tempfile::tempdir().expect("a folder");
        for path in ["src", "target", ".git"] {
            std::fs::create_dir(folder.path().join(path)).expect("the folder is ours");
        }
        let mut edits = Edits::of(folder.path()).expect("it can be watched");
        for path in ["target/out", ".git/index", "src/a.lua"] {
            std::fs::write(folder.path().join(path), "x").expect("the folder is ours");
        }
        assert_eq!(edits.next().await, Some(BTreeSet::from([PathBuf::from("src/a.lua")])));
    }

    #[test]
    fn an_edited_spec_runs_alone_and_another_file_runs_all() {
        let all = [PathBuf::from("spec/a_spec.lua"), PathBuf::from("spec/b_spec.lua")];
        let edited = |paths: &[&str]| paths.iter().map(PathBuf::from).collect::<BTreeSet<_>>();
        assert_eq!(touched(&all, &edited(&["spec/b_spec.lua"])), [PathBuf::from("spec/b_spec.lua")]);
        assert_eq!(touched(&all, &edited(&["spec/b_spec.lua", "src/a.lua"])), all);
        assert_eq!(touched(&all, &edited(&["src/a.lua"])), all);
    }
}
