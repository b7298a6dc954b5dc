//! The proxies of deploy/proxies/, each before a server of its own: TLS, WebSocket and forwarded
//! addresses. They are programs of their own: in `tests/run all` only.

mod extended {
    use std::fs;
    use std::net::TcpListener;
    use std::path::Path;
    use std::process::{Child, Command, Stdio};
    use std::time::Duration;

    use fibfob_client::{Endpoint, Trust};
    use fibfob_tests::{Server, Terminal, open_behind, with_timeout};
    use rcgen::{CertificateParams, KeyPair};
    use tempfile::TempDir;

    /// A running proxy with a certificate of its own, before a server.
    struct Proxied {
        server: Server,
        proxy: Child,
        folder: TempDir,
        port: u16,
    }

    impl Drop for Proxied {
        fn drop(&mut self) {
            let ended = Command::new("kill")
                .arg(self.proxy.id().to_string())
                .status();
            assert!(ended.is_ok_and(|status| status.success()), "the proxy ran");
            let _ = self.proxy.wait();
        }
    }

    /// What stands in a file of deploy/proxies/ with these places in it replaced.
    fn snippet(name: &str, replaced: &[(&str, String)]) -> String {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../deploy/proxies");
        let mut text = fs::read_to_string(folder.join(name)).unwrap();
        for (from, to) in replaced {
            assert!(text.contains(from), "{name} has {from}");
            text = text.replace(from, to);
        }
        text
    }

    impl Proxied {
        /// Starts a server that takes one connection from an address, and the proxy before it: the
        /// command that `configure` returns, with its configuration in the given folder.
        async fn start(configure: impl Fn(&Path, u16, &str) -> Command) -> Self {
            let folder = TempDir::new().unwrap();
            let free = TcpListener::bind("127.0.0.1:0").unwrap();
            let port = free.local_addr().unwrap().port();
            drop(free);
            let options = [
                "--trusted-proxy",
                "127.0.0.1",
                "--connections-per-address",
                "1",
            ];
            let server = Server::start_with(&options).await;
            let params = CertificateParams::new(["localhost".to_owned()]).unwrap();
            let key = KeyPair::generate().unwrap();
            let (cert, key) = (params.self_signed(&key).unwrap().pem(), key.serialize_pem());
            let path = |name| folder.path().join(name);
            fs::write(path("cert.pem"), &cert).unwrap();
            fs::write(path("key.pem"), &key).unwrap();
            fs::write(path("cert-and-key.pem"), cert + &key).unwrap();
            let mut command = configure(folder.path(), port, server.address());
            let proxy = command.stdin(Stdio::null()).stdout(Stdio::null()).spawn();
            let proxied = Self {
                server,
                proxy: proxy.expect("the proxy is installed"),
                folder,
                port,
            };
            with_timeout("the proxy to answer", async {
                while proxied.status("127.0.0.1", "/healthz", &[]) != "200" {
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            })
            .await;
            proxied
        }

        /// The status of the answer to a request from this address with these headers.
        fn status(&self, from: &str, path: &str, headers: &[&str]) -> String {
            let cert = self.folder.path().join("cert.pem");
            let url = format!("https://localhost:{}{path}", self.port);
            let mut curl = Command::new("curl");
            curl.args([
                "--silent",
                "--http1.1",
                "--ipv4",
                "--max-time",
                "5",
                "--cacert",
            ])
            .arg(cert)
            .args([
                "--interface",
                from,
                "--output",
                "/dev/null",
                "--write-out",
                "%{http_code}",
            ])
            .args(headers.iter().flat_map(|header| ["--header", header]))
            .arg(url);
            // One that was upgraded stays open until the time is over.
            let asked = curl.output().expect("curl is installed");
            String::from_utf8(asked.stdout).unwrap()
        }

        fn upgrade(&self, from: &str, further: &[&str]) -> String {
            let headers = [
                "Connection: Upgrade",
                "Upgrade: websocket",
                "Sec-WebSocket-Version: 13",
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
                "Sec-WebSocket-Protocol: fibfob.v1",
            ];
            self.status(from, "/ws", &[&headers[..], further].concat())
        }

        /// A whole match goes through, and every client counts by its own address.
        async fn carries_players(self) {
            let cert = self.folder.path().join("cert.pem");
            let url = format!("https://localhost:{}", self.port);
            let words = [
                "play", "--auto", "--game", "nim", "--start", "1,2", "--bot", "perfect",
            ];
            let trusting = ["--first", "me", "--ca-cert", cert.to_str().unwrap()];
            let played = Terminal::start_at(&url, &[&words[..], &trusting].concat());
            let ended = played.wait_for_end().await;
            assert_eq!(ended.code, Some(0), "{ended:?}");

            let mut endpoint = Endpoint::new(url.parse().unwrap());
            endpoint.trust = Trust::only(&cert).unwrap();
            // The terminal's connection may be counted for a moment longer.
            let _connection = open_behind(&endpoint).await;
            assert_eq!(self.upgrade("127.0.0.1", &[]), "429", "it has one");
            let forged = ["X-Forwarded-For: 192.0.2.7"];
            assert_eq!(
                self.upgrade("127.0.0.1", &forged),
                "429",
                "a forged address"
            );
            assert_eq!(self.upgrade("127.0.0.2", &[]), "101", "another address");
            assert_eq!(self.server.logged("panicked"), 0);
        }
    }

    #[tokio::test]
    async fn nginx_carries_players() {
        let configure = |folder: &Path, port: u16, server: &str| {
            let at = |name| folder.join(name).display().to_string();
            let replaced = [
                ("443", port.to_string()),
                ("play.example.org;", "localhost;".to_owned()),
                ("/etc/ssl/play.example.org/cert.pem", at("cert.pem")),
                ("/etc/ssl/play.example.org/key.pem", at("key.pem")),
                ("127.0.0.1:7171", server.to_owned()),
            ];
            fs::write(at("site.conf"), snippet("nginx.conf", &replaced)).unwrap();
            let places: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
                .map(|name| format!("{name}_temp_path {};\n", at(name)))
                .concat();
            let main = format!(
                "pid {};\ndaemon off;\nevents {{}}\nhttp {{\naccess_log off;\n{places}include {};\n}}\n",
                at("pid"),
                at("site.conf")
            );
            fs::write(at("nginx.conf"), main).unwrap();
            let mut nginx = Command::new("/usr/sbin/nginx");
            nginx.args(["-p", &at(""), "-e", "stderr", "-c", &at("nginx.conf")]);
            nginx
        };
        Proxied::start(configure).await.carries_players().await;
    }

    #[tokio::test]
    async fn caddy_carries_players() {
        let configure = |folder: &Path, port: u16, server: &str| {
            let at = |name| folder.join(name).display().to_string();
            let replaced = [
                (
                    "play.example.org {",
                    format!(
                        "https://localhost:{port} {{\n\ttls {} {}",
                        at("cert.pem"),
                        at("key.pem")
                    ),
                ),
                ("127.0.0.1:7171", server.to_owned()),
            ];
            let site = snippet("Caddyfile", &replaced);
            // Caddy's port for plain HTTP and its socket for administration are not for a test.
            let text = format!("{{\n\tadmin off\n\tauto_https off\n}}\n{site}");
            fs::write(at("Caddyfile"), text).unwrap();
            let mut caddy = Command::new("caddy");
            caddy.args([
                "run",
                "--adapter",
                "caddyfile",
                "--config",
                &at("Caddyfile"),
            ]);
            caddy
                .env("HOME", folder)
                .env("XDG_DATA_HOME", folder)
                .env("XDG_CONFIG_HOME", folder);
            caddy
        };
        Proxied::start(configure).await.carries_players().await;
    }

    #[tokio::test]
    async fn haproxy_carries_players() {
        let configure = |folder: &Path, port: u16, server: &str| {
            let at = |name| folder.join(name).display().to_string();
            let replaced = [
                (":443", format!("127.0.0.1:{port}")),
                (
                    "/etc/ssl/play.example.org/cert-and-key.pem",
                    at("cert-and-key.pem"),
                ),
                ("127.0.0.1:7171", server.to_owned()),
            ];
            fs::write(at("haproxy.cfg"), snippet("haproxy.cfg", &replaced)).unwrap();
            let mut haproxy = Command::new("/usr/sbin/haproxy");
            haproxy.args(["-db", "-f", &at("haproxy.cfg")]);
            haproxy
        };
        Proxied::start(configure).await.carries_players().await;
    }
}
