//! Describing given numbers by few runs.

use super::slot::Progression;

impl Progression {
    /// Runs that hold exactly these ascending numbers.
    ///
    /// They are few if the numbers come in progressions one after the other, or fill residue classes modulo `period`
    /// here and there: the better of the two is taken. Linear in the numbers plus the period.
    ///
    /// # Panics
    /// When the period is 0.
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

/// Progressions that follow one another, each as long as it can be.
fn progressions(numbers: &[u64]) -> Vec<Progression> {
    let mut runs = Vec::new();
    let mut rest = numbers;
    while let [from, others @ ..] = rest {
        let step = others.first().map_or(1, |next| next - from);
        let steps = rest.windows(2).take_while(|pair| pair[1] - pair[0] == step);
        // Two numbers alone are no progression: the second may begin a better one.
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

/// Runs of this step that follow one another.
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
