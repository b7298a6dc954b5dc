//! The certificate authorities that are trusted to identify a server under TLS.
//!
//! The server has its own of this: a bot that links the client is not to build the server's crates.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use thiserror::Error;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::{self, PemObject};
use tokio_rustls::rustls::pki_types::{CertificateDer, InvalidDnsNameError, ServerName};
use tokio_rustls::rustls::{self, ClientConfig, RootCertStore};

/// The largest certificate file that is read, in bytes: four times the size of all browsers'
/// authorities together.
const FILE_BYTES_MAX: u64 = 1024 * 1024;

/// The certificate authorities that may vouch for a server's name. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Trust(Option<Arc<RootCertStore>>);

/// A certificate file that cannot be used.
#[derive(Debug, Error)]
pub enum CertificateFileError {
    /// The file cannot be read.
    #[error("cannot read {0}: {1}")]
    File(PathBuf, io::Error),
    /// The file is far larger than certificates are.
    #[error("{0} has more than {FILE_BYTES_MAX} bytes; expected certificates in PEM")]
    TooLong(PathBuf),
    /// The file is not PEM.
    #[error("{0} is damaged: {1}; expected certificates in PEM")]
    Pem(PathBuf, pem::Error),
    /// A block of the file is not a certificate.
    #[error("{0} holds a certificate that cannot be used: {1}")]
    Certificate(PathBuf, rustls::Error),
    /// The file contains no certificate.
    #[error("{0} has no certificate; expected a block `-----BEGIN CERTIFICATE-----`")]
    None(PathBuf),
}

/// A trust configuration under which no server can be verified.
#[derive(Debug, Error)]
pub(crate) enum TlsSetupError {
    /// The operating system's list of authorities is empty.
    #[error("this machine has no certificate authorities to trust")]
    NoAuthorities,
    /// The TLS library rejects the configuration.
    #[error("TLS cannot be used: {0}")]
    Unusable(#[from] rustls::Error),
}

impl Trust {
    /// The authorities that the operating system trusts.
    #[must_use]
    pub fn system() -> Self {
        Self(None)
    }

    /// The authorities in this PEM file and no others. Blocks while the file is read.
    ///
    /// # Errors
    /// [`CertificateFileError`].
    pub fn only(path: &Path) -> Result<Self, CertificateFileError> {
        let text = read(path)?;
        let mut roots = RootCertStore::empty();
        for certificate in CertificateDer::pem_slice_iter(&text) {
            let certificate =
                certificate.map_err(|error| CertificateFileError::Pem(path.to_owned(), error))?;
            roots
                .add(certificate)
                .map_err(|error| CertificateFileError::Certificate(path.to_owned(), error))?;
        }
        if roots.is_empty() {
            return Err(CertificateFileError::None(path.to_owned()));
        }
        Ok(Self(Some(Arc::new(roots))))
    }

    /// The connector that encrypts a connection and verifies the server's certificate.
    pub(crate) fn connector(&self) -> Result<TlsConnector, TlsSetupError> {
        let roots = match &self.0 {
            Some(roots) => Arc::clone(roots),
            None => Arc::new(system_roots()?),
        };
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()?
            .with_root_certificates(roots)
            .with_no_client_auth();
        Ok(TlsConnector::from(Arc::new(config)))
    }
}

/// The name that a server's certificate must be issued for.
pub(crate) fn server_name(host: &str) -> Result<ServerName<'static>, InvalidDnsNameError> {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    ServerName::try_from(bare.to_owned())
}

fn system_roots() -> Result<RootCertStore, TlsSetupError> {
    let mut roots = RootCertStore::empty();
    // An unusable certificate is no reason to distrust the others.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if roots.is_empty() {
        return Err(TlsSetupError::NoAuthorities);
    }
    Ok(roots)
}

fn read(path: &Path) -> Result<Vec<u8>, CertificateFileError> {
    use io::Read;
    let failed = |error| CertificateFileError::File(path.to_owned(), error);
    // A pipe would be waited for.
    if path.metadata().is_ok_and(|found| !found.is_file()) {
        return Err(failed(io::Error::other("expected a regular file")));
    }
    let file = std::fs::File::open(path).map_err(failed)?;
    let mut text = Vec::new();
    file.take(FILE_BYTES_MAX + 1)
        .read_to_end(&mut text)
        .map_err(failed)?;
    if text.len() as u64 > FILE_BYTES_MAX {
        return Err(CertificateFileError::TooLong(path.to_owned()));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unusable_certificate_file_is_named_in_the_error() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("ca.pem");
        let wrong = || Trust::only(&path).unwrap_err().to_string();
        assert!(wrong().starts_with("cannot read"), "{}", wrong());
        for (text, expected) in [
            ("", "has no certificate; expected"),
            ("-----BEGIN CERTIFICATE-----\n", "is damaged"),
            (
                "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
                "that cannot be used",
            ),
        ] {
            std::fs::write(&path, text).unwrap();
            let wrong = wrong();
            assert!(
                wrong.contains(expected) && wrong.contains("ca.pem"),
                "{wrong}"
            );
        }
    }

    #[test]
    fn a_certificate_may_be_for_a_host_name_or_an_ip_address() {
        for host in ["example.org", "127.0.0.1", "[::1]"] {
            assert!(server_name(host).is_ok(), "{host}");
        }
    }
}
