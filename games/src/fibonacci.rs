//! Fibonacci numbers and Zeckendorf's representation: arithmetic that two games need, and no game.

/// The Fibonacci numbers 1, 2, 3, 5, 8, … below 2^64, ascending, each once.
pub const FIBONACCI: [u64; 92] = {
    let mut numbers = [1; 92];
    numbers[1] = 2;
    let mut index = 2;
    while index < numbers.len() {
        numbers[index] = numbers[index - 1] + numbers[index - 2];
        index += 1;
    }
    numbers
};

/// The Fibonacci numbers up to `most`, ascending.
#[must_use]
pub fn up_to(most: u64) -> &'static [u64] {
    &FIBONACCI[..FIBONACCI.partition_point(|&number| number <= most)]
}

/// Returns `true` for one of 1, 2, 3, 5, 8, ….
#[must_use]
pub fn is_fibonacci(number: u64) -> bool {
    FIBONACCI.binary_search(&number).is_ok()
}

/// The Fibonacci numbers, no two of them neighbours, of which `number` is the sum: ascending, none for 0.
///
/// There is exactly one such sum (Zeckendorf 1972, Lekkerkerker 1952), and greedily taking the largest finds it.
#[must_use]
pub fn zeckendorf(number: u64) -> Vec<u64> {
    let mut left = number;
    let mut parts = Vec::new();
    for &part in up_to(number).iter().rev() {
        if part <= left {
            parts.push(part);
            left -= part;
        }
    }
    parts.reverse();
    parts
}
