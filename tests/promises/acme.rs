//! A certificate from an authority: Pebble, the one that Let's Encrypt has for tests. It is a program of its own: in
//! `tests/run all` only.

mod extended {
    use std::fs;
    use std::net::TcpListener;
    use std::os::unix::fs::PermissionsExt as _;
    use std::path::{Path, PathBuf};
    use std::process::{Child, Command, Stdio};

    use fibfob_tests::{Server, Terminal, with_timeout};
    use rcgen::{CertificateParams, KeyPair};
    use serde_json::json;
    use tempfile::TempDir;

    /// The time that Pebble's certificates are valid, in seconds.
    const VALID_FOR: u64 = 20;

    /// A running authority, which asks for names on one port of this machine.
    struct Authority {
        process: Child,
        folder: TempDir,
        ports: [u16; 2],
    }

    impl Drop for Authority {
        fn drop(&mut self) {
            self.end();
        }
    }

    fn free_port() -> u16 {
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        free.local_addr().unwrap().port()
    }

    impl Authority {
        /// Its files stay.
        fn end(&mut self) {
            let _ = self.process.kill();
            let _ = self.process.wait();
        }

        async fn start(asked: u16) -> Self {
            let folder = TempDir::new().unwrap();
            let path = |name| folder.path().join(name);
            let key = KeyPair::generate().unwrap();
            let params = CertificateParams::new(["localhost".to_owned()]).unwrap();
            fs::write(path("cert.pem"), params.self_signed(&key).unwrap().pem()).unwrap();
            fs::write(path("key.pem"), key.serialize_pem()).unwrap();
            let ports = [free_port(), free_port()];
            let config = json!({"pebble": {
                "listenAddress": format!("127.0.0.1:{}", ports[0]),
                "managementListenAddress": format!("127.0.0.1:{}", ports[1]),
                "certificate": path("cert.pem"), "privateKey": path("key.pem"),
                "httpPort": 1, "tlsPort": asked, "certificateValidityPeriod": VALID_FOR,
            }});
            fs::write(path("pebble.json"), config.to_string()).unwrap();
            let process = Command::new("pebble")
                .arg("-config")
                .arg(path("pebble.json"))
                .env("PEBBLE_VA_NOSLEEP", "1")
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .spawn();
            let authority = Self {
                process: process.expect("pebble is installed"),
                folder,
                ports,
            };
            with_timeout("the authority to answer", async {
                while authority.root().is_empty() {
                    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
                }
            })
            .await;
            authority
        }

        /// The certificate that all of its certificates go back to.
        fn root(&self) -> Vec<u8> {
            let url = format!("https://localhost:{}/roots/0", self.ports[1]);
            let asked = Command::new("curl")
                .args(["--silent", "--fail", "--cacert"])
                .args([self.folder.path().join("cert.pem"), url.into()])
                .output();
            asked.expect("curl is installed").stdout
        }

        fn root_file(&self) -> PathBuf {
            let file = self.folder.path().join("root.pem");
            fs::write(&file, self.root()).unwrap();
            file
        }

        fn options(&self) -> Vec<String> {
            let ca = self.folder.path().join("cert.pem").display().to_string();
            let directory = format!("https://localhost:{}/dir", self.ports[0]);
            let mail = "me@example.org".to_owned();
            [
                ("--acme", "localhost".to_owned()),
                ("--acme-contact", mail),
                ("--acme-directory", directory),
                ("--acme-ca-cert", ca),
                ("--metrics-listen", "same".to_owned()),
            ]
            .into_iter()
            .flat_map(|(option, value)| [option.to_owned(), value])
            .collect()
        }
    }

    async fn restart(server: &mut Server, options: &[String]) {
        server.kill().await;
        let options: Vec<_> = options.iter().map(String::as_str).collect();
        server.set_options(&options);
        server.restart().await;
    }

    fn port_of(server: &Server) -> u16 {
        server
            .address()
            .rsplit(':')
            .next()
            .unwrap()
            .parse()
            .unwrap()
    }

    fn mode(path: &Path) -> u32 {
        path.metadata().unwrap().permissions().mode() & 0o777
    }

    /// The end of the certificate, as the metrics have it.
    fn end_of_certificate(server: &Server, root: &Path) -> f64 {
        let port = port_of(server);
        let asked = Command::new("curl")
            .args(["--silent", "--cacert"])
            .arg(root)
            .arg(format!("https://localhost:{port}/metrics"))
            .output();
        let text = String::from_utf8(asked.unwrap().stdout).unwrap();
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix("fibfob_certificate_not_after_seconds "));
        line.unwrap_or_else(|| panic!("{text}")).parse().unwrap()
    }

    #[tokio::test]
    async fn a_certificate_is_got_renewed_and_swapped_while_a_match_goes_on() {
        let mut server = Server::start().await;
        let mut authority = Authority::start(port_of(&server)).await;
        restart(&mut server, &authority.options()).await;
        server.wait_for_log_line("got a certificate").await;
        let root = authority.root_file();
        let folder = server.file().with_file_name("matches.sqlite-acme");
        let folder = folder.join(format!("localhost-{}", authority.ports[0]));
        let file = folder.join("localhost.pem");
        assert_eq!(mode(&folder), 0o700);
        assert_eq!(mode(&file), 0o600);
        assert_eq!(mode(&folder.join("account.json")), 0o600);

        let url = format!("https://localhost:{}", port_of(&server));
        let mut ada = Terminal::start_at(
            &url,
            &[
                "play",
                "--game",
                "nim",
                "--start",
                "1,2",
                "--bot",
                "perfect",
                "--first",
                "me",
                "--ca-cert",
                root.to_str().unwrap(),
            ],
        );
        ada.type_line("take 1 from 2").await;
        let only = |line: &str| Some(line.strip_prefix("your move (1): ")?.to_owned());
        let only = ada.find_line("the bot's answer", only).await;
        let (first, end) = (fs::read(&file).unwrap(), end_of_certificate(&server, &root));
        with_timeout("another certificate", async {
            while server.logged("got a certificate") < 2 {
                tokio::time::sleep(std::time::Duration::from_millis(100)).await;
            }
        })
        .await;
        assert_ne!(fs::read(&file).unwrap(), first);
        assert!(end_of_certificate(&server, &root) > end);
        ada.type_line(&only).await;
        let ended = ada.wait_for_end().await;
        assert_eq!(
            (ended.code, &ended.errors[..]),
            (Some(0), &[][..]),
            "{ended:?}"
        );

        // A server that starts again has the certificate at once, also without its authority.
        authority.end();
        restart(&mut server, &authority.options()).await;
        assert!(end_of_certificate(&server, &root) > end);
        assert_eq!(server.logged("panicked"), 0);
    }

    #[tokio::test]
    async fn without_a_certificate_the_log_says_why_and_probes_are_answered() {
        let mut server = Server::start().await;
        let mut authority = Authority::start(free_port()).await;
        restart(&mut server, &authority.options()).await;
        let refused = "the authority does not find this server under its name: ";
        server.wait_for_log_line(refused).await;
        let says_why = |ready: &Result<(), String>| {
            ready
                .as_ref()
                .is_err_and(|body| body.contains("no certificate yet"))
        };
        server.wait_until_ready("it is not ready", says_why).await;
        authority.end();
        restart(&mut server, &authority.options()).await;
        server
            .wait_for_log_line("it cannot be reached: Connection refused")
            .await;
    }
}
