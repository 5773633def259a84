//! The bridge of a stage, its client, and the calls of tools: the bridge's and those of other servers.

use std::sync::Arc;

use mcp_bridge::Held;
use serde_json::{Value, json};

use super::{Stage, StageError};
use crate::bridge::RunningBridge;
use crate::client::{Answer, Client, Equipment};
use crate::proxy::Behind;
use crate::record::Record;
use crate::report::trace::What;

impl Stage {
    pub async fn start_bridge(&self) -> Result<(), StageError> {
        let spec = self.bridge_spec.as_ref().ok_or(StageError::NoBridge)?;
        let mut running = self.bridge.lock().await;
        if running.is_some() {
            return Err(StageError::NoEffect("the bridge runs already".to_owned()));
        }
        let bridge = RunningBridge::start(spec, &self.record, &self.net).await?;
        self.proxy()?.set_behind(Behind::Bridge(bridge.link));
        *running = Some(bridge);
        Ok(())
    }

    /// Ends the bridge, and the client with it.
    pub async fn stop_bridge(&self) -> Result<(), StageError> {
        self.end_bridge(Behind::Nothing).await
    }

    /// Ends the bridge and starts another. Computers that link meanwhile wait for it.
    pub async fn restart_bridge(&self) -> Result<(), StageError> {
        self.end_bridge(Behind::NextBridge).await?;
        self.start_bridge().await
    }

    async fn end_bridge(&self, behind: Behind) -> Result<(), StageError> {
        self.close_client().await;
        let bridge = self.bridge.lock().await.take().ok_or(StageError::NoBridge)?;
        self.proxy()?.set_behind(behind);
        Ok(bridge.shutdown().await?)
    }

    /// Ends the bridge without asking it. A bridge with a process of its own is killed: it closes nothing and says
    /// nothing to anyone.
    pub async fn kill_bridge(&self) -> Result<(), StageError> {
        self.client.lock().await.take();
        self.proxy()?.set_behind(Behind::Nothing);
        drop(self.bridge.lock().await.take().ok_or(StageError::NoBridge)?);
        Ok(())
    }

    /// The address of the MCP endpoint.
    pub async fn mcp_url(&self) -> Result<String, StageError> {
        let bridge = self.bridge.lock().await;
        bridge.as_ref().map(|bridge| bridge.mcp_url.clone()).ok_or(StageError::NoBridge)
    }

    /// What a client of the bridge needs, whose messages are put into a record.
    pub fn equipment<'a>(&'a self, record: &'a Arc<Record>) -> Equipment<'a> {
        let token = self.bridge_spec.as_ref().and_then(|spec| spec.mcp_token.as_deref());
        Equipment { token, record: Some(record), dialer: self.net.dialer(), meddler: None }
    }

    /// What the bridge holds for computers, where it is inside this process.
    pub async fn held(&self) -> Held {
        self.bridge.lock().await.as_ref().map(RunningBridge::held).unwrap_or_default()
    }

    /// The address for more computers.
    pub async fn link_url(&self) -> Result<String, StageError> {
        let bridge = self.bridge.lock().await;
        bridge.as_ref().map(|bridge| format!("ws://{}", bridge.link)).ok_or(StageError::NoBridge)
    }

    /// Who is linked to the bridge, where it is inside this process.
    pub async fn who(&self) -> Vec<(u64, Option<String>)> {
        self.bridge.lock().await.as_ref().map(RunningBridge::linked).unwrap_or_default()
    }

    /// The client, connected at its first use.
    pub async fn client(&self) -> Result<Arc<Client>, StageError> {
        let mut client = self.client.lock().await;
        if let Some(client) = &*client {
            return Ok(client.clone());
        }
        let url = self.mcp_url().await?;
        let connected = Client::connect_with(&url, &self.version, self.equipment(&self.record)).await?;
        let connected = Arc::new(connected);
        *client = Some(connected.clone());
        Ok(connected)
    }

    pub(super) async fn close_client(&self) {
        if let Some(client) = self.client.lock().await.take().and_then(Arc::into_inner) {
            client.close().await;
        }
    }

    /// Calls a tool and waits for the answer.
    pub async fn call(&self, tool: &str, arguments: Value) -> Result<Answer, StageError> {
        let answer = self.call_unless(tool, arguments, None::<std::future::Pending<()>>).await?;
        Ok(answer.expect("only a call that can be cancelled has no answer"))
    }

    /// Calls a tool and waits for the answer, or cancels the call when told to.
    pub async fn call_unless(
        &self,
        tool: &str,
        arguments: Value,
        cancel: Option<impl Future<Output = ()>>,
    ) -> Result<Option<Answer>, StageError> {
        let client = self.client().await?;
        Ok(client.call(tool, arguments, cancel).await?)
    }

    /// Calls a tool of another server than the bridge.
    pub async fn call_server(
        &self,
        server: &str,
        tool: &str,
        arguments: Value,
    ) -> Result<Answer, StageError> {
        // A server may be called while there is no bridge; one that is the bridge is not reached then, and says so.
        let bridge = self.mcp_url().await.unwrap_or_default();
        let (name, call) = (server.to_owned(), tool.to_owned());
        self.record.note(What::Call { server: name, call, arguments: arguments.clone() });
        let arguments = if arguments.is_null() { json!({}) } else { arguments };
        let called = self.servers.call(server, tool, arguments, &bridge).await?;
        let answer = Answer::Result(called);
        let told = serde_json::to_value(&answer).unwrap_or_default();
        self.record.note(What::Answer { server: server.to_owned(), answer: told });
        Ok(answer)
    }
}
