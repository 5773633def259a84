//! The transport below a connection: what goes over it is recorded, and progress is kept as it comes.

use std::fmt;
use std::sync::Arc;

use rmcp::RoleClient;
use rmcp::model::{JsonRpcMessage, ServerNotification};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde::Serialize;
use serde_json::Value;

use super::handler::Told;

/// Which way a message went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    ToServer,
    ToClient,
}

/// Gets every message of a connection, in the order in which they went over it.
#[derive(Clone)]
pub struct Recorder(Arc<dyn Fn(Way, Value) + Send + Sync>);

impl Recorder {
    pub fn new(record: impl Fn(Way, Value) + Send + Sync + 'static) -> Self {
        Self(Arc::new(record))
    }
}

impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Recorder")
    }
}

/// A transport whose messages are recorded and whose progress is heard as it comes in: rmcp gives each notification to a
/// task of its own, which may run after those that follow it, and after the answer.
#[derive(Debug)]
pub struct Heard<T> {
    pub inner: T,
    pub told: Arc<Told>,
    pub recorder: Option<Recorder>,
}

impl<T> Heard<T> {
    fn record(&self, way: Way, message: &impl Serialize) {
        if let Some(Recorder(record)) = &self.recorder
            && let Ok(message) = serde_json::to_value(message)
        {
            record(way, message);
        }
    }
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for Heard<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.record(Way::ToServer, &item);
        self.inner.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        let message = self.inner.receive().await?;
        self.record(Way::ToClient, &message);
        if let JsonRpcMessage::Notification(notification) = &message
            && let ServerNotification::ProgressNotification(progress) = &notification.notification
        {
            self.told.keep_progress(&progress.params);
        }
        Some(message)
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inner.close().await
    }
}
