//! Building the column and postings of one field.

use crate::segment::{ColumnMetadata, PostingsMetadata, SectionWriter};
use crate::value_encoding::ValueClass;

/// Nested fields with more different values have no document postings; their row postings are short.
const MAX_DOCUMENT_POSTINGS_VALUES: usize = 4096;

/// A column under construction: rows in order, the ordinals of a row in any order. Until it ends, a row without values takes
/// no memory: of many fields, most have none in most rows.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ColumnBuilder {
    /// The row of each ordinal, until the column ends.
    rows: Vec<u32>,
    /// Where the ordinals of each row begin, with one more for the end, once the column has ended.
    starts: Vec<u32>,
    ordinals: Vec<u32>,
}

impl ColumnBuilder {
    /// Reserves memory for values.
    pub(crate) fn with_capacity(values: usize) -> Self {
        Self { rows: Vec::with_capacity(values), starts: Vec::new(), ordinals: Vec::with_capacity(values) }
    }

    /// Adds an ordinal to a row, which must not be before the last one.
    #[inline]
    pub(crate) fn push(&mut self, row: u32, ordinal: u32) {
        self.rows.push(row);
        self.ordinals.push(ordinal);
    }

    /// Ends the column: every row of the level gets its start, and its ordinals are sorted. Repeated strings of a row are
    /// dropped.
    pub(crate) fn finish(&mut self, rows: usize, class: ValueClass) {
        let value_rows = std::mem::take(&mut self.rows);
        // An offset that does not fit is found when the column is written.
        let offset = |index: usize| u32::try_from(index).unwrap_or(u32::MAX);
        self.starts.reserve_exact(rows + 1);
        let (mut start, mut kept) = (0, 0);
        for row in 0..rows as u32 {
            self.starts.push(offset(kept));
            let end = start + value_rows[start..].iter().take_while(|&&of_value| of_value == row).count();
            if end - start > 1 {
                self.ordinals[start..end].sort_unstable();
            }
            for index in start..end {
                let ordinal = self.ordinals[index];
                let repeated = index > start && self.ordinals[index - 1] == ordinal;
                if !(repeated && class.is_bytes()) {
                    self.ordinals[kept] = ordinal;
                    kept += 1;
                }
            }
            start = end;
        }
        self.starts.push(offset(kept));
        self.ordinals.truncate(kept);
    }

    fn row(&self, row: usize) -> &[u32] {
        &self.ordinals[self.starts[row] as usize..self.starts[row + 1] as usize]
    }

    /// Writes the column and its postings, and for a nested field of few values its document postings.
    pub(crate) fn write(&self, values: usize, level: &LevelRows<'_>, out: &mut SectionWriter) -> FieldSections {
        let missing = values as u32;
        out.offset(self.ordinals.len());
        let is_single = (0..level.rows).all(|row| self.row(row).len() <= 1);
        let column = if is_single {
            let first = |row| self.row(row).first().copied().unwrap_or(missing);
            let ordinals: Vec<u32> = (0..level.rows).map(first).collect();
            ColumnMetadata::write(None, &ordinals, missing, out)
        } else {
            ColumnMetadata::write(Some(&self.starts), &self.ordinals, missing, out)
        };
        let mut document_counts = vec![0; values + 1];
        self.for_each_document(values, level, &mut |_, ordinal| document_counts[ordinal as usize] += 1);
        let by_row = |visit: &mut dyn FnMut(u32, u32)| self.for_each_row(values, level, visit);
        let postings = PostingsMetadata::write(level.rows, values + 1, &document_counts, by_row, out);
        let document_postings = (level.is_nested && values <= MAX_DOCUMENT_POSTINGS_VALUES).then(|| {
            let by_document = |visit: &mut dyn FnMut(u32, u32)| self.for_each_document(values, level, visit);
            let documents = level.document_starts.len() - 1;
            PostingsMetadata::write(documents, values + 1, &document_counts, by_document, out)
        });
        FieldSections { column, postings, document_postings }
    }

    /// Visits each row with each of its different ordinals, or with the one after the last if it has none.
    fn for_each_row(&self, values: usize, level: &LevelRows<'_>, visit: &mut dyn FnMut(u32, u32)) {
        for row in 0..level.rows {
            let ordinals = self.row(row);
            if ordinals.is_empty() {
                visit(row as u32, values as u32);
            }
            for (index, &ordinal) in ordinals.iter().enumerate() {
                if index == 0 || ordinals[index - 1] != ordinal {
                    visit(row as u32, ordinal);
                }
            }
        }
    }

    /// Visits each document with each different ordinal of its rows; a row without value has the one after the last.
    fn for_each_document(&self, values: usize, level: &LevelRows<'_>, visit: &mut dyn FnMut(u32, u32)) {
        // The document, counted from one, that was visited last with each ordinal.
        let mut last = vec![0_u32; values + 1];
        for (document, range) in level.document_starts.windows(2).enumerate() {
            let number = document as u32 + 1;
            let mut visit_once = |ordinal: u32| {
                if std::mem::replace(&mut last[ordinal as usize], number) != number {
                    visit(document as u32, ordinal);
                }
            };
            for row in range[0] as usize..range[1] as usize {
                let ordinals = self.row(row);
                if ordinals.is_empty() {
                    visit_once(values as u32);
                }
                ordinals.iter().for_each(|&ordinal| visit_once(ordinal));
            }
        }
    }
}

/// The rows of the level of a field.
pub(crate) struct LevelRows<'a> {
    pub(crate) rows: usize,
    pub(crate) is_nested: bool,
    /// Where the rows of each document begin, with one more for the end.
    pub(crate) document_starts: &'a [u32],
}

/// The sections of a field other than its dictionary.
pub(crate) struct FieldSections {
    pub(crate) column: ColumnMetadata,
    pub(crate) postings: PostingsMetadata,
    pub(crate) document_postings: Option<PostingsMetadata>,
}

#[cfg(test)]
mod tests {
    use rand::rngs::StdRng;
    use rand::{Rng, SeedableRng};

    use super::*;

    #[test]
    fn rows_have_their_ordinals_in_order() {
        for (seed, class) in (0..50).flat_map(|seed| [(seed, ValueClass::Keyword), (seed, ValueClass::Integer)]) {
            let mut random = StdRng::seed_from_u64(seed);
            let mut expected: Vec<Vec<u32>> = vec![Vec::new(); random.random_range(0..40)];
            let mut column = ColumnBuilder::with_capacity(0);
            for (row, values) in expected.iter_mut().enumerate() {
                // Most rows have none.
                let count = [0, 0, 0, 1, 4][random.random_range(0..5_usize)];
                values.extend((0..count).map(|_| random.random_range(0..6_u32)));
                values.iter().for_each(|&ordinal| column.push(row as u32, ordinal));
                values.sort_unstable();
                if class.is_bytes() {
                    values.dedup();
                }
            }
            column.finish(expected.len(), class);
            let found: Vec<&[u32]> = (0..expected.len()).map(|row| column.row(row)).collect();
            assert_eq!(found, expected, "seed {seed}");
        }
    }
}
