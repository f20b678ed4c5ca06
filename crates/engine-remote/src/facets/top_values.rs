//! The most frequent values of a stream of values.

use std::cmp::Reverse;

use cantata_mapping::TypedValue;

/// A bounded list of the most frequent values: by count descending, then by value.
pub(super) struct TopValues {
    wanted: usize,
    seen: u64,
    best: Vec<(TypedValue, u64)>,
}

impl TopValues {
    /// Returns a list that keeps `wanted` values.
    pub(super) fn new(wanted: usize) -> Self {
        Self { wanted, seen: 0, best: Vec::new() }
    }

    /// Adds values that were not seen before.
    pub(super) fn add(&mut self, values: Vec<(TypedValue, u64)>) {
        self.seen += values.len() as u64;
        if self.wanted > 0 {
            self.best.extend(values);
            self.best.sort_unstable_by(|one, two| (Reverse(one.1), &one.0).cmp(&(Reverse(two.1), &two.0)));
            self.best.truncate(self.wanted);
        }
    }

    /// Returns how many values were seen, and the most frequent ones.
    pub(super) fn finish(self) -> (u64, Vec<(TypedValue, u64)>) {
        (self.seen, self.best)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(number: i64) -> TypedValue {
        TypedValue::Integer(number)
    }

    #[test]
    fn the_most_frequent_values_are_kept_and_all_are_counted() {
        let mut top_values = TopValues::new(3);
        top_values.add(vec![(value(5), 2), (value(1), 1), (value(4), 7)]);
        top_values.add(vec![(value(2), 2), (value(3), 2)]);
        assert_eq!(top_values.finish(), (5, vec![(value(4), 7), (value(2), 2), (value(3), 2)]));
    }

    #[test]
    fn nothing_is_kept_where_nothing_is_wanted() {
        let mut top_values = TopValues::new(0);
        top_values.add(vec![(value(1), 1)]);
        assert_eq!(top_values.finish(), (1, Vec::new()));
    }
}
