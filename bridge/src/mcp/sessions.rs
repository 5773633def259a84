//! Sessions of the handshake era: the SDK's own, with a bound on how many there are.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use futures_util::Stream;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::WorkerTransport;
use rmcp::transport::common::server_side_http::SessionId;
use rmcp::transport::streamable_http_server::session::local::{
    LocalSessionManager, LocalSessionManagerError, LocalSessionWorker, SessionConfig,
};
use rmcp::transport::streamable_http_server::session::{ServerSseMessage, SessionManager};
use thiserror::Error;

use crate::limits::SESSIONS;

/// How long a session lives without a message. An agent may think for hours between two calls, and many clients
/// do not begin anew by themselves.
const KEEP: Duration = Duration::from_secs(12 * 60 * 60);

/// A session that was used this lately is not given up for a new one.
const IN_USE: Duration = Duration::from_secs(60);

/// Why a session could not be served.
#[derive(Debug, Error)]
pub enum SessionsError {
    #[error("{SESSIONS} sessions are in use; end one, or try again in a minute")]
    Full,
    #[error(transparent)]
    Local(#[from] LocalSessionManagerError),
}

/// Passes on to the SDK's manager; when there is no room, the session idle for longest makes some.
#[derive(Debug)]
pub struct Sessions {
    local: LocalSessionManager,
    used: Mutex<HashMap<SessionId, Instant>>,
}

impl Default for Sessions {
    fn default() -> Self {
        let mut config = SessionConfig::default();
        config.keep_alive = Some(KEEP);
        let mut local = LocalSessionManager::default();
        local.session_config = config;
        Self {
            local,
            used: Mutex::default(),
        }
    }
}

impl Sessions {
    fn used(&self) -> MutexGuard<'_, HashMap<SessionId, Instant>> {
        self.used.lock().expect("nothing panics while it holds this lock")
    }

    /// Notes that a session is in use; one that has ended is not noted again.
    fn touch(&self, id: &SessionId) {
        if let Some(at) = self.used().get_mut(id) {
            *at = Instant::now();
        }
    }

    /// Takes a place for a new session; gives the one to close for it, where there is none left.
    fn make_room(&self) -> Result<Option<SessionId>, SessionsError> {
        let used = self.used();
        if used.len() < SESSIONS {
            return Ok(None);
        }
        let oldest = used
            .iter()
            .min_by_key(|(_, at)| **at)
            .filter(|(_, at)| at.elapsed() > IN_USE);
        oldest.map(|(id, _)| Some(id.clone())).ok_or(SessionsError::Full)
    }
}

impl SessionManager for Sessions {
    type Error = SessionsError;
    type Transport = WorkerTransport<LocalSessionWorker>;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), Self::Error> {
        if let Some(idle) = self.make_room()? {
            self.close_session(&idle).await?;
        }
        let (id, transport) = self.local.create_session().await?;
        self.used().insert(id.clone(), Instant::now());
        Ok((id, transport))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Self::Error> {
        Ok(self.local.initialize_session(id, message).await?)
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, Self::Error> {
        self.touch(id);
        Ok(self.local.has_session(id).await?)
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), Self::Error> {
        self.used().remove(id);
        Ok(self.local.close_session(id).await?)
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        Ok(self.local.create_stream(id, message).await?)
    }

    async fn accept_message(&self, id: &SessionId, message: ClientJsonRpcMessage) -> Result<(), Self::Error> {
        Ok(self.local.accept_message(id, message).await?)
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        Ok(self.local.create_standalone_stream(id).await?)
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        Ok(self.local.resume(id, last_event_id).await?)
    }
}
