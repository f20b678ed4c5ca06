//! Numbers that look random and depend on a seed alone.
//!
//! Written here rather than taken from a library because the libraries are free to change their sequences with a
//! version, and sample data must stay the same.

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

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        scramble(self.0)
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

    /// Returns true this many times out of a hundred.
    pub(crate) fn percent(&mut self, chance: u64) -> bool {
        self.between(1, 100) <= chance
    }

    /// Returns one of some choices.
    pub(crate) fn pick<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        let last = choices.len() as u64 - 1;
        &choices[self.between(0, last) as usize]
    }

    /// Returns a date of the years 2021 to 2025.
    pub(crate) fn date(&mut self) -> String {
        let (year, month, day) = (self.between(2021, 2025), self.between(1, 12), self.between(1, 28));
        format!("{year}-{month:02}-{day:02}")
    }
}
