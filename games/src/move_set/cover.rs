//! Describes given numbers by few runs.

use super::slot::Progression;

impl Progression {
    /// Returns runs that hold exactly these ascending numbers.
    ///
    /// They are few if the numbers are a chain of progressions, or fill residue classes modulo `period` with
    /// gaps; the better description is taken. Linear in the numbers plus the period.
    #[must_use]
    pub fn cover(numbers: &[u64], period: u64) -> Vec<Self> {
        let progressions = progressions(numbers);
        let classes: Vec<Self> = (0..period)
            .flat_map(|residue| {
                let class = numbers.iter().copied().filter(|n| n % period == residue);
                stretches(class, period)
            })
            .collect();
        if classes.len() < progressions.len() {
            classes
        } else {
            progressions
        }
    }
}

/// Splits numbers into progressions, one after the other, each as long as possible.
fn progressions(numbers: &[u64]) -> Vec<Progression> {
    let mut runs = Vec::new();
    let mut rest = numbers;
    while let [from, others @ ..] = rest {
        let step = others.first().map_or(1, |next| next - from);
        let steps = rest.windows(2).take_while(|pair| pair[1] - pair[0] == step);
        // Two numbers are no progression yet: the second may begin a better one.
        let more = Some(steps.count()).filter(|&more| step == 1 || more >= 2);
        let more = more.unwrap_or(0);
        runs.push(Progression {
            from: *from,
            to: rest[more],
            step: if more == 0 { 1 } else { step },
        });
        rest = &rest[more + 1..];
    }
    runs
}

/// Splits numbers into runs with this step.
fn stretches(numbers: impl Iterator<Item = u64>, step: u64) -> Vec<Progression> {
    let mut runs: Vec<Progression> = Vec::new();
    for number in numbers {
        match runs.last_mut() {
            Some(run) if run.to + step == number => run.to = number,
            _ => runs.push(Progression {
                from: number,
                to: number,
                step,
            }),
        }
    }
    runs
}
