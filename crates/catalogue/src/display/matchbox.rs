//! The fields in which lists of ids are looked up.

use super::DisplayBuilder;
use crate::config::MatchboxEntry;

pub(super) fn build(builder: &mut DisplayBuilder<'_>) -> Vec<MatchboxEntry> {
    let config = builder.config;
    let mut entries = config.matchbox.clone();
    for entry in &mut entries {
        let key = format!("{}.searchFields", entry.key);
        let names = std::mem::take(&mut entry.search_field_names);
        entry.search_field_names = names.iter().filter_map(|name| builder.resolve(&key, name)).collect();
    }
    entries
}
