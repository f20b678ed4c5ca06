//! The rows of a nesting level by the rows above them: by those of its parent level, or by documents.
//!
//! Lifting a bitmap to the level above and lowering it again cost a few instructions for sixty-four rows, whatever the
//! bitmap has; see [`crate::platform`]. Made from the stored starts when first needed, with a bit for each row on both
//! sides.

use crate::bitset::{Bitset, WORD_BITS};
use crate::platform;

/// Which rows belong to which parent row.
pub(crate) struct ChildRows {
    rows: usize,
    /// The rows that are the first of their parent row, and one for the end.
    first: Bitset,
    /// The parent rows that have rows.
    parents: Bitset,
}

impl ChildRows {
    /// Reads where the rows of each parent row begin, with one more for the end.
    pub(super) fn new(starts: &[u32], rows: usize) -> Self {
        // A word more than the rows have, so that every word of rows has one after it.
        let mut first = Bitset::empty(rows + WORD_BITS);
        let mut parents = Bitset::empty(starts.len().saturating_sub(1));
        for (parent, ends) in starts.windows(2).enumerate() {
            // Starts are not verified when a segment is opened.
            if ends[0] < ends[1] && (ends[0] as usize) < rows {
                first.insert(ends[0] as usize);
                parents.insert(parent);
            }
        }
        first.insert(rows);
        Self { rows, first, parents }
    }

    /// Returns the rows that are the first of their parent row.
    pub(crate) fn first(&self) -> &Bitset {
        &self.first
    }

    /// Returns the parent rows that have one of the rows.
    pub(crate) fn lift(&self, rows: &Bitset) -> Bitset {
        let lifted = platform::lift_rows(self.first.words(), self.parents.words(), rows.words());
        Bitset::from_vec(lifted, self.parents.length())
    }

    /// Returns all rows of parent rows.
    pub(crate) fn lower(&self, parents: &Bitset) -> Bitset {
        let lowered = platform::lower_rows(self.first.words(), self.parents.words(), parents.words());
        Bitset::from_vec(lowered, self.rows)
    }

    /// Returns how many parent rows have a row that is in both of two bitmaps.
    pub(crate) fn count_parents(&self, rows: &Bitset, stored: &[u64]) -> usize {
        platform::count_parents(self.first.words(), rows.words(), stored)
    }

    /// Returns how many parent rows have a row of a sorted list that is in a bitmap.
    pub(crate) fn count_parents_of_list(&self, rows: &Bitset, list: &[u32]) -> usize {
        // After the last row that is in both, and the end of the last parent that had to be found.
        let (mut count, mut after, mut end) = (0, 0, 0);
        for row in list.iter().map(|&row| row as usize) {
            let is_counted = rows.contains(row);
            if self.first.contains(row) {
                // Most rows are: no branch depends on the bitmap.
                count += usize::from(is_counted);
            } else if is_counted && row >= end {
                let next = self.first.next_from(row + 1);
                // The row before lies in the same parent if the next one begins after both.
                count += usize::from(self.first.next_from(after) != next);
                end = next.unwrap_or(usize::MAX);
            }
            after = if is_counted { row + 1 } else { after };
        }
        count
    }
}

#[cfg(test)]
mod tests {
    use rand::rngs::StdRng;
    use rand::{Rng, SeedableRng};

    use super::*;

    /// Returns where the rows of each parent begin: of many none, of many one, of a few hundreds.
    fn random_starts(random: &mut StdRng) -> Vec<u32> {
        let mut starts = vec![0_u32];
        for _ in 0..random.random_range(0..200) {
            let rows = match random.random_range(0..10) {
                0..3 => 0,
                3..6 => 1,
                6..9 => random.random_range(2..6),
                _ => random.random_range(1..300),
            };
            starts.push(starts[starts.len() - 1] + rows);
        }
        starts
    }

    fn random_rows(random: &mut StdRng, length: usize) -> Bitset {
        let percent = [0, 1, 10, 50, 90, 100][random.random_range(0..6_usize)];
        let mut set = Bitset::empty(length);
        (0..length).filter(|_| random.random_range(0..100) < percent).for_each(|row| set.insert(row));
        set
    }

    #[test]
    fn rows_and_parents_are_found_as_one_by_one() {
        for seed in 0..500 {
            let mut random = StdRng::seed_from_u64(seed);
            let starts = random_starts(&mut random);
            let rows = starts[starts.len() - 1] as usize;
            let parents = starts.len() - 1;
            let children = ChildRows::new(&starts, rows);
            let rows_of = |parent: usize| starts[parent] as usize..starts[parent + 1] as usize;

            let (one, two) = (random_rows(&mut random, rows), random_rows(&mut random, rows));
            let with = |test: &dyn Fn(usize) -> bool| -> Vec<usize> {
                (0..parents).filter(|&parent| rows_of(parent).any(test)).collect()
            };
            let lifted: Vec<usize> = children.lift(&one).iter().collect();
            assert_eq!(lifted, with(&|row| one.contains(row)), "seed {seed}");

            let chosen = random_rows(&mut random, parents);
            let lowered: Vec<usize> = children.lower(&chosen).iter().collect();
            assert_eq!(lowered, chosen.iter().flat_map(rows_of).collect::<Vec<usize>>(), "seed {seed}");

            let expected = with(&|row| one.contains(row) && two.contains(row)).len();
            let list: Vec<u32> = two.iter().map(|row| row as u32).collect();
            assert_eq!(children.count_parents(&one, two.words()), expected, "seed {seed}");
            assert_eq!(children.count_parents_of_list(&one, &list), expected, "seed {seed}");
        }
    }

    #[test]
    fn damaged_starts_are_read_without_a_panic() {
        for starts in [vec![], vec![7], vec![0, 900, 3], vec![5, 4, 1000, u32::MAX], vec![0, 0, 64, 64, 64]] {
            let children = ChildRows::new(&starts, 64);
            let all = Bitset::full(64);
            assert!(children.lift(&all).count() < starts.len().max(1));
            assert!(children.lower(&Bitset::full(starts.len().saturating_sub(1))).count() <= 64);
            assert!(children.count_parents(&all, all.words()) <= 64);
        }
    }
}
