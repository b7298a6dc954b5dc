//! The authorities that other servers are trusted by, and the TLS with them.

use std::path::Path;
use std::sync::Arc;

use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::{self, ClientConfig, RootCertStore};

use crate::tls::{TlsError, certificates};

/// Reads the authorities that the operating system trusts; none if it has no list. Blocks while files are read.
#[must_use]
pub fn system_roots() -> RootCertStore {
    let mut roots = RootCertStore::empty();
    // An unusable certificate is no reason to distrust the others.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    roots
}

/// Reads the authorities to trust from this file alone. Blocks while a small file is read.
///
/// # Errors
/// [`TlsError`], which names the file; also if it has none, or one that cannot be used.
pub fn roots_of(path: &Path) -> Result<RootCertStore, TlsError> {
    let mut roots = RootCertStore::empty();
    for certificate in certificates(path)? {
        roots.add(certificate).map_err(|fault| {
            let path = path.display();
            TlsError(format!(
                "{path} holds a certificate that cannot be used: {fault}"
            ))
        })?;
    }
    Ok(roots)
}

/// Makes the TLS settings of a client that trusts these authorities.
///
/// # Errors
/// If the library cannot be used.
pub fn client_config(trusted: RootCertStore) -> Result<ClientConfig, rustls::Error> {
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_root_certificates(trusted)
        .with_no_client_auth();
    Ok(config)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::PEM_BYTES_MAX;

    #[test]
    fn an_unusable_file_is_named_in_the_error() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("ca.pem");
        let wrong = || roots_of(&path).unwrap_err().to_string();
        assert!(wrong().starts_with("cannot read"), "{}", wrong());
        let unusable = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
        for (text, expected) in [
            ("", "has no certificate; expected"),
            (unusable, "that cannot be used"),
            (&"-".repeat(PEM_BYTES_MAX as usize + 1), "more than"),
        ] {
            std::fs::write(&path, text).unwrap();
            let wrong = wrong();
            assert!(
                wrong.contains(expected) && wrong.contains("ca.pem"),
                "{wrong}"
            );
        }
    }
}
