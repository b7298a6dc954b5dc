//! Paths that options and commands name: whatever lies there and is not the server's own stays as it is.
#![expect(clippy::unwrap_used, reason = "a test that cannot continue panics")]
#![allow(clippy::disallowed_methods)]

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::{FileTypeExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use fibfob_store::Store;
use fibfob_store_sqlite::{Sqlite, backup_file};
use tempfile::TempDir;

/// Ends a program that hangs, so that the test names it instead of waiting.
const SECONDS_MAX: &str = "60";
const PRECIOUS: &str = "Dear Fob,\nkeep this.\n";
/// What a path may lead to. The last one is a store of another server.
const KINDS: [&str; 5] = ["precious.txt", "folder", "link", "pipe", "other.sqlite"];

/// What is found at each path of a folder: bytes, a link's target or the kind.
fn found(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let kind = path.symlink_metadata().unwrap().file_type();
        let content = match () {
            () if kind.is_symlink() => fs::read_link(&path)
                .unwrap()
                .into_os_string()
                .into_encoded_bytes(),
            () if kind.is_dir() => {
                all.extend(found(&path));
                b"folder".to_vec()
            }
            () if kind.is_fifo() => b"pipe".to_vec(),
            () if kind.is_socket() => b"socket".to_vec(),
            () => fs::read(&path).unwrap(),
        };
        all.insert(path, content);
    }
    all
}

/// A folder with one of each kind, a store to serve from and a backup of it.
fn prepared() -> TempDir {
    let folder = TempDir::new().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("precious.txt"), PRECIOUS).unwrap();
    fs::create_dir(at("folder")).unwrap();
    fs::write(at("folder/inside.txt"), PRECIOUS).unwrap();
    symlink(at("precious.txt"), at("link")).unwrap();
    let made = Command::new("mkfifo").arg(at("pipe")).status();
    assert!(made.unwrap().success());
    for name in ["other.sqlite", "own.sqlite"] {
        drop(Store::new(Sqlite::open(&at(name)).unwrap()));
    }
    backup_file(&at("own.sqlite"), &at("backup.sqlite")).unwrap();
    folder
}

/// Runs the program until it ends. A server that starts is ended as soon as it says where it is.
fn run(folder: &Path, args: &[String]) -> Output {
    let mut command = Command::new("timeout");
    command.args([
        "--foreground",
        SECONDS_MAX,
        env!("CARGO_BIN_EXE_fibfob-server"),
    ]);
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("FIBFOB_")) {
        command.env_remove(name);
    }
    command.args(args).current_dir(folder).stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut first = String::new();
    let mut lines = BufReader::new(child.stdout.take().unwrap());
    lines.read_line(&mut first).unwrap();
    if first.starts_with("Fib Fob at") {
        let sent = Command::new("kill").arg(child.id().to_string()).status();
        assert!(sent.unwrap().success());
    }
    let ended = child.wait_with_output().unwrap();
    assert_ne!(ended.status.code(), Some(124), "{args:?} hangs");
    ended
}

/// Returns the arguments with the path in the place of `@`.
fn at(line: &str, path: &str) -> Vec<String> {
    let words = line.split(' ').map(|word| word.replace('@', path));
    words.collect()
}

/// Each option and command that takes a path, with `@` for it. What is served uses `own.sqlite` otherwise.
const LINES: [&str; 19] = [
    "--store sqlite:@",
    "--store sqlite:own.sqlite --admin-socket @",
    "--store sqlite:own.sqlite --forgotten @",
    "--store sqlite:own.sqlite --contact @",
    "--store sqlite:own.sqlite --imprint @",
    "--store sqlite:own.sqlite --privacy @",
    "--store sqlite:own.sqlite --web @",
    "--store sqlite:own.sqlite --tls-cert @ --tls-key @",
    "--store sqlite:own.sqlite --acme fib.example --acme-directory https://127.0.0.1:9/ --acme-folder @",
    "--store sqlite:own.sqlite --acme fib.example --acme-directory https://127.0.0.1:9/ --acme-ca-cert @",
    "--store sqlite:@ check",
    "--store sqlite:@ admin stats",
    "--store sqlite:own.sqlite --admin-socket @ admin stats",
    "--store sqlite:own.sqlite old-stores --remove @",
    "--store sqlite:own.sqlite backup @",
    "--store sqlite:own.sqlite restore @",
    "--store sqlite:@ restore backup.sqlite",
    "migrate --from sqlite:@ --to sqlite:new.sqlite",
    "migrate --from sqlite:own.sqlite --to sqlite:@",
];

#[test]
fn no_option_or_command_changes_what_it_did_not_make() {
    for line in LINES {
        let folder = prepared();
        for kind in KINDS {
            // A store that is named as the store is used.
            if kind == "other.sqlite" && line.contains("sqlite:@") {
                continue;
            }
            let mut before = found(folder.path());
            // The store that is served from, with the files beside it.
            let is_own = |path: &Path| path.to_string_lossy().contains("/own.sqlite");
            before.retain(|path, _| !is_own(path));
            let served = at(line, kind);
            let is_served = ![
                "check",
                "admin",
                "backup",
                "restore",
                "old-stores",
                "migrate",
            ]
            .iter()
            .any(|command| served.contains(&(*command).to_owned()));
            let listen = if is_served {
                "--listen 127.0.0.1:0 "
            } else {
                ""
            };
            let ended = run(folder.path(), &at(&format!("{listen}{line}"), kind));
            let after = found(folder.path());
            for (path, content) in &before {
                let words = String::from_utf8_lossy(&ended.stderr);
                assert!(
                    after.get(path) == Some(content),
                    "{line} at {kind} changed {path:?}: {words}"
                );
            }
        }
    }
}

/// The engine uses, rewrites or removes files with these names beside a store.
#[test]
fn a_precious_file_beside_a_new_store_stays() {
    for suffix in ["-lock", "-restoring", "-wal", "-journal"] {
        for line in [
            "--listen 127.0.0.1:0 --store sqlite:new.sqlite",
            "--store sqlite:new.sqlite restore backup.sqlite",
        ] {
            let folder = prepared();
            let precious = folder.path().join(format!("new.sqlite{suffix}"));
            fs::write(&precious, PRECIOUS).unwrap();
            let ended = run(folder.path(), &at(line, ""));
            assert_eq!(
                fs::read_to_string(&precious).unwrap(),
                PRECIOUS,
                "{suffix}: {line}"
            );
            let is_restore = line.contains("restore");
            let is_refused = match suffix {
                // It is only locked. A power cut may leave anything in it, so it must not keep a server from starting.
                "-lock" => false,
                "-restoring" => is_restore,
                _ => true,
            };
            let words = String::from_utf8(ended.stderr).unwrap();
            let code = ended.status.code();
            assert_eq!(
                code,
                Some(i32::from(is_refused)),
                "{suffix}: {line}: {words}"
            );
            assert!(
                !is_refused || words.contains("move"),
                "the remedy is named: {words}"
            );
        }
    }
}
