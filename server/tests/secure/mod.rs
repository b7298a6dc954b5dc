//! Self-signed certificates, and clients that trust them.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rcgen::{CertifiedKey, generate_simple_self_signed};
use tempfile::TempDir;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

/// A certificate for 127.0.0.1 and its key, in files.
pub struct Certificate {
    folder: TempDir,
}

impl Certificate {
    pub fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let certificate = Self { folder };
        certificate.renew();
        certificate
    }

    /// Replaces certificate and key in the same files.
    pub fn renew(&self) {
        let made = generate_simple_self_signed(["127.0.0.1".to_owned()]);
        let CertifiedKey { cert, signing_key } = made.unwrap();
        std::fs::write(self.file(), cert.pem()).unwrap();
        std::fs::write(self.key(), signing_key.serialize_pem()).unwrap();
    }

    /// A copy of the present certificate.
    pub fn copy(&self) -> PathBuf {
        let copy = self.folder.path().join("copy.pem");
        std::fs::copy(self.file(), &copy).unwrap();
        copy
    }

    pub fn file(&self) -> PathBuf {
        self.folder.path().join("cert.pem")
    }

    pub fn key(&self) -> PathBuf {
        self.folder.path().join("key.pem")
    }
}

/// A TLS connection of a client that trusts only this certificate.
pub async fn connect(address: SocketAddr, trusted: &Path) -> std::io::Result<TlsStream<TcpStream>> {
    let mut roots = RootCertStore::empty();
    let trusted = CertificateDer::from_pem_file(trusted).unwrap();
    roots.add(trusted).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::from(address.ip());
    let line = TcpStream::connect(address).await?;
    TlsConnector::from(Arc::new(config))
        .connect(name, line)
        .await
}
