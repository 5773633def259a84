//! The transport below a connection: what goes over it is recorded, and progress is kept as it comes.

use std::collections::VecDeque;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use rmcp::RoleClient;
use rmcp::model::{JsonRpcMessage, ServerNotification};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde::Serialize;
use serde::de::DeserializeOwned;
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

/// Changes the messages of a connection on their way, as a wrong server would: for tests of tests. What it changes is
/// recorded as it was changed.
#[derive(Clone)]
pub struct Meddler(Arc<dyn Fn(Way, Value) -> Vec<Value> + Send + Sync>);

impl Meddler {
    /// Takes what gives the messages that go on in place of one.
    pub fn new(meddle: impl Fn(Way, Value) -> Vec<Value> + Send + Sync + 'static) -> Self {
        Self(Arc::new(meddle))
    }
}

impl fmt::Debug for Meddler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Meddler")
    }
}

/// A transport whose messages are recorded and whose progress is heard as it comes in: rmcp gives each notification to a
/// task of its own, which may run after those that follow it, and after the answer.
#[derive(Debug)]
pub struct Heard<T> {
    inner: T,
    told: Arc<Told>,
    recorder: Option<Recorder>,
    meddler: Option<Meddler>,
    /// What a meddler has made of one message, and what was not received yet.
    meddled: VecDeque<RxJsonRpcMessage<RoleClient>>,
}

impl<T> Heard<T> {
    pub fn new(inner: T, told: Arc<Told>, recorder: Option<Recorder>, meddler: Option<Meddler>) -> Self {
        Self { inner, told, recorder, meddler, meddled: VecDeque::new() }
    }

    /// What goes on in place of a message.
    fn meddle<M: Serialize + DeserializeOwned>(&self, way: Way, message: M) -> Vec<M> {
        let Some(Meddler(meddle)) = &self.meddler else { return vec![message] };
        let Ok(message) = serde_json::to_value(message) else { return Vec::new() };
        meddle(way, message).into_iter().filter_map(|message| serde_json::from_value(message).ok()).collect()
    }

    fn record(&self, way: Way, message: &impl Serialize) {
        if let Some(Recorder(record)) = &self.recorder
            && let Ok(message) = serde_json::to_value(message)
        {
            record(way, message);
        }
    }
}

/// A message on its way.
type Sending<E> = Pin<Box<dyn Future<Output = Result<(), E>> + Send>>;

impl<T: Transport<RoleClient>> Transport<RoleClient> for Heard<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let items = self.meddle(Way::ToServer, item);
        let mut sending: Vec<Sending<T::Error>> = Vec::new();
        for item in items {
            self.record(Way::ToServer, &item);
            sending.push(Box::pin(self.inner.send(item)));
        }
        async move {
            for sent in sending {
                sent.await?;
            }
            Ok(())
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        let message = loop {
            if let Some(message) = self.meddled.pop_front() {
                break message;
            }
            let message = self.inner.receive().await?;
            self.meddled.extend(self.meddle(Way::ToClient, message));
        };
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
