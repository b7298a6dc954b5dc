//! The maintenance commands of the server program, on files and databases: what they print, and their
//! exit codes.
#![expect(clippy::unwrap_used, reason = "a test that cannot continue panics")]
#![allow(clippy::disallowed_methods)]

use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Stdio};

use fibfob_store_postgres::{Postgres, PostgresUrl};
use fibfob_store_sqlite::Sqlite;
use fibfob_test_postgres::{Database, DatabaseServer};
use tempfile::TempDir;

/// What a run of the program left: its exit code, its output and its errors.
struct Ended {
    code: Option<i32>,
    printed: String,
    errors: String,
}

fn program(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fibfob-server"));
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("FIBFOB_")) {
        command.env_remove(name);
    }
    command.args(args).stdin(Stdio::null());
    command
}

fn run(args: &[&str]) -> Ended {
    let output = program(args).output().unwrap();
    Ended {
        code: output.status.code(),
        printed: String::from_utf8(output.stdout).unwrap(),
        errors: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Runs a command that succeeds without a database of two machines, and returns what it printed.
fn succeeds(args: &[&str]) -> String {
    let ended = run(&[args, &["--allow-single-database"]].concat());
    assert_eq!(ended.code, Some(0), "{args:?}: {}", ended.errors);
    ended.printed
}

fn file(folder: &TempDir, name: &str) -> String {
    let path = folder.path().join(name);
    path.to_str().unwrap().to_owned()
}

/// Makes an empty store in a database.
async fn make_store(url: &str) {
    let url: PostgresUrl = url.parse().unwrap();
    Postgres::open(&url, true).await.unwrap();
}

#[tokio::test]
async fn each_command_works_on_a_file_and_on_a_database() {
    let (database, restored) = (Database::create(), Database::create());
    let folder = TempDir::new().unwrap();
    drop(Sqlite::open(Path::new(&file(&folder, "a"))).unwrap());
    let (from, to) = (format!("sqlite:{}", file(&folder, "a")), database.url());
    let copy = file(&folder, "b");
    let copied = format!("sqlite:{copy}");
    let empty = "checked 0 matches with 0 events: no damage\n";
    let said = succeeds(&["migrate", "--from", &from, "--to", &to]);
    assert!(said.contains("the same in both stores"), "{said}");
    assert_eq!(succeeds(&["check", "--store", &to]), empty);
    let said = succeeds(&["backup", &copy, "--store", &from]);
    assert!(
        said.contains("it holds the key that signs tokens"),
        "{said}"
    );
    assert_eq!(succeeds(&["check", "--store", &copied]), empty);
    let said = succeeds(&["migrate", "--from", &to, "--to", &restored.url()]);
    assert!(said.contains("the same in both stores"), "{said}");
    let key = "SELECT key FROM fibfob.store";
    assert_eq!(database.sql(key), restored.sql(key), "tokens stay good");
    database.sql("DELETE FROM fibfob.service");
    let ended = run(&["check", "--store", &to, "--allow-single-database"]);
    assert_eq!(ended.code, Some(1));
    assert!(
        ended.printed.starts_with("damaged: the database: "),
        "{}",
        ended.printed
    );
    assert!(
        ended
            .printed
            .ends_with("; 1 damage of the database itself; restore a backup\n")
    );
}

#[tokio::test]
async fn a_database_that_cannot_be_used_is_named_with_what_was_expected() {
    let server = DatabaseServer::primary();
    server.create_database("games");
    let plain = DatabaseServer::url(&[&server], "games");
    make_store(&plain).await;
    let refuses = |store: &str, expected: &[&str]| {
        let ended = run(&["check", "--store", store]);
        assert_eq!(ended.code, Some(1), "{}", ended.errors);
        for text in expected {
            assert!(ended.errors.contains(text), "{text}: {}", ended.errors);
        }
        assert!(!ended.errors.contains("s3cret"), "{}", ended.errors);
        assert_eq!(ended.printed, "");
    };
    let single = ["no synchronous standby", "--allow-single-database"];
    refuses(&plain, &single);

    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = free.local_addr().unwrap().port();
    drop(free);
    let nowhere = format!("postgres://fibfob:s3cret@127.0.0.1:{port}/games");
    refuses(&nowhere, &[&format!("127.0.0.1:{port}: "), "refused"]);
    let missing = plain.replace("/games", "/letters");
    refuses(&missing, &["\"letters\" does not exist"]);

    server.require_password("right");
    let wrong = plain.replace("fibfob@", "fibfob:s3cret@");
    refuses(
        &wrong,
        &["password authentication failed for user \"fibfob\""],
    );
    refuses(&plain, &["password missing"]);
    let right = plain.replace("fibfob@", "fibfob:right@");
    succeeds(&["check", "--store", &right]);

    server.sql("games", "UPDATE fibfob.store SET format = 99");
    let ended = run(&["check", "--store", &right, "--allow-single-database"]);
    assert_eq!(ended.code, Some(1));
    let expected = "format 99, this server knows formats up to 1; use a newer server";
    assert!(ended.errors.contains(expected), "{}", ended.errors);
}

#[tokio::test]
async fn the_refused_backup_of_a_database_names_the_commands_that_work() {
    let (database, restored) = (Database::create(), Database::create());
    let folder = TempDir::new().unwrap();
    let (from, to) = (format!("sqlite:{}", file(&folder, "a")), database.url());
    drop(Sqlite::open(Path::new(&file(&folder, "a"))).unwrap());
    succeeds(&["migrate", "--from", &from, "--to", &to]);

    let copy = file(&folder, "it's a copy");
    let secret = to.replace("fibfob@", "fibfob:s3cret@");
    for (command, commands) in [("backup", 2), ("restore", 1)] {
        let refused = run(&[command, &copy, "--store", &secret]);
        assert_eq!((refused.code, refused.printed.as_str()), (Some(1), ""));
        assert!(!refused.errors.contains("s3cret"), "{}", refused.errors);
        assert!(!Path::new(&copy).exists(), "nothing was made");
        let named = refused.errors.lines().filter(|line| line.starts_with("  "));
        assert_eq!(named.count(), commands, "{}", refused.errors);
    }
    let named = run(&["backup", &copy, "--store", &to]).errors;
    for line in named.lines().filter(|line| line.starts_with("  ")) {
        let line = match line.contains("pg_restore") {
            true => line.replace(&to, &restored.url()),
            false => line.to_owned(),
        };
        let ran = Command::new("sh").args(["-c", &line]).output().unwrap();
        let errors = String::from_utf8_lossy(&ran.stderr);
        assert!(ran.status.success(), "{line}: {errors}");
    }
    let empty = "checked 0 matches with 0 events: no damage\n";
    assert_eq!(succeeds(&["check", "--store", &restored.url()]), empty);
    let key = "SELECT key FROM fibfob.store";
    assert_eq!(database.sql(key), restored.sql(key), "tokens stay good");
}
