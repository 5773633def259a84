//! Stands in for `trust` where encryption was left out of the program: nobody's certificates are good.

use std::path::{Path, PathBuf};

use thiserror::Error;
use url::Host;

use super::NetError;
use super::sockets::TcpStream;
use crate::surroundings::Duplex;

/// Certificates that cannot be used.
#[derive(Debug, Error)]
pub enum TrustError {
    #[error("the certificates in `{path}` cannot be used\nhint: build with the feature `tls`")]
    LeftOut { path: PathBuf },
}

/// What connections are checked against.
#[derive(Debug, Clone)]
pub struct Trust;

impl Trust {
    /// Nobody.
    pub fn usual() -> &'static Self {
        &Self
    }

    pub fn with_file(path: &Path) -> Result<Self, TrustError> {
        Err(TrustError::LeftOut { path: path.to_owned() })
    }

    #[expect(clippy::unused_async, reason = "the one that encrypts waits for the other side")]
    pub async fn secure(&self, _: TcpStream, _: &Host<&str>) -> Result<Box<dyn Duplex>, NetError> {
        Err(NetError::Tls("this program was built without encryption".to_owned()))
    }
}
