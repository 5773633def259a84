//! A bridge inside this process: on a thread of its own, so that what it logs can be told from what others log.

use std::io::Write;
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::JoinHandle;

use mcp_bridge::config::Config;
use mcp_bridge::{Bridge, StartError, View};
use tokio::sync::oneshot;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::MakeWriter;

use super::BridgeError;
use crate::record::Record;

/// The bridge's own news and only the SDK's troubles, as the program has it.
const LOGGED: &str = "info,rmcp=error,rmcp::service=off,tungstenite=error,tokio_tungstenite=error";

/// A running bridge. Dropping it ends it and its thread.
#[derive(Debug)]
pub struct Inside {
    pub mcp_url: String,
    pub link: SocketAddr,
    pub view: View,
    /// Told to close its links first; where it is only dropped, it does not wait for that.
    end: Option<oneshot::Sender<()>>,
    ended: Option<oneshot::Receiver<()>>,
    thread: Option<JoinHandle<()>>,
}

type Started = (String, SocketAddr, View);

impl Inside {
    pub async fn start(config: Config, record: Arc<Record>) -> Result<Self, BridgeError> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(BridgeError::Thread)?;
        let (say_started, started) = oneshot::channel::<Result<Started, StartError>>();
        let (end, asked) = oneshot::channel();
        let (say_ended, ended) = oneshot::channel();
        let work = async move {
            let bridge = match Bridge::start(config).await {
                Ok(bridge) => bridge,
                Err(error) => {
                    let _ = say_started.send(Err(error));
                    return;
                }
            };
            let _ = say_started.send(Ok((bridge.mcp_url(), bridge.link, bridge.view())));
            if asked.await.is_ok() {
                bridge.shutdown().await;
            }
        };
        let thread = std::thread::Builder::new().name("bridge".to_owned()).spawn(move || {
            logged(record, || {
                runtime.block_on(work);
                runtime.shutdown_background();
            });
            let _ = say_ended.send(());
        });
        let thread = Some(thread.map_err(BridgeError::Thread)?);
        let (mcp_url, link, view) = started.await.expect("the thread says how it began")?;
        Ok(Self { mcp_url, link, view, end: Some(end), ended: Some(ended), thread })
    }

    /// Closes every link and ends the bridge.
    pub async fn shutdown(mut self) {
        if let (Some(end), Some(ended)) = (self.end.take(), self.ended.take()) {
            let _ = end.send(());
            let _ = ended.await;
        }
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        self.end = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Does something on this thread, and puts what is logged meanwhile into a record.
pub(crate) fn logged<T>(record: Arc<Record>, work: impl FnOnce() -> T) -> T {
    let log = tracing_subscriber::fmt()
        .with_env_filter(EnvFilter::new(LOGGED))
        .with_writer(Log(record))
        .with_ansi(false)
        .with_target(false)
        .without_time()
        .finish();
    tracing::subscriber::with_default(log, work)
}

/// Puts each line into a record.
#[derive(Clone)]
struct Log(Arc<Record>);

impl Write for Log {
    fn write(&mut self, line: &[u8]) -> std::io::Result<usize> {
        self.0.log_line("bridge", String::from_utf8_lossy(line).trim());
        Ok(line.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Log {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}
