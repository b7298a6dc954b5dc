//! Each command of `deploy/database` works, or says what to do and destroys nothing.

use std::time::Instant;

use fibfob_test_postgres::DatabaseServer;

/// A primary and its standby, both made by commands.
struct Pair {
    primary: DatabaseServer,
    standby: DatabaseServer,
}

impl Pair {
    fn make() -> Self {
        let (primary, standby) = (DatabaseServer::primary(), DatabaseServer::without_data());
        let prepared = primary.operate(&primary, &["primary"]);
        prepared.expect("the primary is prepared");
        let copied = follow(&standby, &primary, &["standby", "127.0.0.1"]);
        copied.expect("the standby is copied");
        Self { primary, standby }
    }
}

/// Makes a server a standby, starts it, and makes commits wait for it.
fn follow(
    standby: &DatabaseServer,
    primary: &DatabaseServer,
    words: &[&str],
) -> Result<String, String> {
    let said = standby.operate(primary, words)?;
    standby.start();
    primary.operate(primary, &["pair"])?;
    Ok(said)
}

const REPLACE: [&str; 3] = ["standby", "127.0.0.1", "replace"];

/// Adds more segments to the log than a primary keeps by itself. Commits nothing, because no standby is there.
fn write_much(primary: &DatabaseServer) {
    let fill = "PERFORM pg_logical_emit_message(false, 'a', 'b'); PERFORM pg_switch_wal();";
    primary.admin(&format!(
        "DO $$ BEGIN FOR i IN 1..12 LOOP {fill} END LOOP; END $$"
    ));
    primary.admin("CHECKPOINT");
}

#[test]
fn a_command_on_the_wrong_machine_or_about_the_wrong_one_changes_nothing() {
    let Pair { primary, standby } = Pair::make();
    let nobody = DatabaseServer::without_data();
    let fresh = DatabaseServer::without_data();
    let other = DatabaseServer::primary();
    other.create_database("another");
    for (here, host, words, why) in [
        (&primary, &nobody, &REPLACE[..], "PostgreSQL runs in"),
        (&primary, &standby, &REPLACE, "PostgreSQL runs in"),
        (&standby, &primary, &REPLACE, "PostgreSQL runs in"),
        (&fresh, &nobody, &REPLACE, "does not answer"),
        (
            &fresh,
            &standby,
            &REPLACE[..2],
            "is a standby: name the machine that leads",
        ),
        (&fresh, &primary, &REPLACE[..2], "another standby follows"),
        (
            &standby,
            &primary,
            &["primary"],
            "run `database primary` on the primary",
        ),
        (
            &standby,
            &primary,
            &["pair"],
            "run `database pair` on the primary",
        ),
        (
            &primary,
            &primary,
            &["promote"],
            "recovery is not in progress",
        ),
        (&primary, &primary, &["erase"], "there is no command erase"),
    ] {
        let before = here.folders();
        let said = here.operate(host, words).unwrap_err();
        assert!(said.contains(why), "{words:?}: {said}");
        assert_eq!(here.folders(), before, "{words:?}");
    }
    assert_eq!(
        primary.admin("SHOW synchronous_standby_names").trim(),
        "standby"
    );
    let said = standby.operate(&nobody, &REPLACE[..2]).unwrap();
    assert!(said.contains("is a standby already"), "{said}");

    other.stop();
    standby.stop();
    let said = other.operate(&primary, &REPLACE).unwrap_err();
    assert!(said.contains("another database"), "{said}");
    other.start();
    assert_eq!(
        other
            .admin("SELECT count(*) FROM pg_database WHERE datname = 'another'")
            .trim(),
        "1"
    );
}

#[test]
fn a_standby_that_was_away_follows_again_or_is_copied_again() {
    let Pair { primary, standby } = Pair::make();
    standby.kill();
    write_much(&primary);
    standby.start();
    primary.wait_for_standby("standby");

    // The slot keeps so much and no more.
    primary.set("max_slot_wal_keep_size", "1MB");
    standby.kill();
    write_much(&primary);
    assert_eq!(
        primary
            .admin("SELECT wal_status FROM pg_replication_slots")
            .trim(),
        "lost"
    );
    let copied_at = Instant::now();
    follow(&standby, &primary, &REPLACE).unwrap();
    primary.wait_for_standby("standby");
    let back_after = copied_at.elapsed();
    println!("a standby that fell behind the slot was back after {back_after:.1?}");
    assert_eq!(standby.folders().len(), 2, "the old folder stays");
}

#[test]
fn the_lost_machine_comes_back_as_the_standby_of_the_promoted_one() {
    let Pair {
        primary: first,
        standby: second,
    } = Pair::make();
    first.kill();
    second.operate(&second, &["promote"]).unwrap();
    let said = first.operate(&second, &REPLACE[..2]).unwrap_err();
    assert!(
        said.contains("database standby 127.0.0.1 replace"),
        "{said}"
    );

    // A primary of the time before the promotion lacks what the promoted one has confirmed.
    second.stop();
    first.start();
    let said = second.operate(&first, &REPLACE).unwrap_err();
    assert!(said.contains("was not promoted after"), "{said}");
    first.stop();
    second.start();

    let said = follow(&first, &second, &REPLACE).unwrap();
    assert!(said.contains("is now in"), "{said}");
    second.wait_for_standby("standby");
    assert_eq!(first.folders().len(), 2, "the old folder stays");
}
