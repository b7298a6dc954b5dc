//! Looks for bytes that break the property of this name.
#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};

fuzz_target!(|data: &[u8]| -> Corpus {
    // What has nothing to try is no seed for more.
    match fibfob_game_properties::any_position_is_answered(data) {
        Some(_) => Corpus::Keep,
        None => Corpus::Reject,
    }
});
