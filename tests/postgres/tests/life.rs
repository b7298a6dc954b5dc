//! The life of throw-away servers.

use std::net::TcpListener;
use std::thread;
use std::time::Duration;

use fibfob_test_postgres::{Database, DatabaseServer};

#[test]
fn a_standby_has_what_was_acknowledged_when_its_primary_is_killed() {
    let primary = DatabaseServer::primary();
    let standby = primary.standby("b");
    primary.wait_for_standby("b");
    primary.admin("CREATE TABLE note (text text); INSERT INTO note VALUES ('kept')");
    primary.kill();
    standby.promote();
    assert_eq!(standby.admin("SELECT text FROM note").trim(), "kept");
    primary.start();
    assert_eq!(primary.admin("SELECT text FROM note").trim(), "kept");
}

#[test]
fn tests_share_a_server_and_no_database() {
    let (one, other) = (Database::create(), Database::create());
    assert_ne!(one.url(), other.url());
    one.sql("CREATE TABLE note (text text)");
    assert_eq!(other.sql("SELECT to_regclass('note') IS NULL").trim(), "t");
}

#[test]
fn a_frozen_server_goes_on_when_it_is_thawed() {
    let server = DatabaseServer::primary();
    server.freeze();
    server.thaw();
    assert_eq!(server.admin("SELECT 1").trim(), "1");
    server.stop();
    server.start();
    assert_eq!(server.admin("SELECT 2").trim(), "2");
}

#[test]
fn a_server_starts_once_its_port_is_free() {
    let server = DatabaseServer::primary();
    server.kill();
    let place = TcpListener::bind(("127.0.0.1", server.port())).expect("the killed server left it");
    thread::scope(|scope| {
        scope.spawn(|| server.start());
        // Long enough for a first start in vain.
        thread::sleep(Duration::from_secs(1));
        drop(place);
    });
    assert_eq!(server.admin("SELECT 1").trim(), "1");
}
