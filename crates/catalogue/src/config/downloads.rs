//! What `downloads` says: how much an export gives.

use super::reader::{Reader, Section};

/// How much an export gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Downloads {
    /// Whether a request may ask for another number of rows.
    pub allow_custom_max_rows: bool,
    /// How many rows an export has at most; 0 for all.
    pub max_rows: u64,
    /// How many rows are fetched at once.
    pub chunk_size: u64,
}

impl Default for Downloads {
    fn default() -> Self {
        Self { allow_custom_max_rows: false, max_rows: 100, chunk_size: 2000 }
    }
}

pub(super) fn read<'a>(reader: &mut Reader<'a>, whole: &Section<'a>, defaults: Downloads) -> Downloads {
    let Some(section) = reader.section(whole, "downloads") else { return defaults };
    reader.refuse_unknown(&section, &["allowCustomMaxRows", "maxRows", "chunkSize"]);
    Downloads {
        allow_custom_max_rows: reader.flag(&section, "allowCustomMaxRows").unwrap_or(defaults.allow_custom_max_rows),
        max_rows: reader.count(&section, "maxRows", 0).map_or(defaults.max_rows, u64::from),
        chunk_size: reader.count(&section, "chunkSize", 1).map_or(defaults.chunk_size, u64::from),
    }
}
