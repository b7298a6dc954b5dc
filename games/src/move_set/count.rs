//! Counts and completes tuples of numbers whose sum is bounded, without listing them.
//!
//! The tuples are those with `from ≤ x ≤ to` in each place that obey a [`SumConstraint`].

use std::collections::BTreeMap;

/// A constraint on the sum of the numbers in all slots of a family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SumConstraint {
    /// The least sum.
    pub least: u64,
    /// The greatest sum.
    pub most: u64,
    /// The least number of slots above 0.
    pub nonzero: u8,
}

/// The most slots that a family with a [`SumConstraint`] may have: counting takes up to 3^slots steps.
pub const SUMMED_SLOTS_MAX: usize = 8;

/// Counts the tuples, if `total` is ascending; `None` if 128 bits may not hold the number.
///
/// With `least` 0 to 2, which covers all moves of a position, that happens only past 2^64: if the slots' box, cut
/// at `most`, has 2^128 tuples or more, then those with at most an eighth of `most` in each slot are 2^104 or more.
pub fn tuples(bounds: &[(u64, u64)], total: SumConstraint) -> Option<u128> {
    at_most(bounds, total)?;
    // Modulo 2^128: single terms of the inclusion and exclusion may pass it, but the answer does not.
    let terms = terms(bounds);
    let up_to = |sum: u64| {
        let sum = u128::from(sum);
        // A term knows its places above 0, so `nonzero` only leaves terms out.
        let hits = terms
            .iter()
            .filter(|((shift, _, positive), _)| *shift <= sum && *positive >= total.nonzero);
        hits.fold(0u128, |count, (&(shift, free, _), &weight)| {
            let places = u64::try_from(sum - shift + u128::from(free));
            let places = places.expect("every free place has shifted the sum by 1 at least");
            // A negative weight wraps to its residue.
            count
                .wrapping_add(choose(places, free).wrapping_mul(i128::from(weight).cast_unsigned()))
        })
    };
    let below = total.least.checked_sub(1).map_or(0, up_to);
    Some(up_to(total.most).wrapping_sub(below))
}

/// Bounds the number of tuples from above; `None` past 2^128 − 1. Once all other numbers are chosen, the one
/// with the most choices still has at most as many as there are sums.
fn at_most(bounds: &[(u64, u64)], total: SumConstraint) -> Option<u128> {
    let span = |from: u64, to: u64| (u128::from(to) + 1).saturating_sub(from.into());
    let widths = bounds
        .iter()
        .map(|&(from, to)| span(from, to.min(total.most)));
    let mut widths: Vec<u128> = widths.collect();
    widths.sort_unstable();
    if let Some(largest) = widths.last_mut() {
        *largest = span(total.least, total.most).min(*largest);
    }
    let mut widths = widths.into_iter();
    widths.try_fold(1u128, |product, width| product.checked_mul(width))
}

/// Writes the tuples, by inclusion and exclusion, as a weighted sum of simpler sets, each given as (shift, free
/// places, places above 0): that many free numbers from 0 without an upper bound, with their sum shifted up.
fn terms(bounds: &[(u64, u64)]) -> BTreeMap<(u128, u8, u8), i64> {
    let mut terms = BTreeMap::from([((0, 0, 0), 1)]);
    for &(from, to) in bounds {
        let mut longer = BTreeMap::new();
        for ((shift, free, positive), weight) in terms {
            // At most 3^slots terms in all, whatever they are added to.
            let mut add = |key, weight: i64| *longer.entry(key).or_default() += weight;
            if from == 0 {
                add((shift, free, positive), weight);
            }
            // Above 0, the place is free from its least number on, less the part beyond `to`.
            if to > 0 {
                add(
                    (shift + u128::from(from.max(1)), free + 1, positive + 1),
                    weight,
                );
                add(
                    (shift + u128::from(to) + 1, free + 1, positive + 1),
                    -weight,
                );
            }
        }
        terms = longer;
    }
    terms
}

/// The binomial coefficient `n` over `k`, modulo 2^128.
fn choose(n: u64, k: u8) -> u128 {
    // Division is impossible modulo a power of two, so every divisor is cancelled before multiplying.
    let k = u64::from(k);
    let mut factors: Vec<u64> = (0..k).map(|index| n - index).collect();
    for divisor in 2..=k {
        let mut left = divisor;
        for factor in &mut factors {
            let common = gcd(*factor, left);
            *factor /= common;
            left /= common;
        }
        debug_assert_eq!(left, 1, "k consecutive numbers are divisible by k!");
    }
    factors.iter().fold(1, |product: u128, &factor| {
        product.wrapping_mul(factor.into())
    })
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Returns the numbers for the next place, after `values`, from which a tuple can be completed. They are an
/// interval; `None` if it is empty.
pub fn completable(
    bounds: &[(u64, u64)],
    total: SumConstraint,
    values: &[u64],
) -> Option<(u64, u64)> {
    if total.least > total.most {
        return None;
    }
    let (from, to) = bounds[values.len()];
    let rest = &bounds[values.len() + 1..];
    let sum: u128 = values.iter().map(|&value| u128::from(value)).sum();
    let above = values.iter().filter(|&&value| value > 0).count();
    let wanted = usize::from(total.nonzero).saturating_sub(above);
    let high: u128 = rest.iter().map(|&(_, to)| u128::from(to)).sum();
    let least = u128::from(total.least).saturating_sub(sum + high);
    // The sums of the other places fill an interval without a gap, so its two ends decide.
    let most = |wanted: usize| u128::from(total.most).checked_sub(sum + lowest(rest, wanted)?);
    // 0 is decided by itself, because it leaves the other places one more number above 0 to find.
    let zero = from == 0 && least == 0 && most(wanted).is_some();
    let low = least.max(from.max(1).into());
    let high = most(wanted.saturating_sub(1))
        .map(|most| most.min(to.into()))
        .filter(|&high| low <= high);
    match (zero, high) {
        (false, None) => None,
        (true, None) => Some((0, 0)),
        (zero, Some(high)) => Some((
            if zero { 0 } else { u64::try_from(low).ok()? },
            u64::try_from(high).ok()?,
        )),
    }
}

/// Returns the least sum of numbers within the bounds, `wanted` of them above 0; `None` if there cannot be as many.
fn lowest(bounds: &[(u64, u64)], wanted: usize) -> Option<u128> {
    let able = bounds.iter().filter(|&&(_, to)| to > 0).count();
    let forced = bounds.iter().filter(|&&(from, _)| from > 0).count();
    let least: u128 = bounds.iter().map(|&(from, _)| u128::from(from)).sum();
    (able >= wanted).then(|| least + wanted.saturating_sub(forced) as u128)
}
