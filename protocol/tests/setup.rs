//! Setups that `create` accepts, and those that it refuses.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot go on says so by panicking"
)]

mod common;

use common::*;
use fibfob_protocol::{
    CLOCK_MS, FirstMove, GRACE_MS, INCREMENT_MS_MAX, MatchSetup, Refusal, RefusalReason,
    ServerDefaults, Terms, Timestamp,
};
use rand::SeedableRng;
use rand::rngs::StdRng;
use serde_json::{Value, json};

const HOUSE: ServerDefaults = ServerDefaults {
    expires_at: Timestamp(9),
    grace_ms: 77_000,
};

fn drawn(fields: Value) -> Result<Terms, Refusal> {
    let mut opening = json!({"game": "nim"});
    let (Value::Object(all), Value::Object(said)) = (&mut opening, fields) else {
        panic!("an opening's fields")
    };
    all.extend(said);
    let opening: MatchSetup = serde_json::from_value(opening).unwrap();
    opening.draw(player(ADA), code(), HOUSE, &mut StdRng::seed_from_u64(1))
}

#[track_caller]
fn refused(fields: Value, expected: RefusalReason) {
    let refusal = drawn(fields).expect_err("a refusal");
    assert_eq!(refusal.reason(), expected, "{refusal}");
}

#[test]
fn omitted_options_take_the_servers_defaults() {
    let terms = drawn(json!({})).unwrap();
    assert_eq!((terms.grace_ms, terms.expires_at), (77_000, Timestamp(9)));
    assert!(terms.time.is_none());
    let terms = drawn(json!({"grace_ms": GRACE_MS.start()})).unwrap();
    assert_eq!(terms.grace_ms, *GRACE_MS.start());
}

#[test]
fn the_joiner_chooses_and_against_a_bot_the_creator() {
    let terms = drawn(json!({"first": "choose"})).unwrap();
    assert_eq!(terms.first, FirstMove::JoinerChooses);
    let terms = drawn(json!({"first": "choose", "opponent": {"bot": "perfect"}})).unwrap();
    assert_eq!(terms.first, FirstMove::CreatorChooses);
    let known = json!({"first": "choose", "start": {"position": "3,4,5"}});
    refused(known, RefusalReason::BadStart);
}

#[test]
fn a_bot_is_named_by_its_level() {
    let opponent = json!({"game": "nim", "opponent": {"bot": "Seeker"}});
    let error = serde_json::from_value::<MatchSetup>(opponent).unwrap_err();
    assert!(error.to_string().contains("perfect, strong"), "{error}");
}

#[test]
fn clocks_and_graces_keep_within_their_bounds() {
    let (least, most) = (*CLOCK_MS.start(), *CLOCK_MS.end());
    let whole = |initial: u64, increment: u64| json!({"time": {"match": {"initial_ms": initial, "increment_ms": increment}}});
    let each = |each: u64| json!({"time": {"move": {"each_ms": each}}});
    for good in [
        whole(least, 0),
        whole(most, INCREMENT_MS_MAX),
        each(least),
        each(most),
    ] {
        assert!(!drawn(good).unwrap().time.is_none());
    }
    for bad in [
        whole(least - 1, 0),
        whole(most + 1, 0),
        whole(least, INCREMENT_MS_MAX + 1),
        each(least - 1),
        each(most + 1),
        json!({"grace_ms": GRACE_MS.start() - 1}),
        json!({"grace_ms": GRACE_MS.end() + 1}),
    ] {
        refused(bad, RefusalReason::BadTime);
    }
}
