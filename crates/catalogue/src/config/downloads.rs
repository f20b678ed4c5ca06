//! The section `downloads`.

use serde::Serialize;

use super::reader::{ConfigReader, ConfigSection};

/// The limits of downloads, and what stands in their empty cells.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DownloadConfig {
    /// Whether a request may set its own limit of rows.
    pub allow_custom_max_rows: bool,
    /// The limit of rows; 0 for none.
    pub max_rows: u64,
    /// How many rows are fetched at a time.
    #[serde(skip)]
    pub chunk_size: u64,
    /// The text of a cell without a value.
    #[serde(skip)]
    pub value_when_empty: String,
}

impl Default for DownloadConfig {
    fn default() -> Self {
        Self { allow_custom_max_rows: false, max_rows: 0, chunk_size: 2000, value_when_empty: String::new() }
    }
}

pub(super) fn read<'a>(
    reader: &mut ConfigReader<'a>,
    root: &ConfigSection<'a>,
    defaults: &DownloadConfig,
) -> DownloadConfig {
    let Some(section) = reader.section(root, "downloads") else { return defaults.clone() };
    reader.warn_unknown(&section, &["allowCustomMaxRows", "maxRows", "chunkSize", "valueWhenEmpty"]);
    DownloadConfig {
        allow_custom_max_rows: reader.flag(&section, "allowCustomMaxRows").unwrap_or(defaults.allow_custom_max_rows),
        max_rows: reader.count(&section, "maxRows", 0).map_or(defaults.max_rows, u64::from),
        chunk_size: reader.count(&section, "chunkSize", 1).map_or(defaults.chunk_size, u64::from),
        value_when_empty: reader.text(&section, "valueWhenEmpty").unwrap_or_else(|| defaults.value_when_empty.clone()),
    }
}
