//! Fuzzy matching by edit distance.
//!
//! The distance is the least number of changes in which no letter is changed twice: one added, one left out, one
//! replaced, two neighbours swapped (optimal string alignment). The usual table is only filled in near its diagonal,
//! where the distance can still be small enough, and no further than a row in which it is nowhere small enough.
//! Libraries compute the distance in full, which costs much more over all values of a field.

use super::Matcher;

/// A text that others are compared with.
#[derive(Debug, Clone)]
pub struct FuzzyMatcher {
    text: String,
    letters: Vec<char>,
    distance: usize,
}

impl FuzzyMatcher {
    /// Returns the matcher for texts within an edit distance.
    pub fn new(text: &str, distance: u8) -> Self {
        Self { text: text.to_owned(), letters: text.chars().collect(), distance: usize::from(distance) }
    }
}

impl Matcher for FuzzyMatcher {
    fn matches(&self, text: &str) -> bool {
        if self.distance == 0 {
            return text == self.text;
        }
        let (letters, limit) = (&self.letters, self.distance);
        let count = text.chars().count();
        if count.abs_diff(letters.len()) > limit {
            return false;
        }

        // `current[j]` is the distance between what has been read of the text and the first `j` letters. Cells off the
        // band of `limit` around the diagonal are too far to matter.
        let too_far = limit + 1;
        let mut before_last = vec![too_far; letters.len() + 1];
        let mut last = before_last.clone();
        let mut current: Vec<usize> = (0..=letters.len()).map(|column| column.min(too_far)).collect();
        let mut previous_letter = None;
        for (index, letter) in text.chars().enumerate() {
            let row = index + 1;
            (before_last, last, current) = (last, current, before_last);
            let first = row.saturating_sub(limit);
            let mut least = too_far;
            if first == 0 {
                current[0] = row;
                least = row;
            } else {
                current[first - 1] = too_far;
            }
            for column in first.max(1)..=letters.len().min(row + limit) {
                let replaced = last[column - 1] + usize::from(letters[column - 1] != letter);
                let mut cell = replaced.min(last[column] + 1).min(current[column - 1] + 1);
                if column > 1 && letters[column - 2] == letter && previous_letter == Some(letters[column - 1]) {
                    cell = cell.min(before_last[column - 2] + 1);
                }
                current[column] = cell;
                least = least.min(cell);
            }
            if least > limit {
                return false;
            }
            previous_letter = Some(letter);
        }
        current[letters.len()] <= limit
    }
}
