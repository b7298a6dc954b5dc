//! The certificate authorities that vouch for a server's name.

use fibfob_net::trust::{client_config, roots_of, system_roots};
use tokio_postgres_rustls::MakeRustlsConnect;
use tokio_rustls::rustls::RootCertStore;

use super::url::Encryption;

/// Returns what encrypts connections and verifies the server's certificate, or why nothing can. Blocks
/// while files are read; for the start of a program.
pub(super) fn connector(encryption: &Encryption) -> Result<MakeRustlsConnect, String> {
    let roots = match encryption {
        // Nothing is ever verified.
        Encryption::Off => RootCertStore::empty(),
        Encryption::Verified(None) => system_roots(),
        Encryption::Verified(Some(path)) => roots_of(path).map_err(|wrong| wrong.to_string())?,
    };
    if roots.is_empty() && *encryption != Encryption::Off {
        let why = "no certificate authorities to trust; name a file with sslrootcert=FILE";
        return Err(why.to_owned());
    }
    let config = client_config(roots).map_err(|fault| format!("TLS cannot be used: {fault}"))?;
    Ok(MakeRustlsConnect::new(config))
}
