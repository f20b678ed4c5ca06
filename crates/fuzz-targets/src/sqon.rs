//! Filters of the search service.

use cantata_sqon::Sqon;
use serde_json::Value;

use crate::sample::CATALOGUE;

/// Reads a filter. An error names a place that is there; a filter is written as it was read, and normalised once.
pub fn target(data: &[u8]) {
    let Ok(filter) = serde_json::from_slice::<Value>(data) else { return };
    let read = match Sqon::parse(&filter) {
        Ok(Some(read)) => read,
        Ok(None) => return,
        Err(error) => {
            assert!(filter.pointer(&error.pointer).is_some(), "{error}");
            return;
        }
    };
    let written = read.to_json();
    assert_eq!(Sqon::parse(&written), Ok(Some(read.clone())));
    let normal = read.clone().normalise();
    assert_eq!(normal.clone().normalise(), normal);
    assert!(read.without_field("size").is_none_or(|left| left.leaf_count() <= read.leaf_count()));
    for error in read.validate(&**CATALOGUE).err().unwrap_or_default() {
        assert!(written.pointer(&error.pointer).is_some(), "{error}");
    }
    read.summary();
}
