//! The files of a batch that is only checked: what is stored cannot tell that two of its payloads have one in common.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use cantata_core::{Analysis, Result};
use cantata_store::FileRow;

use crate::submit::duplicate;

/// How many checksums are remembered, so that no batch takes all memory. Beyond that, payloads of a batch are not
/// compared with each other any more.
const MOST: usize = 1_000_000;

/// The checksums of the payloads so far, each with the place of its payload.
#[derive(Default)]
pub(super) struct EarlierFiles(HashMap<[u8; 16], usize>);

impl EarlierFiles {
    /// Adds the files of a payload, unless one of them was in an earlier payload.
    pub(super) fn add(&mut self, place: usize, analysis: &Analysis) -> Result<()> {
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
            let is_full = self.0.len() >= MOST;
            if let (Entry::Vacant(free), false) = (self.0.entry(file.md5), is_full) {
                free.insert(place);
            }
        }
        Ok(())
    }
}
