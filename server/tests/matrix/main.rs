//! Every command of the server program in four worlds: as root on the store of another user, as a user who does not
//! own the store, on a full disk, and with files that somebody has edited or damaged. Each command works, or it says
//! what to do and changes nothing. The test prints the matrix.
#![expect(clippy::unwrap_used, reason = "a test that cannot continue panics")]
#![allow(clippy::disallowed_methods)]

mod erasure;
#[allow(dead_code, unused_imports, reason = "shared with other tests")]
#[path = "../fixture/mod.rs"]
mod fixture;
mod worlds;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use clap::CommandFactory;
use fibfob_server::args::Args;
use rusqlite::{Connection, OpenFlags};
use tempfile::TempDir;

use worlds::{Disk, Ended, LIST, OWNER, STORE, STRANGER, lay_out, run, skipped, template};

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
    let Some(disk) = Disk::mount() else {
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
