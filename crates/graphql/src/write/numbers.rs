//! Numbers that were computed, as texts and in JSON: whole ones without a fraction.

use super::Writer;

/// Up to here doubles hold every whole number.
const WHOLE: f64 = 9_007_199_254_740_992.0;

/// Returns a double that is a small enough whole number as one.
#[expect(clippy::cast_possible_truncation, reason = "only whole numbers within the range of the type are cast")]
pub(super) fn whole(number: f64) -> Option<i64> {
    (number.fract() == 0.0 && number.abs() <= WHOLE).then_some(number as i64)
}

/// Returns a number as the text of a key.
pub(super) fn key(number: f64) -> String {
    whole(number).map_or_else(|| format!("{number:?}"), |whole| whole.to_string())
}

impl Writer<'_> {
    /// Writes a computed number.
    pub(super) fn computed(&mut self, number: f64) {
        match whole(number) {
            Some(whole) => self.json(&whole),
            None => self.json(&number),
        }
    }
}
