//! A segment file of an index.

use std::sync::LazyLock;

use crate::engine_folder::IndexFiles;

const SUFFIX: &str = ".segment";

/// Without writes in its log: they would be looked up in the segment before it is verified.
static INDEX: LazyLock<IndexFiles> = LazyLock::new(|| IndexFiles::create(false));

/// Opens an index with this segment. Its checksums are left as they are: what is in a segment is trusted once it fits them.
pub fn target(data: &[u8]) {
    INDEX.open_with(SUFFIX, data);
}

/// Returns a segment.
pub(crate) fn seed() -> Vec<u8> {
    INDEX.content(SUFFIX)
}
