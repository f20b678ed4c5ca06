//! The section `downloads`.

use serde::Serialize;

use super::reader::{ConfigReader, ConfigSection};

/// The limits of downloads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DownloadConfig {
    /// Whether a request may set its own limit of rows.
    pub allow_custom_max_rows: bool,
    /// The limit of rows; 0 for none.
    pub max_rows: u64,
    /// How many rows are fetched at a time.
    #[serde(skip)]
    pub chunk_size: u64,
}

impl Default for DownloadConfig {
    fn default() -> Self {
        Self { allow_custom_max_rows: false, max_rows: 100, chunk_size: 2000 }
    }
}

pub(super) fn read<'a>(
    reader: &mut ConfigReader<'a>,
    root: &ConfigSection<'a>,
    defaults: DownloadConfig,
) -> DownloadConfig {
    let Some(section) = reader.section(root, "downloads") else { return defaults };
    reader.warn_unknown(&section, &["allowCustomMaxRows", "maxRows", "chunkSize"]);
    DownloadConfig {
        allow_custom_max_rows: reader.flag(&section, "allowCustomMaxRows").unwrap_or(defaults.allow_custom_max_rows),
        max_rows: reader.count(&section, "maxRows", 0).map_or(defaults.max_rows, u64::from),
        chunk_size: reader.count(&section, "chunkSize", 1).map_or(defaults.chunk_size, u64::from),
    }
}
