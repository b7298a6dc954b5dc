//! TLS from the terminal client to a server with a private certificate.

use std::path::Path;

use fibfob_tests::{Server, Terminal};
use rcgen::{BasicConstraints, CertificateParams, IsCa, KeyPair};
use tempfile::TempDir;

struct Secured {
    server: Server,
    folder: TempDir,
}

impl Secured {
    async fn start() -> Self {
        Self::start_as(IsCa::NoCa).await
    }

    /// Starts a server whose certificate says this of itself.
    async fn start_as(is_ca: IsCa) -> Self {
        let folder = TempDir::new().unwrap();
        let path = |name| folder.path().join(name).display().to_string();
        let (cert_file, key_file) = (path("cert.pem"), path("key.pem"));
        let mut params = CertificateParams::new(["127.0.0.1".to_owned()]).unwrap();
        params.is_ca = is_ca;
        let signing_key = KeyPair::generate().unwrap();
        let cert = params.self_signed(&signing_key).unwrap();
        std::fs::write(&cert_file, cert.pem()).unwrap();
        std::fs::write(&key_file, signing_key.serialize_pem()).unwrap();
        let options = ["--tls-cert", &cert_file, "--tls-key", &key_file];
        let server = Server::start_with(&options).await;
        Self { server, folder }
    }

    fn fibfob(&self, scheme: &str, words: &[&str]) -> Terminal {
        let url = format!("{scheme}://{}", self.server.address());
        Terminal::start_at(&url, words)
    }
}

const MATCH: [&str; 10] = [
    "play", "--auto", "--game", "nim", "--start", "1,2", "--bot", "perfect", "--first", "me",
];

#[tokio::test]
async fn a_match_is_played_under_a_private_certificate() {
    let secured = Secured::start().await;
    let authority = secured.folder.path().join("cert.pem");
    let trusting = ["--ca-cert", authority.to_str().unwrap()];
    let fibfob = secured.fibfob("https", &[&MATCH[..], &trusting[..]].concat());
    let ended = fibfob.wait_for_end().await;
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let last = ended.lines.last();
    assert!(
        last.is_some_and(|line| line.contains("erased")),
        "{ended:?}"
    );
}

#[tokio::test]
async fn probes_need_no_certificate_and_everything_else_needs_tls() {
    let secured = Secured::start().await;
    let server = &secured.server;
    server.wait_until_ready("it is ready", Result::is_ok).await;
    let refused = server.get("/").await.unwrap_err();
    assert!(refused.contains("400"), "{refused}");
    let asked = Server::task_on(
        Path::new("unused"),
        &["--listen", server.address(), "ready"],
    )
    .await;
    assert!(asked.status.success(), "{asked:?}");
}

#[tokio::test]
async fn a_server_without_a_trusted_certificate_is_refused() {
    let secured = Secured::start().await;
    let refused = async |scheme, words: &[&str]| {
        let ended = secured
            .fibfob(scheme, &[&MATCH[..], words].concat())
            .wait_for_end()
            .await;
        assert_eq!(ended.code, Some(1), "{ended:?}");
        ended.errors.join("\n")
    };
    let other = Secured::start().await;
    let authority = other.folder.path().join("cert.pem");
    let told = refused("wss", &["--ca-cert", authority.to_str().unwrap()]).await;
    assert!(told.contains("its certificate is not trusted"), "{told}");
    let told = refused("http", &[]).await;
    assert!(told.contains("if it uses TLS, write https://"), "{told}");
    let told = refused("https", &["--ca-cert", "/nowhere/ca.pem"]).await;
    assert!(told.contains("cannot read /nowhere/ca.pem"), "{told}");
}

#[tokio::test]
async fn the_certificate_of_the_usual_openssl_command_is_refused_in_words() {
    let secured = Secured::start_as(IsCa::Ca(BasicConstraints::Unconstrained)).await;
    let authority = secured.folder.path().join("cert.pem");
    let words = [&MATCH[..], &["--ca-cert", authority.to_str().unwrap()]].concat();
    let ended = secured.fibfob("https", &words).wait_for_end().await;
    assert_eq!(ended.code, Some(1), "{ended:?}");
    let told = ended.errors.join("\n");
    let remedy = "made with `-addext basicConstraints=critical,CA:FALSE`";
    assert!(told.contains(remedy), "{told}");
}

#[tokio::test]
async fn tls_to_a_plain_server_ends_with_a_clear_error() {
    let server = Server::start().await;
    let folder = Secured::start().await.folder;
    let authority = folder.path().join("cert.pem");
    let url = format!("https://{}", server.address());
    let words = [&MATCH[..], &["--ca-cert", authority.to_str().unwrap()]].concat();
    let ended = Terminal::start_at(&url, &words).wait_for_end().await;
    assert_eq!(ended.code, Some(1), "{ended:?}");
    let told = ended.errors.join("\n");
    assert!(
        told.contains("it does not use TLS; write http://"),
        "{told}"
    );
}
