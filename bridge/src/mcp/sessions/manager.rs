//! All sessions: a bounded number of them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::Stream;
use parking_lot::Mutex;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::common::server_side_http::SessionId;
use rmcp::transport::streamable_http_server::session::{ServerSseMessage, SessionManager};
use thiserror::Error;

use super::outlet::parse_event_id;
use super::session::{Session, SessionTransport};
use crate::limits::SESSIONS;
use crate::sources::Sources;

/// How long a session lives without a message. An agent may think for hours between two calls, and many clients
/// do not begin anew by themselves.
const KEEP: Duration = Duration::from_secs(12 * 60 * 60);

/// How long the head of a response waits for its first message: longer than nearly every call takes, shorter
/// than anybody's patience. No shorter than the program's own timer ([`crate::memory`]): a timer that is due before all
/// others wakes the runtime from its wait, a system call and a turn more for each call.
const FIRST_MESSAGE: Duration = Duration::from_secs(1);

/// Why a session could not be served.
#[derive(Debug, Error)]
pub enum SessionsError {
    #[error("{SESSIONS} sessions have calls under way; try again later")]
    Full,
    #[error("the session has ended")]
    Ended,
    #[error("there is no stream with this event id to come back to")]
    NoStream,
}

/// All sessions of the bridge.
#[derive(Debug)]
pub struct Sessions {
    sessions: Mutex<BTreeMap<SessionId, Arc<Session>>>,
    sources: Sources,
}

impl Sessions {
    pub fn new(sources: Sources) -> Self {
        Self { sessions: Mutex::default(), sources }
    }

    fn get(&self, id: &SessionId) -> Result<Arc<Session>, SessionsError> {
        let session = self.sessions.lock().get(id).cloned().ok_or(SessionsError::Ended)?;
        session.touch();
        Ok(session)
    }

    /// How many have a call under way.
    pub fn busy(&self) -> usize {
        self.sessions.lock().values().filter(|session| session.is_busy()).count()
    }

    /// Ends the streams that belong to no request: they would go on for ever.
    pub fn end_listeners(&self) {
        for session in self.sessions.lock().values() {
            session.end_common();
        }
    }

    /// Forgets all answers that are only kept for clients that may come back for them.
    pub fn forget_answers(&self) {
        let sessions: Vec<Arc<Session>> = self.sessions.lock().values().cloned().collect();
        for session in sessions {
            session.forget_answers();
        }
    }

    /// Ends what has been idle for too long, and where that leaves no room, the session that will be missed least.
    fn make_room(&self) -> Result<(), SessionsError> {
        let mut sessions = self.sessions.lock();
        if sessions.len() < SESSIONS {
            return Ok(());
        }
        sessions.retain(|_, session| session.idle() < KEEP);
        if sessions.len() < SESSIONS {
            return Ok(());
        }
        let idle = sessions.iter().filter(|(_, session)| !session.is_busy());
        let least = idle.min_by_key(|(_, session)| session.worth()).map(|(id, _)| id.clone());
        sessions.remove(&least.ok_or(SessionsError::Full)?);
        Ok(())
    }
}

impl SessionManager for Sessions {
    type Error = SessionsError;
    type Transport = SessionTransport;

    async fn create_session(&self) -> Result<(SessionId, SessionTransport), SessionsError> {
        self.make_room()?;
        let (session, transport) = Session::new();
        let id = self.sources.id();
        self.sessions.lock().insert(id.clone(), session);
        Ok((id, transport))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, SessionsError> {
        self.get(id)?.handshake(message).await.ok_or(SessionsError::Ended)
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, SessionsError> {
        Ok(self.sessions.lock().contains_key(id))
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), SessionsError> {
        let session = self.sessions.lock().remove(id);
        if let Some(session) = session {
            session.cancel_all();
        }
        Ok(())
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        mut message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionsError> {
        let session = self.get(id)?;
        let mut reader = session.open(&mut message).ok_or(SessionsError::NoStream)?;
        if !session.accept(message).await {
            return Err(SessionsError::Ended);
        }
        reader.first(FIRST_MESSAGE).await;
        Ok(reader)
    }

    async fn accept_message(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<(), SessionsError> {
        if self.get(id)?.accept(message).await { Ok(()) } else { Err(SessionsError::Ended) }
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionsError> {
        Ok(self.get(id)?.open_common())
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionsError> {
        let session = self.get(id)?;
        let (number, index) = parse_event_id(&last_event_id).ok_or(SessionsError::NoStream)?;
        session.reopen(number, index).ok_or(SessionsError::NoStream)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::{FutureExt as _, StreamExt as _};
    use rmcp::transport::Transport as _;

    async fn open(sessions: &Sessions) -> (SessionId, SessionTransport) {
        sessions.create_session().await.expect("room for a session")
    }

    #[tokio::test(start_paused = true)]
    async fn the_session_that_is_missed_least_makes_room() {
        let sessions = Sessions::new(Sources::of_system());
        let mut all = vec![open(&sessions).await];
        let mut listening = sessions.get(&all[0].0).expect("there").open_common();
        assert!(listening.next().now_or_never().is_none(), "it waits");
        for _ in 1..SESSIONS {
            tokio::time::advance(Duration::from_millis(1)).await;
            all.push(open(&sessions).await);
        }
        tokio::time::advance(Duration::from_secs(30)).await;
        // The first one listens and the second has spoken: the third is the oldest of those that said nothing.
        let note = serde_json::json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        let note = serde_json::from_value(note).expect("a message");
        sessions.accept_message(&all[1].0, note).await.expect("accepted");
        let (oldest, mut transport) = all.swap_remove(2);
        open(&sessions).await;
        assert!(!sessions.has_session(&oldest).await.expect("a lookup"));
        assert!(transport.receive().await.is_none(), "the SDK's end of it ends too");
    }

    #[tokio::test(start_paused = true)]
    async fn sessions_that_were_left_long_ago_are_all_given_up_at_once() {
        let sessions = Sessions::new(Sources::of_system());
        let mut all = Vec::new();
        for _ in 0..SESSIONS {
            all.push(open(&sessions).await);
        }
        tokio::time::advance(KEEP + Duration::from_secs(1)).await;
        open(&sessions).await;
        assert_eq!(sessions.sessions.lock().len(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn a_session_with_a_call_under_way_is_never_given_up() {
        let sessions = Sessions::new(Sources::of_system());
        let mut all = Vec::new();
        let mut calls = Vec::new();
        let ping = serde_json::json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" });
        for _ in 0..SESSIONS {
            all.push(open(&sessions).await);
            let session = sessions.get(&all[all.len() - 1].0).expect("there");
            let mut message = serde_json::from_value(ping.clone()).expect("a message");
            calls.push(session.open(&mut message).expect("a request has a stream"));
        }
        tokio::time::advance(KEEP * 2).await;
        assert!(matches!(sessions.create_session().await, Err(SessionsError::Full)));
        assert_eq!(sessions.sessions.lock().len(), SESSIONS);
    }
}
