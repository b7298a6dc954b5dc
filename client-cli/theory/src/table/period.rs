//! Periods observed in sequences; no claim is made beyond the values given.

use serde::Serialize;

/// An additive period at the end of a sequence: after a beginning and one `length`, each value is the one
/// `length` places before it, plus `rise`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Period {
    /// The length of the period.
    pub length: usize,
    /// The first amount of the period.
    pub from: u64,
    /// The number of values before the period.
    pub preperiod: usize,
    /// The rise of the values in each period (the saltus); 0 in a plain period.
    pub rise: u64,
    /// The amount up to which the period was observed.
    pub seen_to: u64,
}

/// The number of times a period must be observed to count, in halves.
const SEEN_HALVES: usize = 5;

/// The fraction of the sequence that a period must cover: one in so many values.
const COVERED: usize = 4;

/// The minimum number of values that a period must cover.
const LEAST_COVERED: usize = 12;

impl Period {
    /// Finds the shortest period that a sequence's end shows often enough, in linear time. The values are
    /// those of the amounts from `least` on.
    pub fn observe(least: u64, values: &[u64]) -> Option<Self> {
        // Values rise by the same in each period iff their differences repeat; compared from the end.
        let pairs = values.windows(2).rev();
        let differences = pairs.map(|pair| i128::from(pair[1]) - i128::from(pair[0]));
        let differences: Vec<i128> = differences.collect();
        let common = common_prefixes(&differences);
        let wanted = (values.len() / COVERED).max(LEAST_COVERED);
        (1..differences.len()).find_map(|length| {
            // The number of values at the end that have this period.
            let covered = length + common[length] + 1;
            if covered < wanted || 2 * covered < SEEN_HALVES * length {
                return None;
            }
            let rise = differences[..length].iter().sum::<i128>();
            let preperiod = values.len() - covered;
            Some(Self {
                length,
                from: least + preperiod as u64,
                preperiod,
                rise: u64::try_from(rise).ok()?,
                seen_to: least + values.len() as u64 - 1,
            })
        })
    }
}

/// Computes the Z function: for each place, how long the values from there agree with the values from the
/// start.
fn common_prefixes(values: &[i128]) -> Vec<usize> {
    let mut common = vec![0; values.len()];
    // The matching stretch that reaches furthest.
    let (mut from, mut to) = (0, 0);
    for place in 1..values.len() {
        let mut length = if place < to {
            common[place - from].min(to - place)
        } else {
            0
        };
        while place + length < values.len() && values[length] == values[place + length] {
            length += 1;
        }
        if place + length > to {
            (from, to) = (place, place + length);
        }
        common[place] = length;
    }
    common
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(values: impl IntoIterator<Item = u64>) -> Option<(usize, usize, u64)> {
        let values: Vec<u64> = values.into_iter().collect();
        Period::observe(0, &values).map(|period| (period.preperiod, period.length, period.rise))
    }

    #[test]
    fn a_period_starts_at_its_first_value() {
        let tail = [1, 2, 4].into_iter().cycle();
        let values = [9, 9, 7].into_iter().chain(tail.take(20));
        assert_eq!(seen(values), Some((3, 3, 0)));
        assert_eq!(seen([5; 30]), Some((0, 1, 0)));
    }

    #[test]
    fn an_additive_period_has_a_rise() {
        assert_eq!(seen(0..40), Some((0, 1, 1)));
        assert_eq!(seen((0..40).map(|n| n / 2 + n % 2 * 8)), Some((0, 2, 1)));
        assert_eq!(seen((0..40).rev()), None, "nimbers cannot fall forever");
    }

    #[test]
    fn the_search_takes_linear_time() {
        // Rising and falling, so that many lengths are tried.
        let values: Vec<u64> = (0..1_000_000).map(|n: u64| n.count_ones().into()).collect();
        assert_eq!(Period::observe(0, &values), None);
    }

    #[test]
    fn too_few_repetitions_are_no_period() {
        assert_eq!(seen([]), None);
        assert_eq!(seen([1]), None);
        assert_eq!(seen([0, 1, 0, 1, 0, 1]), None);
        // Twice and no more.
        let values = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7];
        assert_eq!(seen(values.into_iter().chain(values)), None);
        // Four equal values at the end of many.
        let values = (0..100).map(|n| if n < 96 { n * n % 97 } else { 1 });
        assert_eq!(seen(values), None);
    }
}
