//! Checks that the documents state these bounds.

use fibfob_net::address_guard::{AddressShare, Held, Spent};

use super::*;
use crate::ops::config::Config;

#[test]
fn protocol_md_states_these_bounds() {
    let text = include_str!("../../../protocol/PROTOCOL.md");
    let config = Config::default();
    let share = AddressShare::of(
        config.connections_per_address,
        config.matches_per_address,
        config.address_rate,
        config.bounds.computed,
    );
    let rate = |rate: Rate| format!("| {} at once, {} a second |", rate.burst, rate.per_second);
    let kib = |bytes: u32| bytes / 1024;
    for (what, row) in [
        ("spectators of one address", rate(config.address_rate)),
        (
            "players of one address",
            rate(config.address_rate.times(PLAYERS_TIMES)),
        ),
        (
            "`per_second` in the long run",
            format!("the {}st in a row", RATE_REFUSALS_MAX + 1),
        ),
        (
            "spectators of a match",
            format!("| {SPECTATORS_MAX} connections |"),
        ),
        (
            "the spectators of a match say",
            rate(SPECTATORS_TALK_RATE).replace(" |", " in the long run |"),
        ),
        (
            "all guests of one address say",
            rate(ADDRESS_TALK_RATE).replace(" |", " in the long run |"),
        ),
        (
            "matches that one answer lists",
            format!("| {GUEST_MATCHES_LISTED}; {RECORDED_LISTED} |"),
        ),
        ("wait for one match", format!("| {INBOX_MAX} |")),
        (
            "connections of one address",
            format!("| {} |", config.connections_per_address),
        ),
        (
            "of one address follow",
            format!("| {} |", share.most(Held::Followed)),
        ),
        (
            "wait for a second player",
            format!("| {} |", config.matches_per_address),
        ),
        (
            "new matches of one address",
            rate(share.rate(Spent::Created)),
        ),
        (
            "new connections of one address",
            rate(share.rate(Spent::Opened)),
        ),
        (
            "are served without a wait",
            rate(share.rate(Spent::Started)),
        ),
        (
            "requests of one address without",
            format!("| {}; {REQUESTS_MAX} |", share.most(Held::Requests)),
        ),
        (
            "have not taken yet, beyond 4 KiB of each",
            format!(
                "| {} MiB; {} MiB |",
                UNTAKEN_OF_ADDRESS_MAX >> 20,
                UNTAKEN_MAX >> 20
            ),
        ),
        (
            "bytes sent to one address",
            format!(
                "| {} KiB at once, {} KiB a second",
                kib(share.rate(Spent::Bytes).burst),
                kib(share.rate(Spent::Bytes).per_second)
            ),
        ),
        (
            "questions and pages of one address",
            format!("| {JOBS_PER_ADDRESS}; {JOBS_MAX} |"),
        ),
        ("requests about devices of one address", rate(DEVICE_RATE)),
        (
            "what one address stores in a day",
            format!("| {} MiB |", config.stored_per_address),
        ),
        (
            "marks of a guest",
            format!(
                "| {}; {}",
                fibfob_protocol::MARKS_MAX,
                &rate(MARKS_RATE)[2..]
            ),
        ),
        (
            "codes for another device",
            format!("| {DEVICE_CODES_PER_ADDRESS}; {DEVICE_CODES_MAX} |"),
        ),
        (
            "processor time for what one address",
            format!(
                "| {} s at once, {} s a second",
                f64::from(COMPUTED_RATE.burst) / 1e6,
                f64::from(COMPUTED_RATE.per_second) / 1e6
            ),
        ),
        (
            "the wait of an HTTP request",
            format!("| {} s |", TURN_WITHIN.as_secs()),
        ),
        (
            "matches in memory",
            format!("| {LIVE_MATCHES_MAX}, and {} MiB", LIVE_BYTES_MAX >> 20),
        ),
        (
            "connections of the server",
            format!("| {CONNECTIONS_MAX} |"),
        ),
        (
            "the handshake of TLS",
            format!("| {} s |", TLS_WITHIN.as_secs()),
        ),
        (
            "head of an HTTP request",
            format!(
                "| {} s, {} KiB |",
                HTTP_HEAD_WITHIN.as_secs(),
                HTTP_HEAD_BYTES_MAX / 1024
            ),
        ),
        (
            "an acceptable `hello`",
            format!("| {} s |", HELLO_WITHIN.as_secs()),
        ),
        (
            "you play against a person",
            format!(
                "| {} s | the same; the server then pings every {} s, otherwise every {} s |",
                PLAYER_ANSWER_WITHIN.as_secs(),
                PLAYER_PING_EVERY.as_secs(),
                PING_EVERY.as_secs()
            ),
        ),
        (
            "you take a message",
            format!("| {} s |", SEND_WITHIN.as_secs()),
        ),
        (
            "an HTTP answer is taken",
            format!("| {} s |", WRITE_WITHIN.as_secs()),
        ),
    ] {
        let found = text
            .lines()
            .any(|line| line.contains(what) && line.contains(&row));
        assert!(found, "{what}: {row}");
    }
    assert!(text.contains(&format!("its first {} `resume`s", FREE_MESSAGES - 1)));
    assert!(text.contains(&format!("{MUTED_MAX} guests in a match")));
    assert!(text.contains("a quarter is kept") && KEPT_PART == 4);
    assert!(text.contains(&format!("at most {CONNECTIONS_FEW} of them")));
    assert!(text.contains(&format!("{} hours after", SEAT_COUNTS_FOR.as_secs() / 3600)));
    let days = config.abandoned_after.as_secs() / (24 * 60 * 60);
    assert!(text.contains(&format!("nothing has happened for {days} days")));
    let minutes = SWEEP_EVERY.as_secs() / 60;
    assert!(text.contains(&format!("at least {minutes} minutes apart")));
}
