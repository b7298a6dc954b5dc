//! Every command of the server program in four worlds: as root on the store of another user, as a user who does not
//! own the store, on a full disk, and with files that somebody has edited or damaged. Each command works, or it says
//! what to do and changes nothing. The test prints the matrix.
#![expect(clippy::unwrap_used, reason = "a test that cannot continue panics")]
#![allow(clippy::disallowed_methods)]

#[allow(dead_code, unused_imports, reason = "shared with other tests")]
mod fixture;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use clap::CommandFactory;
use fibfob_protocol::{FirstMoveRule, MatchSetup, Opponent, RequestBody, Start};
use fibfob_server::Config;
use fibfob_server::args::Args;
use fibfob_store::Store;
use fibfob_store_sqlite::{Sqlite, backup_file};
use rusqlite::{Connection, OpenFlags};
use tempfile::TempDir;

use fixture::TestServer;

/// The user whose server uses the store, and another one. Neither needs a name.
const OWNER: u32 = 64_717;
const STRANGER: u32 = 64_718;
/// Ends a command that hangs, so that the test names it.
const SECONDS_MAX: &str = "60";
/// The size of the full disk: some times what the files below take.
const DISK: &str = "size=4m";
const STORE: &str = "matches.sqlite";
const LIST: &str = "matches.sqlite-forgotten";
const LEFT: &str = "matches.sqlite.20260101T000000.000Z";
/// Files that a server makes beside its store.
const OWN: [&str; 3] = ["-lock", "-wal", "-shm"];
/// A refusal says what to do: it names a command, an option, a cause to remove or what was expected.
const REMEDIES: [&str; 14] = [
    "sudo -u",
    "chown",
    "disk is full",
    "No space",
    "room",
    "fibfob-server ",
    "`check`",
    "--",
    "expected",
    "correct",
    "restore",
    "is there a server",
    "nobody is connected",
    "there is no",
];

/// The commands. `GUEST` and `CODE` stand for a guest with a match and for the match, `DIR` for the store's folder.
const COMMANDS: [&str; 26] = [
    "serve",
    "ready http://127.0.0.1:9",
    "check",
    "backup DIR/new.sqlite",
    "restore DIR/backup.sqlite",
    "old-stores",
    "old-stores --remove matches.sqlite.20260101T000000.000Z",
    "migrate --from sqlite:DIR/matches.sqlite --to sqlite:DIR/new.sqlite",
    "admin matches",
    "admin show CODE",
    "admin close CODE --reason test",
    "admin say hello",
    "admin hide CODE",
    "admin unhide CODE",
    "admin ban GUEST --for 7d --yes",
    "admin unban GUEST",
    "admin bans",
    "admin guests",
    "admin guests --name ada",
    "admin person GUEST",
    "admin rename GUEST Cy",
    "admin forget GUEST --yes",
    "admin prune --finished-before 2y --yes",
    "admin stats",
    "admin export",
    "admin log",
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum World {
    Root,
    Stranger,
    Full,
    Edited,
}

const WORLDS: [World; 4] = [World::Root, World::Stranger, World::Full, World::Edited];

/// The files of a store with a match, and the names in the commands.
struct Template {
    folder: TempDir,
    guest: String,
    code: String,
}

async fn template() -> Template {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join(STORE);
    let store = Store::new(Sqlite::open(&path).unwrap());
    fs::write(folder.path().join(LIST), format!("{:032x}\n", 7)).unwrap();
    // The server reads the list, as that of the commands does.
    let config = Config {
        forgotten: Some(folder.path().join(LIST)),
        ..Config::default()
    };
    let server = TestServer::over(store, config).await;
    let mut ada = server.connect("Ada").await;
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

/// Copies the files for one command, owned by the server's user.
fn lay_out(template: &Path, folder: &Path) {
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

/// Damages the store's last page, as a hand or a disk does, and adds a line to the list.
fn edit(folder: &Path) {
    let store = folder.join(STORE);
    let mut content = fs::read(&store).unwrap();
    let last = content.len() - 4_096;
    content[last..].fill(b'x');
    fs::write(&store, content).unwrap();
    let mut list = fs::File::options()
        .append(true)
        .open(folder.join(LIST))
        .unwrap();
    list.write_all(b"# by hand\n\nnonsense\n").unwrap();
}

/// A small disk that is unmounted when this is dropped.
struct Disk(TempDir);

impl Disk {
    fn mount() -> Option<Self> {
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
    fn fill(&self) {
        let mut file = fs::File::create(self.0.path().join("ballast")).unwrap();
        let block = [0; 4_096];
        while file.write_all(&block).is_ok() {}
        while file.write_all(&block[..1]).is_ok() {}
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let unmounted = Command::new("umount").arg(self.0.path()).status();
        assert!(unmounted.unwrap().success(), "the small disk stays mounted");
    }
}

struct Ended {
    works: bool,
    /// The refusal's first line.
    refusal: String,
}

fn run(command: &str, template: &Template, folder: &Path, user: u32) -> Ended {
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

/// Returns what a folder has: the bytes of each file, but of the store its rows, because a command on a stopped store
/// counts as a short run of a server, which the file notes. SQLite's and the server's own files beside it are left out.
fn found(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap();
    let mut files = BTreeMap::new();
    for entry in entries {
        let path = entry.unwrap().path();
        // The socket for operators may be left; the next server replaces it.
        if !path.is_file() {
            continue;
        }
        let content = match path.file_name().unwrap().to_str().unwrap() {
            STORE => rows(&path).into_bytes(),
            "ballast" => continue,
            name if name
                .strip_prefix(STORE)
                .is_some_and(|end| OWN.contains(&end)) =>
            {
                Vec::new()
            }
            _ => fs::read(&path).unwrap(),
        };
        files.insert(path, content);
    }
    files
}

/// Reads all rows of what lasts, as far as they can be read, and changes nothing of the file.
fn rows(store: &Path) -> String {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    let uri = format!("file://{}?immutable=1", store.display());
    let connection = Connection::open_with_flags(uri, flags).unwrap();
    let mut all = String::new();
    for table in ["match", "log", "packed", "note", "server_key"] {
        let Ok(mut read) = connection.prepare(&format!("SELECT * FROM {table}")) else {
            continue;
        };
        let columns = read.column_count();
        let mut found = read.query([]).unwrap();
        while let Ok(Some(row)) = found.next() {
            for column in 0..columns {
                all.push_str(&format!("{:?} ", row.get_ref(column)));
            }
        }
    }
    all
}

/// Returns the names of all commands, those of operators after `admin`.
fn all_commands() -> BTreeSet<String> {
    let mut names = BTreeSet::from(["serve".to_owned()]);
    for command in Args::command().get_subcommands() {
        let name = command.get_name();
        match name {
            "admin" => {
                let acts = command
                    .get_subcommands()
                    .filter(|act| act.get_name() != "help");
                names.extend(acts.map(|act| format!("admin {}", act.get_name())));
            }
            "help" => {}
            _ => drop(names.insert(name.to_owned())),
        }
    }
    names
}

#[test]
fn the_matrix_has_every_command() {
    let name = |line: &&str| {
        let words: Vec<&str> = line.split(' ').collect();
        words[..if words[0] == "admin" { 2 } else { 1 }].join(" ")
    };
    let tested: BTreeSet<String> = COMMANDS.iter().map(name).collect();
    assert_eq!(tested, all_commands());
}

#[tokio::test]
async fn each_command_works_or_refuses_with_a_remedy_and_changes_nothing() {
    let disk = match is_root() {
        true => Disk::mount(),
        false => None,
    };
    let Some(disk) = disk else {
        return skipped("the worlds of the operator's matrix need root and a mount");
    };
    let template = template().await;
    let home = TempDir::new().unwrap();
    fs::set_permissions(home.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let plain = home.path().join("store");
    fs::create_dir(&plain).unwrap();
    let (mut matrix, mut faults) = (String::new(), Vec::new());
    for command in COMMANDS {
        for world in WORLDS {
            let folder = match world {
                World::Full => disk.0.path(),
                _ => &plain,
            };
            lay_out(template.folder.path(), folder);
            match world {
                World::Full => disk.fill(),
                World::Edited => edit(folder),
                World::Root | World::Stranger => {}
            }
            let before = found(folder);
            let user = match world {
                World::Root => 0,
                World::Stranger => STRANGER,
                World::Full | World::Edited => OWNER,
            };
            let ended = run(command, &template, folder, user);
            let told = if ended.works { "works" } else { &ended.refusal };
            matrix.push_str(&format!("{command:32.32} {world:?}: {told}\n"));
            faults.extend(fault(command, world, folder, &before, &ended));
        }
    }
    println!("{matrix}");
    assert!(faults.is_empty(), "{faults:#?}\n{matrix}");
}

/// Says what a command should not have done.
fn fault(
    command: &str,
    world: World,
    folder: &Path,
    before: &BTreeMap<PathBuf, Vec<u8>>,
    ended: &Ended,
) -> Option<String> {
    let after = found(folder);
    if ended.works {
        let is_foreign = |path: &PathBuf| fs::metadata(path).unwrap().uid() != OWNER;
        let foreign = after
            .keys()
            .find(|path| is_foreign(path) && !path.ends_with("new.sqlite"));
        return foreign.map(|path| format!("{command}, {world:?}: {path:?} is not the server's"));
    }
    if !REMEDIES.iter().any(|remedy| ended.refusal.contains(remedy)) {
        return Some(format!(
            "{command}, {world:?}: no remedy in {:?}",
            ended.refusal
        ));
    }
    let changed = before
        .iter()
        .find(|(path, content)| after.get(*path) != Some(content));
    changed
        .map(|(path, _)| format!("{command}, {world:?}: {path:?} was changed by a refused command"))
}

fn is_root() -> bool {
    fs::metadata("/proc/self").unwrap().uid() == 0
}

/// Reports that a test cannot run here, as `tests/run` counts it.
fn skipped(reason: &str) {
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
