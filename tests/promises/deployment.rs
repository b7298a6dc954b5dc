//! The files in deploy/ fit the server and each other, and its commands do what they say. No container
//! is started.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use fibfob_client::Endpoint;
use fibfob_tests::{Server, open_behind, program, skipped, with_timeout};
use tempfile::TempDir;
use tokio::net::UnixDatagram;
use tokio::sync::mpsc;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../deploy")
}

fn text(name: &str) -> String {
    fs::read_to_string(folder().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The names in a text that are made of capitals, digits and underscores.
fn capitals(text: &str) -> BTreeSet<&str> {
    let is_part =
        |letter: char| letter.is_ascii_uppercase() || letter.is_ascii_digit() || letter == '_';
    text.split(|letter| !is_part(letter))
        .filter(|word| !word.is_empty())
        .collect()
}

#[tokio::test]
async fn the_server_knows_every_variable_that_containers_and_the_package_set() {
    let help = Server::task_on(Path::new("unused"), &["--help"]).await;
    let help = String::from_utf8(help.stdout).unwrap();
    let known = capitals(&help);
    let files = [
        "compose.yaml",
        "compose.cluster.yaml",
        "Dockerfile",
        "debian/fibfob-server.service",
        "debian/fibfob-server.default",
    ];
    let texts = files.map(text).concat();
    let mut set = capitals(&texts);
    set.retain(|name| name.starts_with("FIBFOB_"));
    assert!(set.len() >= 4, "{set:?}");
    for name in set {
        assert!(known.contains(name), "{name} is no variable of the server");
    }
}

#[test]
fn compose_mounts_files_that_are_there_and_sets_what_the_balancer_reads() {
    let compose = text("compose.cluster.yaml");
    let mounted = compose
        .lines()
        .filter_map(|line| line.trim().strip_prefix("- ./"));
    let mounted: Vec<_> = mounted.filter_map(|rest| rest.split(':').next()).collect();
    assert!(mounted.contains(&"haproxy.cfg"), "{mounted:?}");
    for name in mounted {
        assert!(folder().join(name).exists(), "deploy/{name} is missing");
    }
    let balancer = text("haproxy.cfg");
    let read = balancer
        .split("${")
        .skip(1)
        .filter_map(|rest| rest.split('}').next());
    for name in read {
        assert!(
            compose.contains(&format!("      {name}: \"")),
            "{name} is not set"
        );
    }
}

#[tokio::test]
async fn a_service_manager_is_told_when_the_server_is_ready_and_when_it_stops() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("notify");
    let manager = UnixDatagram::bind(&path).unwrap();
    let told = async |what: &str| {
        let mut said = [0; 64];
        let length = with_timeout(what, manager.recv(&mut said)).await.unwrap();
        String::from_utf8(said[..length].to_vec()).unwrap()
    };
    let under = [
        "env".to_owned(),
        format!("NOTIFY_SOCKET={}", path.display()),
    ];
    let mut server = Server::start_wrapped(under.to_vec(), None, &[]).await;
    assert_eq!(told("its readiness").await, "READY=1");
    assert_eq!(server.ready().await, Ok(()));
    assert_eq!(server.terminate().await, Some(0));
    assert_eq!(told("its end").await, "STOPPING=1");
}

#[tokio::test]
async fn ready_tells_whether_the_server_at_the_same_address_is() {
    let mut server = Server::start().await;
    let ask = async |words: &[&str], listen: &str| {
        let asked = tokio::process::Command::new(program("fibfob-server"))
            .args(words)
            .env("FIBFOB_LISTEN", listen)
            .output();
        let asked = with_timeout("an answer", asked).await.unwrap();
        let error = String::from_utf8(asked.stderr).unwrap();
        (asked.status.code(), error)
    };
    let port = server.address().rsplit(':').next().unwrap().to_owned();
    let (url, anywhere) = (
        format!("http://{}", server.address()),
        format!("0.0.0.0:{port}"),
    );
    server.wait_until_ready("it is ready", Result::is_ok).await;
    let ready = (Some(0), String::new());
    assert_eq!(ask(&["ready"], &anywhere).await, ready);
    assert_eq!(ask(&["ready", &url], "127.0.0.1:1").await, ready);
    let (code, error) = ask(&["ready"], "127.0.0.1:0").await;
    assert_eq!(code, Some(1));
    assert!(error.contains("--listen names no port"), "{error}");

    fs::rename(server.file(), server.file().with_extension("away")).unwrap();
    server.wait_until_ready("it is not", Result::is_err).await;
    let (code, error) = ask(&["ready"], &anywhere).await;
    assert_eq!(code, Some(1));
    assert!(error.contains("/readyz answers 503"), "{error}");
    server.kill().await;
    let (code, error) = ask(&["ready"], &anywhere).await;
    assert_eq!(code, Some(1));
    assert!(error.contains("cannot be reached"), "{error}");
}

#[test]
fn the_unit_is_a_hardened_one() {
    let unit = folder().join("debian/fibfob-server.service");
    // In tenths.
    let asked = Command::new("systemd-analyze")
        .args(["security", "--offline=true", "--threshold=25", "--no-pager"])
        .arg(unit)
        .output();
    match asked {
        Ok(asked) => assert!(
            asked.status.success(),
            "{}",
            String::from_utf8_lossy(&asked.stdout)
        ),
        Err(_) => skipped("there is no systemd-analyze"),
    }
}

#[test]
fn the_package_has_files_that_are_there() {
    let manifest = fs::read_to_string(folder().join("../server/Cargo.toml")).unwrap();
    let manifest: toml::Table = manifest.parse().unwrap();
    let package = &manifest["package"]["metadata"]["deb"];
    let pages = TempDir::new().unwrap();
    let made = Command::new(program("pages")).arg(pages.path()).status();
    assert!(made.unwrap().success());
    // The licences and the changelog are made by the script.
    let by_script = [
        "fibfob",
        "fibfob-server",
        "package/THIRD-PARTY.txt",
        "package/changelog.Debian.gz",
    ];
    for asset in package["assets"].as_array().unwrap() {
        let source = asset[0].as_str().unwrap();
        let exists = match source.strip_prefix("target/release/") {
            Some(built) if by_script.contains(&built) => true,
            // Compressed by it.
            Some("package/man/*.1.gz") => pages.path().join("man/fibfob-play.1").exists(),
            Some(built) => pages
                .path()
                .join(built.trim_start_matches("package/"))
                .exists(),
            // A star in the name stands for the files of a kind.
            None => {
                let (within, name) = source.rsplit_once('/').unwrap();
                let there = std::fs::read_dir(folder().join("../server").join(within)).unwrap();
                let mut names =
                    there.map(|entry| entry.unwrap().file_name().into_string().unwrap());
                let fits = |found: String| match name.split_once('*') {
                    Some((head, tail)) => found.starts_with(head) && found.ends_with(tail),
                    None => found == name,
                };
                names.any(fits)
            }
        };
        assert!(exists, "{source}");
    }
}

/// Those that need HAProxy: in `tests/run all` only.
mod extended {
    use super::*;

    /// The processes of `tests/cluster/start`, which end with this.
    struct Cluster {
        script: Child,
        port: u16,
        folder: PathBuf,
    }

    impl Cluster {
        fn start() -> Self {
            // Those of two tests at the same time differ.
            static TRIED: AtomicU16 = AtomicU16::new(0);
            let port = loop {
                let first = 20_000 + 10 * TRIED.fetch_add(1, Ordering::Relaxed);
                assert!(first < 30_000, "some ports are free");
                let is_free = |port| TcpListener::bind(("127.0.0.1", port)).is_ok();
                if (first..first + 6).all(is_free) {
                    break first;
                }
            };
            let mut script = Command::new("setpriv");
            script
                .args(["--pdeathsig", "TERM", "--"])
                .arg(folder().join("../tests/cluster/start"))
                .env("PORT", port.to_string())
                .env("FIBFOB_SERVER", program("fibfob-server"))
                .stdin(Stdio::null())
                .stdout(Stdio::piped());
            let mut script = script.spawn().expect("setpriv is installed");
            let output = script.stdout.take().expect("it is piped");
            let mut lines = BufReader::new(output).lines().map_while(Result::ok);
            let ready = lines.find_map(|line| {
                let folder = line.strip_prefix("ready in ")?.split(';').next()?;
                Some(folder.into())
            });
            let folder = ready.expect("the cluster starts: it says why not");
            // It goes on to say what it does.
            thread::spawn(|| lines.for_each(drop));
            Self {
                script,
                port,
                folder,
            }
        }

        fn signal(signal: &str, process: &str) {
            let sent = Command::new("kill").args([signal, process]).status();
            assert!(sent.expect("kill is installed").success());
        }

        /// What a server answers, empty if it does not.
        fn said(&self, server: u16, path: &str) -> String {
            let url = format!("http://127.0.0.1:{}{path}", self.port + server);
            let asked = Command::new("curl")
                .args(["--silent", "--fail", "--max-time", "10", &url])
                .output();
            String::from_utf8_lossy(&asked.expect("curl is installed").stdout).into_owned()
        }

        /// True if a player is connected to this server.
        fn has_player(&self, server: u16) -> bool {
            let metrics = self.said(server, "/metrics");
            let mut players = metrics
                .lines()
                .filter(|line| line.starts_with("fibfob_connections{") && !line.ends_with(" 0"));
            players.next().is_some()
        }
    }

    impl Drop for Cluster {
        fn drop(&mut self) {
            Self::signal("-TERM", &self.script.id().to_string());
            let _ = self.script.wait();
        }
    }

    /// A stopped process, which goes on when this is dropped: the cluster's end waits for it.
    struct Frozen(String);

    impl Frozen {
        fn freeze(process: &str) -> Self {
            Cluster::signal("-STOP", process);
            Self(process.to_owned())
        }
    }

    impl Drop for Frozen {
        fn drop(&mut self) {
            Cluster::signal("-CONT", &self.0);
        }
    }

    /// The silence after which a server's players count as away.
    const AWAY_AFTER: Duration = fibfob_store::limits::SERVICE_GAP;
    /// A busy server may answer a check late, and be passed over for a while.
    const PLAYERS_MAX: usize = 30;

    #[tokio::test]
    async fn the_balancer_ends_the_connections_to_a_frozen_server() {
        let cluster = Cluster::start();
        let balancer = format!("ws://127.0.0.1:{}", cluster.port);
        let endpoint = Endpoint::new(balancer.parse().unwrap());
        let (ended, mut endings) = mpsc::channel(PLAYERS_MAX);
        let mut number = 0;
        while !(1..=3).all(|server| cluster.has_player(server)) {
            assert!(number < PLAYERS_MAX, "the balancer leaves a server out");
            number += 1;
            let mut connection = open_behind(&endpoint).await;
            connection
                .hello(Some(format!("Ada {number}")), None)
                .await
                .unwrap();
            let ended = ended.clone();
            tokio::spawn(async move {
                while connection.receive_text().await.is_ok() {}
                let _ = ended.send(number).await;
            });
        }
        let server = fs::read_to_string(cluster.folder.join("server-1.pid")).unwrap();
        let _frozen = Frozen::freeze(server.trim());
        let frozen_at = Instant::now();
        with_timeout("an end", endings.recv()).await;
        let kept_for = frozen_at.elapsed();
        println!("a frozen server kept its players for {kept_for:.1?}");
        assert!(kept_for < AWAY_AFTER, "its players did not count as away");
        assert!(
            (2..=3).all(|server| cluster.has_player(server)),
            "those to the other servers stay"
        );
    }
}
