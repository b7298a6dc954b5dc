//! Properties of the wire and of the match machine on seeded bytes: a short run of the fuzz targets.

use std::{fs, path::Path};

use fibfob_wire_properties::Property;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// The bytes drawn for a short try and for a long one; all later ones are 0.
const SHORT: usize = 192;
const LONG: usize = 6_000;

/// Tries a property on seeded bytes. It must find something to check in more than a third of the
/// tries.
#[track_caller]
fn try_property(seed: u64, times: usize, size: usize, property: Property) {
    let mut rng = StdRng::seed_from_u64(seed);
    let mut bytes = vec![0; size];
    let mut tried = 0;
    for _ in 0..times {
        rng.fill_bytes(&mut bytes);
        tried += usize::from(property(&bytes).is_some());
    }
    assert!(tried > times / 3, "only {tried} of {times} were of use");
}

#[test]
fn every_golden_text_is_read_and_written_and_read_again() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden");
    let mut tried = 0;
    for entry in fs::read_dir(folder).expect("the golden folder") {
        let path = entry.expect("an entry").path();
        let text = fs::read(&path).expect("a golden text");
        let read = fibfob_wire_properties::any_text_is_read(&text);
        assert!(read.is_some(), "{}", path.display());
        tried += 1;
    }
    assert!(tried > 50, "only {tried} golden texts");
}

#[test]
fn any_bytes_are_read_or_refused() {
    let mut rng = StdRng::seed_from_u64(31);
    let mut bytes = [0; 64];
    for _ in 0..20_000 {
        rng.fill_bytes(&mut bytes);
        let read = fibfob_wire_properties::any_text_is_read(&bytes);
        assert_eq!(read, None, "{bytes:?}");
    }
}

#[test]
fn a_text_altered_anywhere_is_read_or_refused_under_its_id() {
    try_property(
        32,
        12_000,
        SHORT,
        fibfob_wire_properties::altered_text_is_read,
    );
}

#[test]
fn nesting_is_bounded() {
    try_property(33, 1_000, SHORT, fibfob_wire_properties::nesting_is_bounded);
}

#[test]
fn every_client_message_is_read_as_it_was_written() {
    try_property(
        34,
        6_000,
        SHORT,
        fibfob_wire_properties::client_message_is_read,
    );
}

#[test]
fn every_server_message_is_read_as_it_was_written() {
    try_property(
        35,
        1_500,
        SHORT,
        fibfob_wire_properties::server_message_is_read,
    );
}

#[test]
fn the_log_replays_to_the_live_match_whatever_is_tried() {
    try_property(
        36,
        1_500,
        SHORT,
        fibfob_wire_properties::commands_keep_the_log,
    );
    try_property(37, 150, LONG, fibfob_wire_properties::commands_keep_the_log);
}

#[test]
fn any_log_is_replayed_or_reported_as_corrupt() {
    try_property(
        38,
        4_000,
        SHORT,
        fibfob_wire_properties::any_log_is_replayed,
    );
}

#[test]
fn a_resumed_view_equals_the_live_one() {
    try_property(
        39,
        500,
        2 * SHORT,
        fibfob_wire_properties::a_resumed_view_equals_the_live_one,
    );
}
