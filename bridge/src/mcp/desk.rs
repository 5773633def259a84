//! Several agents at one desk: each starts `mcp-bridge --stdio`, and only one can have the link port. The first one lets
//! the others in through a loopback socket, whose address and key are in a file that only this user can read; the others
//! pass their client's words on to it ([`super::second`]). Both sides show that they have the key: a file that a killed
//! bridge left behind may name a port that is somebody else's by now.

use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use tokio::io::{AsyncBufRead, AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::server::McpServer;
use super::stdio::serve_pipes;
use crate::accept::accept_each;
use crate::secret::Secret;
use crate::sources::Sources;

/// How long one who connects may take to show the key: it is a program, and sends it at once.
const KEY: Duration = Duration::from_secs(5);

/// The length of a line with a key or a question: more than any has.
const KEY_BYTES: u64 = 256;

/// Connections at once: more agents than one desk has, and fewer than the files that the process may open.
const AGENTS: usize = 64;

/// What the file says.
#[derive(Debug, Serialize, Deserialize)]
struct Entry {
    address: SocketAddr,
    key: String,
    pid: u32,
}

/// The file that tells others where to connect; it goes when this is dropped.
#[derive(Debug)]
pub struct Desk {
    path: PathBuf,
    listener: Option<TcpListener>,
    key: String,
}

fn file(folder: &Path, link_port: u16) -> PathBuf {
    folder.join(format!("link-{link_port}.json"))
}

impl Desk {
    /// Listens for other agents, and writes down where, for whoever wants the same link port.
    pub async fn open(folder: &Path, link_port: u16, sources: &Sources) -> io::Result<Self> {
        let listener = TcpListener::bind((std::net::Ipv4Addr::LOCALHOST, 0)).await?;
        let key = format!("{}{}", sources.id(), sources.id());
        let entry = Entry { address: listener.local_addr()?, key: key.clone(), pid: std::process::id() };
        let path = file(folder, link_port);
        write_privately(folder, &path, &serde_json::to_vec(&entry)?)?;
        Ok(Self { path, listener: Some(listener), key })
    }

    /// Serves everyone who shows the key, until the shutdown token fires.
    pub async fn serve(mut self, server: McpServer, shutdown: CancellationToken) {
        let Some(listener) = self.listener.take() else { return };
        let (tasks, places) = (TaskTracker::new(), Arc::new(Semaphore::new(AGENTS)));
        accept_each(listener, "an agent", &shutdown, |stream, _| {
            let Ok(place) = places.clone().try_acquire_owned() else { return };
            let (server, shutdown, key) = (server.for_client(), shutdown.clone(), self.key.clone());
            tasks.spawn(async move {
                if let Ok(Some(pipes)) = timeout(KEY, admit(stream, key)).await {
                    serve_pipes(server, pipes, &shutdown).await;
                }
                drop(place);
            });
        })
        .await;
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Answers the question of one who connects, and lets it in where it then shows the key.
async fn admit(stream: TcpStream, key: String) -> Option<(BufReader<OwnedReadHalf>, OwnedWriteHalf)> {
    let (read, mut write) = stream.into_split();
    let mut read = BufReader::new(read);
    let question = read_line(&mut read).await?;
    write.write_all(format!("{}\n", proof(&key, &question)).as_bytes()).await.ok()?;
    // The buffer is passed on with what it holds beyond the line.
    let shown = read_line(&mut read).await?;
    Secret::new(key)?.matches(&shown).then_some((read, write))
}

async fn read_line(from: &mut (impl AsyncBufRead + Unpin)) -> Option<String> {
    let mut line = String::new();
    from.take(KEY_BYTES).read_line(&mut line).await.ok()?;
    line.pop().filter(|end| *end == '\n').map(|_| line)
}

/// What only one can say who has the key, and what does not give it away.
fn proof(key: &str, question: &str) -> String {
    crate::text::hex(&Sha256::new().chain_update(key).chain_update(question).finalize())
}

/// Connects to the bridge that has the link port; nothing where there is none that lets others in.
pub async fn join(folder: &Path, link_port: u16, sources: &Sources) -> Option<TcpStream> {
    let path = file(folder, link_port);
    is_own(&path).then_some(())?;
    let entry: Entry = serde_json::from_slice(&std::fs::read(path).ok()?).ok()?;
    let stream = timeout(KEY, meet(&entry, &sources.id())).await.ok()??;
    tracing::info!(
        "another bridge (process {}) has the link port: this one speaks for it, with its tools and its computers",
        entry.pid
    );
    Some(stream)
}

/// Connects to the bridge of an entry, and shows it the key once it has shown that it has it too.
async fn meet(entry: &Entry, question: &str) -> Option<TcpStream> {
    let mut stream = TcpStream::connect(entry.address).await.ok()?;
    let _ = stream.set_nodelay(true);
    stream.write_all(format!("{question}\n").as_bytes()).await.ok()?;
    let expected = proof(&entry.key, question);
    let mut answer = vec![0; expected.len() + 1];
    stream.read_exact(&mut answer).await.ok()?;
    if answer != format!("{expected}\n").as_bytes() {
        return None;
    }
    stream.write_all(format!("{}\n", entry.key).as_bytes()).await.ok()?;
    Some(stream)
}

/// Whether a file is this user's own: in a folder that others may write to, anyone can put one.
#[cfg(unix)]
fn is_own(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let owner = std::fs::symlink_metadata(path).map(|metadata| metadata.uid());
    owner.is_ok_and(|owner| owner == rustix::process::geteuid().as_raw())
}

#[cfg(not(unix))]
fn is_own(_: &Path) -> bool {
    // The folder is below the user's own.
    true
}

/// Writes a file that no other user can read, in a folder that is this user's alone.
fn write_privately(folder: &Path, path: &Path, bytes: &[u8]) -> io::Result<()> {
    use std::io::Write as _;
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
        builder.mode(0o700);
        options.mode(0o600);
    }
    builder.create(folder)?;
    // One that a killed bridge has left: its port is ours now. A new file, so that nobody has it open already.
    let _ = std::fs::remove_file(path);
    options.open(path)?.write_all(bytes)
}
