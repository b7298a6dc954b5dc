//! The cold pairs of Wythoff's Nim, exactly: with integers only, in time that does not depend on their size.
//!
//! The k-th pair is ⌊kφ⌋ and ⌊kφ⌋ + k = ⌊kφ²⌋. By Beatty's theorem (1926) every number above 0 is in exactly
//! one of them.

/// ⌊kφ⌋, φ being the golden ratio (1 + √5) / 2; `None` past 2^64 − 1.
#[must_use]
pub fn floor_phi(k: u64) -> Option<u64> {
    let k = u128::from(k);
    // ⌊(k + √5k²) / 2⌋ is the same with ⌊√5k²⌋, because the other numbers are integers. Where 5k² passes 128 bits, the
    // answer passes 64.
    let root = (k * k).checked_mul(5)?.isqrt();
    u64::try_from((k + root) / 2).ok()
}

/// The cold pair of difference `k`, which loses for the player to move: the smaller first; `None` past 2^64 − 1.
///
/// ```
/// # use fibfob_games::games::wythoff_nim::cold_pair;
/// assert_eq!(cold_pair(2), Some((3, 5)));
/// ```
#[must_use]
pub fn cold_pair(k: u64) -> Option<(u64, u64)> {
    let small = floor_phi(k)?;
    Some((small, small.checked_add(k)?))
}

/// The number that makes a cold pair with this one; `None` where ⌊number·φ⌋ passes 2^64 − 1.
#[must_use]
pub fn cold_partner(number: u64) -> Option<u64> {
    match lower_index(number) {
        Some(k) => number.checked_add(k),
        // It is the larger of its pair, ⌊kφ²⌋. As 1/φ² = 2 − φ, the k is 2·number − ⌊number·φ⌋, and k less the partner.
        None => floor_phi(number)?.checked_sub(number),
    }
}

/// The k with ⌊kφ⌋ = `number`, if there is one.
fn lower_index(number: u64) -> Option<u64> {
    if number == 0 {
        return Some(0);
    }
    // The only candidate is the smallest k with kφ > number, ⌊number/φ⌋ + 1, and 1/φ = φ − 1.
    let k = floor_phi(number)?.checked_sub(number)? + 1;
    (floor_phi(k) == Some(number)).then_some(k)
}
