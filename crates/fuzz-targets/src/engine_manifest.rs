//! The manifest of an index.

use std::sync::LazyLock;

use crate::engine_folder::IndexFiles;

const SUFFIX: &str = "manifest.json";

static INDEX: LazyLock<IndexFiles> = LazyLock::new(|| IndexFiles::create(true));

/// Opens an index with this manifest.
pub fn target(data: &[u8]) {
    INDEX.open_with(SUFFIX, data);
}

/// Returns a manifest.
pub(crate) fn seed() -> Vec<u8> {
    INDEX.content(SUFFIX)
}
