//! The column, postings and counts of one field, out of the codes that the documents brought.

use crate::key::Class;
use crate::segment::{ColumnEntry, PostingsEntry, SectionWriter};

/// Nested fields with more different values have no postings by document; theirs by row are short.
const FEW_VALUES: usize = 4096;

/// The codes of a field as they come: rows in order, the codes of a row in any order.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ColumnDraft {
    /// Where the codes of each row begin, for the rows that were seen.
    starts: Vec<u32>,
    codes: Vec<u32>,
}

impl ColumnDraft {
    /// Makes room for so many rows with one value each.
    pub(crate) fn with_capacity(rows: usize) -> Self {
        Self { starts: Vec::with_capacity(rows + 1), codes: Vec::with_capacity(rows) }
    }

    /// Adds a code to a row; rows never go back.
    #[inline]
    pub(crate) fn push(&mut self, row: u32, code: u32) {
        while self.starts.len() <= row as usize {
            self.starts.push(self.codes.len() as u32);
        }
        self.codes.push(code);
    }

    /// Ends the column: every row of the level has its place, and its codes are in order. Strings that a row has
    /// several times count once.
    pub(crate) fn finish(&mut self, rows: usize, class: Class) {
        while self.starts.len() <= rows {
            self.starts.push(self.codes.len() as u32);
        }
        let mut kept = 0;
        for row in 0..rows {
            let (start, end) = (self.starts[row] as usize, self.starts[row + 1] as usize);
            self.starts[row] = kept as u32;
            if end - start > 1 {
                self.codes[start..end].sort_unstable();
            }
            for place in start..end {
                let code = self.codes[place];
                let repeated = place > start && self.codes[place - 1] == code;
                if !(repeated && class.is_bytes()) {
                    self.codes[kept] = code;
                    kept += 1;
                }
            }
        }
        self.starts[rows] = kept as u32;
        self.codes.truncate(kept);
    }

    fn row(&self, row: usize) -> &[u32] {
        &self.codes[self.starts[row] as usize..self.starts[row + 1] as usize]
    }

    /// Writes the column and its postings: by row, and for a nested field of few values by document.
    pub(crate) fn write(&self, values: usize, level: &LevelRows<'_>, out: &mut SectionWriter) -> Written {
        let missing = values as u32;
        let is_single = (0..level.rows).all(|row| self.row(row).len() <= 1);
        let column = if is_single {
            let first = |row| self.row(row).first().copied().unwrap_or(missing);
            let codes: Vec<u32> = (0..level.rows).map(first).collect();
            ColumnEntry::write(None, &codes, missing, out)
        } else {
            ColumnEntry::write(Some(&self.starts), &self.codes, missing, out)
        };
        let mut document_counts = vec![0; values + 1];
        self.for_each_document(values, level, &mut |_, code| document_counts[code as usize] += 1);
        let by_row = |visit: &mut dyn FnMut(u32, u32)| self.for_each_row(values, level, visit);
        let postings = PostingsEntry::write(level.rows, values + 1, &document_counts, by_row, out);
        let by_document = (level.is_nested && values <= FEW_VALUES).then(|| {
            let by_document = |visit: &mut dyn FnMut(u32, u32)| self.for_each_document(values, level, visit);
            let documents = level.document_starts.len() - 1;
            PostingsEntry::write(documents, values + 1, &document_counts, by_document, out)
        });
        Written { column, postings, by_document }
    }

    /// Shows each row with each of its different codes, or with the one after the last if it has none.
    fn for_each_row(&self, values: usize, level: &LevelRows<'_>, visit: &mut dyn FnMut(u32, u32)) {
        for row in 0..level.rows {
            let codes = self.row(row);
            if codes.is_empty() {
                visit(row as u32, values as u32);
            }
            for (place, &code) in codes.iter().enumerate() {
                if place == 0 || codes[place - 1] != code {
                    visit(row as u32, code);
                }
            }
        }
    }

    /// Shows each document with each different code of its rows; a row without value has the one after the last.
    fn for_each_document(&self, values: usize, level: &LevelRows<'_>, visit: &mut dyn FnMut(u32, u32)) {
        // The document, counted from one, that was shown last with each code.
        let mut last = vec![0_u32; values + 1];
        for (document, range) in level.document_starts.windows(2).enumerate() {
            let number = document as u32 + 1;
            let mut see = |code: u32| {
                if std::mem::replace(&mut last[code as usize], number) != number {
                    visit(document as u32, code);
                }
            };
            for row in range[0] as usize..range[1] as usize {
                let codes = self.row(row);
                if codes.is_empty() {
                    see(values as u32);
                }
                codes.iter().for_each(|&code| see(code));
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

/// What was written of a field beside its dictionary.
pub(crate) struct Written {
    pub(crate) column: ColumnEntry,
    pub(crate) postings: PostingsEntry,
    pub(crate) by_document: Option<PostingsEntry>,
}
