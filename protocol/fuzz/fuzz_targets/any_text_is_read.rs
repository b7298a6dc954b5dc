//! Looks for bytes that violate the property of this name.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    // Texts that are refused are kept too: the reader has as many ways to refuse as to read.
    let _ = fibfob_wire_properties::any_text_is_read(data);
});
