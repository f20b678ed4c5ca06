//! The manifest of an index.

use std::sync::LazyLock;

use serde_json::Value;

use crate::engine_folder::IndexFiles;

const SUFFIX: &str = "manifest.json";

static INDEX: LazyLock<IndexFiles> = LazyLock::new(|| IndexFiles::create(true));

/// Opens an index with this manifest.
pub fn target(data: &[u8]) {
    INDEX.open_with(SUFFIX, data);
}

/// Returns a manifest without its checksum, which no change of it would fit.
pub(crate) fn seed() -> Vec<u8> {
    let mut manifest: Value = serde_json::from_slice(&INDEX.content(SUFFIX)).expect("a manifest is JSON");
    manifest.as_object_mut().expect("a manifest is an object").remove("checksum");
    serde_json::to_vec_pretty(&manifest).expect("a manifest can be written")
}
