//! Whom we believe when a server under TLS says who it is.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use thiserror::Error;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::{self, PemObject};
use tokio_rustls::rustls::pki_types::{CertificateDer, InvalidDnsNameError, ServerName};
use tokio_rustls::rustls::{self, ClientConfig, RootCertStore};

/// The most a file of certificates may hold, in bytes. The authorities of all browsers together have a quarter of it.
const FILE_BYTES_MAX: u64 = 1024 * 1024;

/// The authorities whose word on a server's name counts. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Trust(Option<Arc<RootCertStore>>);

/// A file that names no authority.
#[derive(Debug, Error)]
pub enum BadCertificates {
    /// It cannot be read.
    #[error("cannot read {0}: {1}")]
    File(PathBuf, io::Error),
    /// It is far larger than certificates are.
    #[error("{0} has more than {FILE_BYTES_MAX} bytes; expected certificates in PEM")]
    TooLong(PathBuf),
    /// It is no PEM.
    #[error("{0} is damaged: {1}; expected certificates in PEM")]
    Pem(PathBuf, pem::Error),
    /// A certificate in it is none.
    #[error("{0} holds a certificate that cannot be used: {1}")]
    Certificate(PathBuf, rustls::Error),
    /// There is none in it.
    #[error("{0} has no certificate; expected a block `-----BEGIN CERTIFICATE-----`")]
    None(PathBuf),
}

/// Why no server can be believed.
#[derive(Debug, Error)]
pub enum NobodyTrusted {
    /// The operating system names no authority.
    #[error("this machine names no authorities to trust; name one with --ca-cert FILE")]
    NoAuthorities,
    /// TLS cannot be spoken at all.
    #[error("TLS cannot be spoken: {0}")]
    Unusable(#[from] rustls::Error),
}

impl Trust {
    /// Whom the operating system trusts.
    #[must_use]
    pub fn system() -> Self {
        Self(None)
    }

    /// Those in this file, and nobody else. Blocks for a small file.
    ///
    /// # Errors
    /// [`BadCertificates`].
    pub fn only(path: &Path) -> Result<Self, BadCertificates> {
        let text = read(path)?;
        let mut roots = RootCertStore::empty();
        for certificate in CertificateDer::pem_slice_iter(&text) {
            let certificate =
                certificate.map_err(|fault| BadCertificates::Pem(path.to_owned(), fault))?;
            roots
                .add(certificate)
                .map_err(|fault| BadCertificates::Certificate(path.to_owned(), fault))?;
        }
        if roots.is_empty() {
            return Err(BadCertificates::None(path.to_owned()));
        }
        Ok(Self(Some(Arc::new(roots))))
    }

    /// What makes a line secret, and sure of its other end.
    pub(super) fn connector(&self) -> Result<TlsConnector, NobodyTrusted> {
        let roots = match &self.0 {
            Some(roots) => Arc::clone(roots),
            None => Arc::new(of_system()?),
        };
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()?
            .with_root_certificates(roots)
            .with_no_client_auth();
        Ok(TlsConnector::from(Arc::new(config)))
    }
}

/// The name that a server's certificate must bear.
pub(super) fn name_of(host: &str) -> Result<ServerName<'static>, InvalidDnsNameError> {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    ServerName::try_from(bare.to_owned())
}

fn of_system() -> Result<RootCertStore, NobodyTrusted> {
    let mut roots = RootCertStore::empty();
    // One that cannot be read or used is no reason to distrust the others.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if roots.is_empty() {
        return Err(NobodyTrusted::NoAuthorities);
    }
    Ok(roots)
}

fn read(path: &Path) -> Result<Vec<u8>, BadCertificates> {
    use io::Read;
    let fault = |error| BadCertificates::File(path.to_owned(), error);
    let file = std::fs::File::open(path).map_err(fault)?;
    let mut text = Vec::new();
    file.take(FILE_BYTES_MAX + 1)
        .read_to_end(&mut text)
        .map_err(fault)?;
    if text.len() as u64 > FILE_BYTES_MAX {
        return Err(BadCertificates::TooLong(path.to_owned()));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_without_authorities_is_named() {
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
    fn a_server_is_named_by_a_word_or_a_number() {
        for host in ["example.org", "127.0.0.1", "[::1]"] {
            assert!(name_of(host).is_ok(), "{host}");
        }
    }
}
