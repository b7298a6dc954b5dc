//! Orders one certificate from an authority: account, order, challenge (RFC 8555).

use std::fs;
use std::io::{self, ErrorKind};
use std::path::PathBuf;
use std::pin::Pin;

use fibfob_net::tls::TlsError;
use http_body_util::{BodyExt as _, Full};
use hyper::Request;
use hyper::body::Bytes;
use instant_acme::{
    Account, AccountCredentials, AuthorizationStatus, BodyWrapper, BytesResponse, ChallengeType,
    Error, HttpClient, Identifier, NewAccount, NewOrder, Order, OrderStatus, RetryPolicy,
};
use rcgen::{CertificateParams, CustomExtension, KeyPair};
use thiserror::Error;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls;

use super::{Acme, write};
use crate::limits::{ACME_ANSWER_BYTES_MAX, ACME_WITHIN};
use crate::outgoing::answer_to;

/// An authority's answer to an unknown account (RFC 8555, 6.7).
const NO_ACCOUNT: &str = "urn:ietf:params:acme:error:accountDoesNotExist";

/// The reason why there is no certificate.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "each is what its text says")]
pub enum AcmeError {
    #[error("a certificate by --acme needs a folder that lasts: name it with --acme-folder")]
    Nowhere,
    #[error("cannot use {0}: {1}")]
    File(PathBuf, io::Error),
    #[error("the authority: {0}")]
    Authority(#[from] Error),
    #[error(
        "the authority does not find this server under its name: {0}; the name must lead to this machine, and its \
         port 443 to --listen"
    )]
    Challenge(String),
    #[error("the authority does not ask on port 443 (tls-alpn-01)")]
    NoChallenge,
    #[error("no key can be made: {0}")]
    Key(#[from] rcgen::Error),
    #[error(transparent)]
    Unusable(#[from] TlsError),
    #[error("TLS cannot be used: {0}")]
    Tls(#[from] rustls::Error),
    #[error("nothing was done within {}", humantime::format_duration(ACME_WITHIN))]
    Late,
}

/// The HTTP client for an authority.
struct AuthorityClient(TlsConnector);

impl HttpClient for AuthorityClient {
    fn request(
        &self,
        request: Request<BodyWrapper<Bytes>>,
    ) -> Pin<Box<dyn Future<Output = Result<BytesResponse, Error>> + Send>> {
        let connector = self.0.clone();
        Box::pin(async move {
            let (head, body) = request.into_parts();
            let Ok(body) = body.collect().await;
            let request = Request::from_parts(head, Full::new(body.to_bytes()));
            let answer = answer_to(request, connector, ACME_ANSWER_BYTES_MAX).await;
            let answer = answer.map_err(|error| Error::Other(Box::new(error)))?;
            Ok(BytesResponse::from(answer.map(Full::new)))
        })
    }
}

/// Gets a certificate. Returns it with its chain and its key, in the form of a file.
pub(super) async fn certificate_for(acme: &Acme) -> Result<String, AcmeError> {
    let names = [Identifier::Dns(acme.name.clone())];
    let asked = NewOrder::new(&names);
    let mut order = match account(acme).await?.new_order(&asked).await {
        Err(Error::Api(problem)) if problem.r#type.as_deref() == Some(NO_ACCOUNT) => {
            // The authority no longer knows the account.
            set_account_aside(acme, &problem.to_string())?;
            account(acme).await?.new_order(&asked).await?
        }
        order => order?,
    };
    show_name(acme, &mut order).await?;
    let retries = RetryPolicy::new().timeout(ACME_WITHIN);
    match order.poll_ready(&retries).await {
        Ok(OrderStatus::Ready) => {}
        Ok(_) | Err(Error::Api(_)) => {
            return Err(AcmeError::Challenge(why_refused(&mut order).await?));
        }
        Err(error) => return Err(error.into()),
    }
    let key = KeyPair::generate()?;
    let mut asked = CertificateParams::new([acme.name.clone()])?;
    asked.distinguished_name = rcgen::DistinguishedName::new();
    order
        .finalize_csr(asked.serialize_request(&key)?.der())
        .await?;
    let chain = order.poll_certificate(&retries).await?;
    Ok(key.serialize_pem() + &chain)
}

fn file_of_account(acme: &Acme) -> PathBuf {
    acme.folder.join("account.json")
}

/// Keeps an account that cannot be used under another name, so that a new one is made.
fn set_account_aside(acme: &Acme, fault: &str) -> Result<(), AcmeError> {
    let file = file_of_account(acme);
    let aside = file.with_extension("unusable");
    tracing::warn!(%fault, aside = %aside.display(), "the saved account at the certificate authority cannot be used; it is kept under another name, and a new one is made");
    fs::rename(&file, aside).map_err(|error| AcmeError::File(file, error))
}

/// Reads the saved account; none if there is no usable one.
fn saved_account(acme: &Acme) -> Result<Option<AccountCredentials>, AcmeError> {
    let file = file_of_account(acme);
    let text = match fs::read(&file) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        text => text.map_err(|error| AcmeError::File(file, error))?,
    };
    match serde_json::from_slice(&text) {
        Ok(credentials) => Ok(Some(credentials)),
        // As a full disk or a power cut has left it.
        Err(fault) => set_account_aside(acme, &fault.to_string()).map(|()| None),
    }
}

/// Returns the account at the authority: the saved one, or a new one.
async fn account(acme: &Acme) -> Result<Account, AcmeError> {
    let file = file_of_account(acme);
    let builder = Account::builder_with_http(Box::new(AuthorityClient(acme.connector.clone())));
    match saved_account(acme)? {
        Some(credentials) => Ok(builder.from_credentials(credentials).await?),
        None => {
            let contact: Vec<_> = acme.contact.as_deref().into_iter().collect();
            let asked = NewAccount {
                contact: &contact,
                terms_of_service_agreed: true,
                only_return_existing: false,
            };
            let made = builder.create(&asked, acme.directory.clone(), None).await;
            let (account, credentials) = made?;
            let text = serde_json::to_string(&credentials).map_err(Error::from)?;
            write(&file, &text)?;
            Ok(account)
        }
    }
}

/// Proves to the authority that the name is this server's, unless it remembers.
async fn show_name(acme: &Acme, order: &mut Order) -> Result<(), AcmeError> {
    let mut asked = order.authorizations();
    while let Some(asked) = asked.next().await {
        let mut asked = asked?;
        if asked.status == AuthorizationStatus::Valid {
            continue;
        }
        let challenge = asked.challenge(ChallengeType::TlsAlpn01);
        let mut challenge = challenge.ok_or(AcmeError::NoChallenge)?;
        let digest = challenge.key_authorization().digest();
        let key = KeyPair::generate()?;
        let mut shown = CertificateParams::new([acme.name.clone()])?;
        shown.custom_extensions = vec![CustomExtension::new_acme_identifier(digest.as_ref())];
        let shown = shown.self_signed(&key)?;
        let key = rustls::pki_types::PrivatePkcs8KeyDer::from(key.serialize_der());
        acme.tls
            .answer_challenge(Some((shown.der().clone(), key.into())))?;
        challenge.set_ready().await?;
    }
    Ok(())
}

/// Returns the authority's reason for refusing the name.
async fn why_refused(order: &mut Order) -> Result<String, AcmeError> {
    let mut asked = order.authorizations();
    while let Some(asked) = asked.next().await {
        let mut asked = asked?;
        let state = asked.refresh().await?;
        let mut errors = state
            .challenges
            .iter()
            .filter_map(|challenge| challenge.error.as_ref());
        if let Some(problem) = errors.next() {
            return Ok(problem
                .detail
                .clone()
                .unwrap_or_else(|| problem.to_string()));
        }
    }
    Ok("it does not say why".to_owned())
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use fibfob_server_matches::clock::Clock;

    use super::*;
    use crate::args::Args;

    #[test]
    fn a_torn_account_is_set_aside_and_the_next_order_makes_a_new_one() {
        let folder = tempfile::TempDir::new().unwrap();
        let place = folder.path().to_str().unwrap();
        let words = [
            "fibfob-server",
            "--acme",
            "fib.example",
            "--acme-folder",
            place,
        ];
        let options = Args::try_parse_from(words).unwrap().acme;
        let acme = Acme::begin(&options, None, Clock::default())
            .unwrap()
            .unwrap();
        assert!(saved_account(&acme).unwrap().is_none(), "no account yet");
        let file = file_of_account(&acme);
        // As a full disk has left it.
        write(&file, "{\"id\":").unwrap();
        assert!(saved_account(&acme).unwrap().is_none());
        assert!(!file.exists() && file.with_extension("unusable").exists());
    }
}
