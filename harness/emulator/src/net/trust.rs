//! Whose certificates are good for `https` and `wss`: the usual authorities, and those that were named.

use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use thiserror::Error;
use tokio_rustls::TlsConnector;
use url::Host;

use super::NetError;
use super::sockets::TcpStream;
use crate::surroundings::Duplex;

/// Certificates that cannot be used.
#[derive(Debug, Error)]
pub enum TrustError {
    #[error("failed to read the certificates in `{path}`\nhint: it must be a file in PEM format")]
    Read {
        path: PathBuf,
        #[source]
        source: rustls::pki_types::pem::Error,
    },
    #[error("`{path}` has a certificate that is not an authority's")]
    Certificate {
        path: PathBuf,
        #[source]
        source: rustls::Error,
    },
    #[error("`{path}` has no certificate in it\nhint: it must be a file in PEM format")]
    Empty { path: PathBuf },
}

/// What connections are checked against.
#[derive(Clone)]
pub struct Trust(TlsConnector);

impl std::fmt::Debug for Trust {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Trust").finish_non_exhaustive()
    }
}

static USUAL: LazyLock<Trust> = LazyLock::new(|| Trust::of(usual_roots()));

fn usual_roots() -> RootCertStore {
    let mut roots = RootCertStore::empty();
    roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    roots
}

impl Trust {
    /// The usual authorities.
    pub fn usual() -> &'static Self {
        &USUAL
    }

    /// The usual authorities and those in a file.
    pub fn with_file(path: &Path) -> Result<Self, TrustError> {
        let read = |source| TrustError::Read { path: path.to_owned(), source };
        let mut roots = usual_roots();
        let before = roots.len();
        for certificate in CertificateDer::pem_file_iter(path).map_err(read)? {
            roots
                .add(certificate.map_err(read)?)
                .map_err(|source| TrustError::Certificate { path: path.to_owned(), source })?;
        }
        if roots.len() == before {
            return Err(TrustError::Empty { path: path.to_owned() });
        }
        Ok(Self::of(roots))
    }

    fn of(roots: RootCertStore) -> Self {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("the provider has the default versions")
            .with_root_certificates(roots)
            .with_no_client_auth();
        Self(TlsConnector::from(Arc::new(config)))
    }

    /// Encrypts a connection to a host whose certificate is good.
    pub async fn secure(&self, stream: TcpStream, host: &Host<&str>) -> Result<Box<dyn Duplex>, NetError> {
        let name = match host {
            Host::Domain(domain) => {
                ServerName::try_from((*domain).to_owned()).map_err(|_| NetError::Malformed)?
            }
            Host::Ipv4(address) => ServerName::IpAddress(IpAddr::V4(*address).into()),
            Host::Ipv6(address) => ServerName::IpAddress(IpAddr::V6(*address).into()),
        };
        let stream = self.0.connect(name, stream).await.map_err(|error| NetError::Tls(error.to_string()))?;
        Ok(Box::new(stream))
    }
}
