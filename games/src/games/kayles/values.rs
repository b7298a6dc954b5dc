//! The nimbers of groups of pins.

/// The period of the nimbers, in pins.
pub const PERIOD: u64 = 12;

/// From this many pins on, the nimbers have that period.
const REGULAR: u64 = 71;

/// The nimbers of 0 to REGULAR + PERIOD − 1 pins, by the rules.
const VALUES: [u8; (REGULAR + PERIOD) as usize] = {
    let mut values = [0; (REGULAR + PERIOD) as usize];
    let mut pins = 1;
    while pins < values.len() {
        // No nimber here reaches 64: the largest is 8.
        let mut seen = 0u64;
        let mut left = 0;
        while left < pins {
            seen |= 1 << (values[left] ^ values[pins - 1 - left]);
            if left + 1 < pins {
                seen |= 1 << (values[left] ^ values[pins - 2 - left]);
            }
            left += 1;
        }
        values[pins] = seen.trailing_ones() as u8;
        pins += 1;
    }
    values
};

/// The nimber of a group of so many neighbouring pins.
///
/// From 71 pins on it has the period 12 (Guy and Smith 1956: a period that has held for long enough holds for ever).
#[must_use]
pub const fn group_value(pins: u64) -> u64 {
    let index = if pins < REGULAR {
        pins
    } else {
        REGULAR + (pins - REGULAR) % PERIOD
    };
    // No truncation: the index is below the length of the table.
    VALUES[index as usize] as u64
}
