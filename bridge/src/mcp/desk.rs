//! Several agents at one desk: each starts `mcp-bridge --stdio`, and only one can have the link port. The first one lets
//! the others in through a loopback socket, whose address and key are in a file that only this user can read; the others
//! pass their client's words on to it ([`super::second`]).

use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rmcp::transport::common::server_side_http::session_id;
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::server::McpServer;
use super::stdio::serve_pipes;
use crate::secret::Secret;

/// How long one who connects may take to show the key: it is a program, and sends it at once.
const KEY: Duration = Duration::from_secs(5);

/// The length of a line with a key: more than any has.
const KEY_BYTES: u64 = 256;

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
    pub async fn open(folder: &Path, link_port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind((std::net::Ipv4Addr::LOCALHOST, 0)).await?;
        let key = format!("{}{}", session_id(), session_id());
        let entry = Entry { address: listener.local_addr()?, key: key.clone(), pid: std::process::id() };
        let path = file(folder, link_port);
        write_privately(folder, &path, &serde_json::to_vec(&entry)?)?;
        Ok(Self { path, listener: Some(listener), key })
    }

    /// Serves everyone who shows the key, until the shutdown token fires.
    pub async fn serve(mut self, server: McpServer, shutdown: CancellationToken) {
        let Some(listener) = self.listener.take() else { return };
        let tasks = TaskTracker::new();
        loop {
            let accepted = tokio::select! {
                biased;
                () = shutdown.cancelled() => return,
                accepted = listener.accept() => accepted,
            };
            let Ok((stream, _)) = accepted else { continue };
            let (server, shutdown, key) =
                (server.for_client(), shutdown.clone(), Secret::new(self.key.clone()));
            tasks.spawn(async move {
                let _ = stream.set_nodelay(true);
                let (read, write) = stream.into_split();
                let mut read = BufReader::new(read);
                let mut line = String::new();
                // The buffer is passed on with what it holds beyond the line.
                let shown = timeout(KEY, (&mut read).take(KEY_BYTES).read_line(&mut line)).await;
                if matches!(shown, Ok(Ok(_))) && key.is_some_and(|key| key.matches(line.trim_end())) {
                    serve_pipes(server, (read, write), &shutdown).await;
                }
            });
        }
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Connects to the bridge that has the link port; nothing where there is none that lets others in.
pub async fn join(folder: &Path, link_port: u16) -> Option<TcpStream> {
    let text = std::fs::read(file(folder, link_port)).ok()?;
    let entry: Entry = serde_json::from_slice(&text).ok()?;
    let mut stream = TcpStream::connect(entry.address).await.ok()?;
    let _ = stream.set_nodelay(true);
    stream.write_all(format!("{}\n", entry.key).as_bytes()).await.ok()?;
    tracing::info!(
        "another bridge (process {}) has the link port: this one speaks for it, with its tools and its computers",
        entry.pid
    );
    Some(stream)
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
