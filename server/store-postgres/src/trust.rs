//! The certificate authorities that vouch for a server's name.

use std::path::Path;
use std::sync::Arc;

use tokio_postgres_rustls::MakeRustlsConnect;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::{self, PemObject};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use super::url::Encryption;

/// Returns what encrypts connections and verifies the server's certificate, or why nothing can. Blocks
/// while files are read; for the start of a program.
pub(super) fn connector(encryption: &Encryption) -> Result<MakeRustlsConnect, String> {
    let mut roots = RootCertStore::empty();
    match encryption {
        // Nothing is ever verified.
        Encryption::Off => {}
        // An unusable certificate is no reason to distrust the others.
        Encryption::Verified(None) => {
            roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        }
        Encryption::Verified(Some(path)) => add_file(&mut roots, path)?,
    }
    if roots.is_empty() && *encryption != Encryption::Off {
        let why = "no certificate authorities to trust; name a file with sslrootcert=FILE";
        return Err(why.to_owned());
    }
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|fault| format!("TLS cannot be used: {fault}"))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}

fn add_file(roots: &mut RootCertStore, path: &Path) -> Result<(), String> {
    let path_shown = path.display();
    let unreadable =
        |fault: pem::Error| format!("the certificates in {path_shown} cannot be read: {fault}");
    for certificate in CertificateDer::pem_file_iter(path).map_err(unreadable)? {
        let certificate = certificate.map_err(unreadable)?;
        roots.add(certificate).map_err(|fault| {
            format!("{path_shown} holds a certificate that cannot be used: {fault}")
        })?;
    }
    Ok(())
}
