//! Duplicates within a batch that is only validated: nothing is stored, so the store cannot find them.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use cantata_core::{Analysis, Result};
use cantata_store::FileRow;

use crate::submit::duplicate;

/// How many checksums are kept, which bounds memory. Beyond that, payloads of a batch are not compared with each other.
const MAX_CHECKSUMS: usize = 1_000_000;

/// The checksums of the payloads so far, each with the index of its payload.
#[derive(Default)]
pub(super) struct BatchDuplicates(HashMap<[u8; 16], usize>);

impl BatchDuplicates {
    /// Adds the files of a payload; fails if one of them is in an earlier payload.
    pub(super) fn add(&mut self, index: usize, analysis: &Analysis) -> Result<()> {
        let files = analysis.files.iter().map(FileRow::of).collect::<Result<Vec<_>, _>>()?;
        for file in &files {
            if let Some(earlier) = self.0.get(&file.md5) {
                return Err(duplicate(
                    &file.name,
                    &format!("a file of the payload with index {earlier} of this batch"),
                ));
            }
        }
        for file in files {
            let is_full = self.0.len() >= MAX_CHECKSUMS;
            if let (Entry::Vacant(free), false) = (self.0.entry(file.md5), is_full) {
                free.insert(index);
            }
        }
        Ok(())
    }
}
