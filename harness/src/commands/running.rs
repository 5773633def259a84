//! The `up` that runs for a folder: it leaves a note in a temporary folder of its own, and `probe`, `exec` and `call` look
//! for one. The note goes away with the `up`, also when that is killed; one that stayed all the same is seen to be old.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use anyhow::Context as _;
use serde::{Deserialize, Serialize};

use crate::scratch::Scratch;

/// The note's name in the temporary folder.
const NOTE: &str = "up.json";

/// With these words the names of the harness's temporary folders begin.
const PREFIX: &str = "craftos-harness-";

/// What makes a folder a project: its folders below belong to it.
const MARKS: [&str; 3] = ["craftos-fixtures", "craftos.toml", ".git"];

/// A bridge on this machine says within this that it is there.
const HEALTH: Duration = Duration::from_secs(5);

/// What is known of a running `up`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Running {
    pub process: u32,
    /// The project that it was started in.
    pub project: PathBuf,
    pub mcp_url: String,
    pub mcp_token: Option<String>,
}

impl Running {
    /// This process, for the project around the current folder.
    pub fn here(mcp_url: &str, mcp_token: Option<&str>) -> anyhow::Result<Self> {
        Ok(Self {
            process: std::process::id(),
            project: project()?,
            mcp_url: mcp_url.to_owned(),
            mcp_token: mcp_token.map(ToOwned::to_owned),
        })
    }

    /// Leaves the note; it is there as long as what this returns. Only this user can read it: it may hold a token.
    pub fn announce(&self) -> anyhow::Result<Scratch> {
        let folder = Scratch::new("the note of `up`").context("failed to make a temporary folder")?;
        let (note, partial) = (folder.path().join(NOTE), folder.path().join("partial"));
        let text = serde_json::to_string(self).context("failed to write the note of `up`")?;
        std::fs::write(&partial, text)
            .and_then(|()| std::fs::rename(&partial, &note))
            .with_context(|| format!("failed to write `{}`", note.display()))?;
        Ok(folder)
    }

    /// The newest `up` that runs for the project around the current folder.
    pub async fn find() -> Option<Self> {
        let project = project().ok()?;
        let mut notes = notes();
        notes.sort_by_key(|(written, _)| std::cmp::Reverse(*written));
        for (_, running) in notes {
            if running.project == project && running.is_alive().await {
                return Some(running);
            }
        }
        None
    }

    /// Whether its process is there, and its bridge answers.
    async fn is_alive(&self) -> bool {
        if !is_process(self.process) {
            return false;
        }
        let Some(base) = self.mcp_url.strip_suffix("/mcp") else { return false };
        mcp_host::http::answers(&format!("{base}/health"), HEALTH).await
    }
}

/// The project around the current folder; without one the folder itself.
fn project() -> anyhow::Result<PathBuf> {
    let here = std::env::current_dir().context("failed to find the current folder")?;
    let here = here.canonicalize().unwrap_or(here);
    let is_project = |folder: &&Path| MARKS.iter().any(|mark| folder.join(mark).exists());
    Ok(here.ancestors().find(is_project).unwrap_or(&here).to_owned())
}

/// The notes in the temporary folders of this user, each with the time at which it was written.
fn notes() -> Vec<(SystemTime, Running)> {
    let Ok(folders) = std::fs::read_dir(std::env::temp_dir()) else { return Vec::new() };
    let ours = folders
        .flatten()
        .filter(|folder| folder.file_name().to_string_lossy().starts_with(PREFIX))
        .map(|folder| folder.path())
        .filter(|folder| is_ours(folder));
    let note = |folder: PathBuf| {
        let note = folder.join(NOTE);
        let running = serde_json::from_slice(&std::fs::read(&note).ok()?).ok()?;
        Some((note.metadata().ok()?.modified().ok()?, running))
    };
    ours.filter_map(note).collect()
}

/// Whether a folder is this user's and nobody else's: what another user leaves in a shared folder is not followed.
#[cfg(unix)]
fn is_ours(folder: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let own = rustix::process::getuid().as_raw();
    folder
        .symlink_metadata()
        .is_ok_and(|about| about.is_dir() && about.uid() == own && about.mode().trailing_zeros() >= 6)
}

/// The temporary folder of a user of Windows is that user's own.
#[cfg(not(unix))]
fn is_ours(folder: &Path) -> bool {
    folder.is_dir()
}

#[cfg(unix)]
fn is_process(id: u32) -> bool {
    let id = i32::try_from(id).ok().and_then(rustix::process::Pid::from_raw);
    id.is_some_and(|id| rustix::process::test_kill_process(id).is_ok())
}

/// There the bridge's answer has to do.
#[cfg(not(unix))]
fn is_process(_: u32) -> bool {
    true
}
