//! Whose certificates are good for `https` and `wss`: the usual authorities, and those that were named.

use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};
use thiserror::Error;
use tokio_rustls::TlsConnector;

/// Certificates that cannot be used.
#[derive(Debug, Error)]
pub enum TrustError {
    #[error("failed to read the certificates in `{path}`\nhint: it must be a file in PEM format")]
    Read {
        path: PathBuf,
        #[source]
        source: rustls::pki_types::pem::Error,
    },
    #[error("`{path}` has a certificate that is none of an authority's")]
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

    pub fn connector(&self) -> &TlsConnector {
        &self.0
    }
}
