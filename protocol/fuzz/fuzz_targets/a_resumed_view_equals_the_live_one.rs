//! Looks for bytes that violate the property of this name.
#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};

fuzz_target!(|data: &[u8]| -> Corpus {
    // Bytes with nothing to try are no seed.
    match fibfob_wire_properties::a_resumed_view_equals_the_live_one(data) {
        Some(_) => Corpus::Keep,
        None => Corpus::Reject,
    }
});
