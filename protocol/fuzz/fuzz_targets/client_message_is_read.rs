//! Looks for bytes that break the law of this name.
#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};

fuzz_target!(|data: &[u8]| -> Corpus {
    // What has nothing to try is no seed for more.
    match fibfob_wire_properties::client_message_is_read(data) {
        Some(_) => Corpus::Keep,
        None => Corpus::Reject,
    }
});
