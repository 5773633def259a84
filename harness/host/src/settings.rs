//! How all servers of a host are treated: which era is spoken, how long things may take, how often they are restarted.

use std::path::PathBuf;
use std::time::Duration;

pub use child_processes::GroupWatcher;
use tokio::sync::mpsc::UnboundedSender;

use crate::client::{Meddler, Protocol, Recorder};
use crate::http::connector::Dialer;

/// What npx needs to download a server on a slow line, and what Claude Code allows.
const START: Duration = Duration::from_secs(30);

/// What the official SDKs allow for a request; a call that reports progress may take longer.
const CALL: Duration = Duration::from_secs(60);

/// However much progress is reported: a call that takes longer than this is not coming back.
const CALL_IN_ALL: Duration = Duration::from_secs(600);

/// What a server may take to end by itself after its stdin was closed, and again after TERM.
const GRACE: Duration = Duration::from_secs(2);

/// The first pause before a server that died is started again; each one is twice as long as the one before.
const BACKOFF: Duration = Duration::from_millis(200);

/// A server that keeps dying is tried twice a minute at most.
const BACKOFF_MOST: Duration = Duration::from_secs(30);

/// Deaths in a row after which a server counts as broken: with the pauses above that is six seconds of trying.
const DEATHS: u32 = 5;

/// A server that was up for so long is not one that dies at once: its deaths are counted anew.
const STEADY: Duration = Duration::from_secs(60);

/// The progress that is kept of one call, in messages and in bytes: a call that reports more is reporting to nobody.
const KEPT_PROGRESS: (usize, usize) = (1000, 1024 * 1024);

/// How servers are treated.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Under which name the host introduces itself, and in which version.
    pub client_name: String,
    pub client_version: String,
    /// Which era is spoken.
    pub protocol: Protocol,
    /// Counts over what a server's configuration says.
    pub start_timeout: Option<Duration>,
    /// Counts over what a server's configuration says.
    pub call_timeout: Option<Duration>,
    /// However much progress a call reports.
    pub call_in_all: Duration,
    /// Between the steps of a shutdown.
    pub grace: Duration,
    pub backoff: Duration,
    pub backoff_most: Duration,
    /// How many deaths in a row there may be.
    pub deaths: u32,
    /// After how long a death is not one of a row.
    pub steady: Duration,
    /// Told of each process group that is started, and again once it is gone: for somebody who outlives this process.
    pub group_watcher: Option<GroupWatcher>,
    /// What starts the programs of local servers in place of this process.
    pub starter: Option<Starter>,
    /// Hears each message of progress as it comes. The result of a call has them too.
    pub progress: Option<UnboundedSender<String>>,
    /// The progress that is kept of one call, in messages and in bytes.
    pub kept_progress: (usize, usize),
    /// Gets every message of either side, whole and in order.
    pub recorder: Option<Recorder>,
    /// Changes the messages of either side on their way.
    pub meddler: Option<Meddler>,
    /// Connects to servers that are addresses, in place of the machine's network.
    pub dialer: Option<Dialer>,
}

/// A program that becomes the one that its arguments name: for what has to be done in the new process before that.
#[derive(Debug, Clone)]
pub struct Starter {
    pub program: PathBuf,
    /// Variables for it, which it takes away again.
    pub environment: Vec<(&'static str, String)>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            client_name: env!("CARGO_PKG_NAME").to_owned(),
            client_version: env!("CARGO_PKG_VERSION").to_owned(),
            protocol: Protocol::Auto,
            start_timeout: None,
            call_timeout: None,
            call_in_all: CALL_IN_ALL,
            grace: GRACE,
            backoff: BACKOFF,
            backoff_most: BACKOFF_MOST,
            deaths: DEATHS,
            steady: STEADY,
            group_watcher: None,
            starter: None,
            progress: None,
            kept_progress: KEPT_PROGRESS,
            recorder: None,
            meddler: None,
            dialer: None,
        }
    }
}

impl Settings {
    /// How long a start may take: the flag over the file over the default.
    pub fn start(&self, configured: Option<Duration>) -> Duration {
        self.start_timeout.or(configured).unwrap_or(START)
    }

    /// How long a call may take without a sign of progress.
    pub fn call(&self, configured: Option<Duration>) -> Duration {
        self.call_timeout.or(configured).unwrap_or(CALL)
    }

    /// How long to wait after so many deaths in a row.
    pub fn pause(&self, deaths: u32) -> Duration {
        let doubled = 2u32.saturating_pow(deaths.saturating_sub(1));
        self.backoff.saturating_mul(doubled).min(self.backoff_most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_doubles_up_to_the_most() {
        let settings = Settings::default();
        let pauses: Vec<u128> = (1..=10).map(|deaths| settings.pause(deaths).as_millis()).collect();
        assert_eq!(pauses, [200, 400, 800, 1600, 3200, 6400, 12800, 25600, 30000, 30000]);
        assert_eq!(settings.pause(u32::MAX), BACKOFF_MOST);
    }

    #[test]
    fn a_flag_counts_over_the_file_and_the_file_over_the_default() {
        let second = Some(Duration::from_secs(1));
        let mut settings = Settings::default();
        assert_eq!(settings.call(None), CALL);
        assert_eq!(settings.call(second), Duration::from_secs(1));
        settings.call_timeout = Some(Duration::from_secs(2));
        assert_eq!(settings.call(second), Duration::from_secs(2));
    }
}
