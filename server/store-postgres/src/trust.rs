//! The certificate authorities that vouch for a server's name.

use std::path::PathBuf;
use std::sync::Arc;

use thiserror::Error;
use tokio_postgres_rustls::MakeRustlsConnect;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::{self, PemObject};
use tokio_rustls::rustls::{self, ClientConfig, RootCertStore};

use super::url::Encryption;

/// Authorities that cannot be used.
#[derive(Debug, Error)]
pub enum TrustError {
    /// The file cannot be read, or is not PEM.
    #[error("the certificates in {path} cannot be read: {fault}")]
    File {
        /// The file.
        path: PathBuf,
        /// The cause.
        fault: pem::Error,
    },
    /// The file has a block that is not a certificate.
    #[error("{path} holds a certificate that cannot be used: {fault}")]
    Certificate {
        /// The file.
        path: PathBuf,
        /// The cause.
        fault: rustls::Error,
    },
    /// No authority.
    #[error("no certificate authorities to trust; name a file with sslrootcert=FILE")]
    None,
    /// The TLS library rejects the configuration.
    #[error("TLS cannot be used: {0}")]
    Unusable(#[from] rustls::Error),
}

/// Returns what encrypts connections and verifies the server's certificate. Blocks while files are
/// read; for the start of a program.
pub(super) fn connector(encryption: &Encryption) -> Result<MakeRustlsConnect, TrustError> {
    let roots = match encryption {
        // Nothing is ever verified by it.
        Encryption::Off => RootCertStore::empty(),
        Encryption::Verified(None) => system_roots()?,
        Encryption::Verified(Some(path)) => roots_in(path)?,
    };
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}

fn system_roots() -> Result<RootCertStore, TrustError> {
    let mut roots = RootCertStore::empty();
    // An unusable certificate is no reason to distrust the others.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    some(roots)
}

fn roots_in(path: &PathBuf) -> Result<RootCertStore, TrustError> {
    let unreadable = |fault| TrustError::File {
        path: path.clone(),
        fault,
    };
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_file_iter(path).map_err(unreadable)? {
        let certificate = certificate.map_err(unreadable)?;
        roots
            .add(certificate)
            .map_err(|fault| TrustError::Certificate {
                path: path.clone(),
                fault,
            })?;
    }
    some(roots)
}

fn some(roots: RootCertStore) -> Result<RootCertStore, TrustError> {
    match roots.is_empty() {
        true => Err(TrustError::None),
        false => Ok(roots),
    }
}
