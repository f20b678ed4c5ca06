//! Numbers that look random and depend on a seed alone.
//!
//! Written here rather than taken from a library because the libraries are free to change their sequences with a
//! version, and sample data must stay the same. Only integers and exact fractions are used, so that every machine
//! computes the same.

/// The most choices that [`Random::skewed`] takes.
const MAX_CHOICES: usize = 64;

/// Sums of the weights 1, 1/2, 1/3 and so on, in millionths: the n-th entry is the sum of the first n + 1 weights.
const WEIGHT_SUMS: [u64; MAX_CHOICES] = {
    let mut sums = [0; MAX_CHOICES];
    let (mut index, mut sum) = (0, 0);
    while index < MAX_CHOICES {
        sum += 1_000_000 / (index as u64 + 1);
        sums[index] = sum;
        index += 1;
    }
    sums
};

/// Scrambles a number; no two numbers give the same result.
pub(crate) fn scramble(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

/// A sequence of numbers (SplitMix64).
pub(crate) struct Random(u64);

impl Random {
    /// Starts the sequence of a seed.
    pub(crate) fn new(seed: u64) -> Self {
        Self(scramble(seed))
    }

    /// Starts the sequence of one object among those of its kind.
    pub(crate) fn of(seed: u64, kind: u64, number: u64) -> Self {
        Self::new(scramble(scramble(seed) ^ kind).wrapping_add(number))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        scramble(self.0)
    }

    /// Returns a number of 128 bits.
    pub(crate) fn wide(&mut self) -> u128 {
        (u128::from(self.next()) << 64) | u128::from(self.next())
    }

    /// Returns a number from `low` to `high`, both included.
    pub(crate) fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.next() % (high - low + 1)
    }

    /// Returns a number from `low` to `high` with two digits after the point.
    pub(crate) fn decimal(&mut self, low: u32, high: u32) -> f64 {
        let hundredths = self.between(u64::from(low) * 100, u64::from(high) * 100);
        u32::try_from(hundredths).map_or(f64::from(high), f64::from) / 100.0
    }

    /// Returns a number near 2 to the power of `exponent`: mostly within a few doublings, with a long tail upwards.
    pub(crate) fn magnitude(&mut self, exponent: u64) -> u64 {
        let doublings: u64 = (0..4).map(|_| self.between(0, 2)).sum();
        let floor = 1 << (exponent + doublings - 4);
        self.between(floor, 2 * floor - 1)
    }

    /// Returns true this many times out of a hundred.
    pub(crate) fn percent(&mut self, chance: u64) -> bool {
        self.between(1, 100) <= chance
    }

    /// Returns one of some choices.
    pub(crate) fn pick<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        let last = choices.len() as u64 - 1;
        &choices[self.between(0, last) as usize]
    }

    /// Returns one of at most 64 choices, the second half as often as the first, the third a third as often, and so on.
    pub(crate) fn skewed<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        let sums = &WEIGHT_SUMS[..choices.len()];
        let drawn = self.next() % sums[sums.len() - 1];
        &choices[sums.partition_point(|sum| *sum <= drawn)]
    }

    /// Returns up to `max` different choices, of which there are at most 64; the first ones are the most common.
    pub(crate) fn distinct<T: Copy + PartialEq>(&mut self, max: u64, choices: &[T]) -> Vec<T> {
        let mut chosen = Vec::new();
        for _ in 0..self.between(0, max) {
            let choice = *self.skewed(choices);
            if !chosen.contains(&choice) {
                chosen.push(choice);
            }
        }
        chosen
    }

    /// Returns a date of the years 2021 to 2025.
    pub(crate) fn date(&mut self) -> String {
        let (year, month, day) = (self.between(2021, 2025), self.between(1, 12), self.between(1, 28));
        format!("{year}-{month:02}-{day:02}")
    }
}
