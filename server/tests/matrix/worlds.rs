//! A store with a match, the users and disks of an operator, and how a command of the server program ends there.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use fibfob_protocol::{FirstMoveRule, MatchSetup, Opponent, RequestBody, Start};
use fibfob_server::{Clock, Config};
use fibfob_store::Store;
use fibfob_store_sqlite::{Sqlite, backup_file};
use tempfile::TempDir;

use crate::fixture::TestServer;

/// The user whose server uses the store, and another one. Neither needs a name.
pub(crate) const OWNER: u32 = 64_717;
pub(crate) const STRANGER: u32 = 64_718;
/// Ends a command that hangs, so that the test names it.
const SECONDS_MAX: &str = "60";
/// The size of the full disk: some times what the files below take.
const DISK: &str = "size=4m";
pub(crate) const STORE: &str = "matches.sqlite";
pub(crate) const LIST: &str = "matches.sqlite-forgotten";
pub(crate) const LEFT: &str = "matches.sqlite.20260101T000000.000Z";
/// The name of the guest with a match.
pub(crate) const NAME: &str = "Ada Lovelace";

/// The files of a store with a match, and the names in the commands.
pub(crate) struct Template {
    pub(crate) folder: TempDir,
    pub(crate) guest: String,
    pub(crate) code: String,
}

pub(crate) async fn template() -> Template {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join(STORE);
    fs::write(folder.path().join(LIST), format!("{:032x}\n", 7)).unwrap();
    let (server, _) = serve(folder.path(), Clock::default()).await;
    let mut ada = server.connect(NAME).await;
    let create = RequestBody::Create(MatchSetup {
        start: Start::Position("3,4".to_owned()),
        opponent: Opponent::Open,
        first: FirstMoveRule::Me,
        ..MatchSetup::new("nim")
    });
    let code = ada.request(create).await.unwrap().code.unwrap().to_string();
    let guest = ada.guest().to_string();
    server.stop().await;
    let backup = folder.path().join("backup.sqlite");
    backup_file(&path, &backup).unwrap();
    fs::copy(&backup, folder.path().join(LEFT)).unwrap();
    Template {
        folder,
        guest,
        code,
    }
}

/// Serves the store of a folder with its list, as the server of the commands does.
pub(crate) async fn serve(folder: &Path, clock: Clock) -> (TestServer, Store) {
    let store = Store::new(Sqlite::open(&folder.join(STORE)).unwrap());
    let config = Config {
        forgotten: Some(folder.join(LIST)),
        clock,
        ..Config::default()
    };
    (TestServer::over(store.clone(), config).await, store)
}

/// Copies the files for one command, owned by the server's user.
pub(crate) fn lay_out(template: &Path, folder: &Path) {
    for entry in fs::read_dir(folder).unwrap() {
        fs::remove_file(entry.unwrap().path()).unwrap();
    }
    for name in [STORE, LIST, LEFT, "backup.sqlite"] {
        let copy = folder.join(name);
        fs::copy(template.join(name), &copy).unwrap();
        fs::set_permissions(&copy, fs::Permissions::from_mode(0o600)).unwrap();
        chown(&copy, Some(OWNER), Some(OWNER)).unwrap();
    }
    fs::set_permissions(folder, fs::Permissions::from_mode(0o700)).unwrap();
    chown(folder, Some(OWNER), Some(OWNER)).unwrap();
}

/// A small disk that is unmounted when this is dropped.
pub(crate) struct Disk(pub(crate) TempDir);

impl Disk {
    /// Needs root, which gives the files to other users as well.
    pub(crate) fn mount() -> Option<Self> {
        let place = TempDir::new().unwrap();
        let mut mount = Command::new("mount");
        mount
            .args(["-t", "tmpfs", "-o", DISK, "none"])
            .arg(place.path());
        let mounted = mount.stderr(Stdio::null()).status();
        mounted
            .is_ok_and(|status| status.success())
            .then_some(Self(place))
    }

    /// Fills it to the last byte.
    pub(crate) fn fill(&self) {
        let mut file = fs::File::create(self.0.path().join("ballast")).unwrap();
        let block = [0; 4_096];
        while file.write_all(&block).is_ok() {}
        while file.write_all(&block[..1]).is_ok() {}
    }

    pub(crate) fn make_room(&self) {
        fs::remove_file(self.0.path().join("ballast")).unwrap();
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let unmounted = Command::new("umount").arg(self.0.path()).status();
        assert!(unmounted.unwrap().success(), "the small disk stays mounted");
    }
}

pub(crate) struct Ended {
    pub(crate) works: bool,
    /// The refusal's first line.
    pub(crate) refusal: String,
}

pub(crate) fn run(command: &str, template: &Template, folder: &Path, user: u32) -> Ended {
    let line = command
        .replace("GUEST", &template.guest)
        .replace("CODE", &template.code)
        .replace("DIR", &folder.display().to_string());
    let words = line.split(' ').filter(|word| *word != "serve");
    let mut program = Command::new("timeout");
    program.args([
        "--foreground",
        SECONDS_MAX,
        env!("CARGO_BIN_EXE_fibfob-server"),
    ]);
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("FIBFOB_")) {
        program.env_remove(name);
    }
    program.env_remove("RUNTIME_DIRECTORY");
    let store = format!("sqlite:{}", folder.join(STORE).display());
    program
        .args(["--store", &store, "--listen", "127.0.0.1:0"])
        .args(words);
    program
        .env("HOME", "/")
        .current_dir("/")
        .uid(user)
        .gid(user);
    program
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = program.spawn().unwrap();
    let mut errors = BufReader::new(child.stderr.take().unwrap());
    let logged = std::thread::spawn(move || {
        let mut all = String::new();
        errors.read_to_string(&mut all).map(|_| all)
    });
    let is_serving = command == "serve" && serves(&mut child);
    let status = child.wait().unwrap();
    assert_ne!(status.code(), Some(124), "{command} hangs");
    let logged = logged.join().unwrap().unwrap();
    let refusal = logged.lines().find_map(|line| line.strip_prefix("error: "));
    // `check` prints damage to standard output.
    let refusal = refusal.unwrap_or(if status.success() {
        ""
    } else {
        "damage; fibfob-server restore"
    });
    Ended {
        works: status.success() && (command != "serve" || is_serving),
        refusal: refusal.to_owned(),
    }
}

/// Ends a server once it has said where it is; false if it ends by itself.
fn serves(child: &mut Child) -> bool {
    let mut first = String::new();
    let mut lines = BufReader::new(child.stdout.take().unwrap());
    lines.read_line(&mut first).unwrap();
    let started = first.starts_with("Fib Fob at");
    if started {
        let sent = Command::new("kill").arg(child.id().to_string()).status();
        assert!(sent.unwrap().success());
    }
    started
}

/// Reports that a test cannot run here, as `tests/run` counts it.
pub(crate) fn skipped(reason: &str) {
    let line = format!("skipped the operator's matrix: {reason}");
    eprintln!("{line}");
    if let Some(path) = std::env::var_os("TESTS_SKIPPED") {
        let mut file = fs::File::options()
            .append(true)
            .create(true)
            .open(path)
            .unwrap();
        writeln!(file, "{line}").unwrap();
    }
}
