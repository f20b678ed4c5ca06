//! The aggregation fields of a level: every path at or below it but nested containers, and the multi-fields.

use cantata_mapping::{FieldKind, IndexMapping, MASKED_TYPE};

use super::flat_names::FlatNames;
use super::{AggregationField, AggregationKind, is_at_or_below};

/// Returns the aggregation fields below a container but the excluded paths.
pub(super) fn level_aggregations(
    mapping: &IndexMapping,
    container: &str,
    flat_names: &FlatNames<'_>,
    is_excluded: impl Fn(&str) -> bool,
) -> Vec<AggregationField> {
    let mut fields = Vec::new();
    for entry in mapping.fields().chain(mapping.multi_fields()) {
        let is_below = entry.path != container && is_at_or_below(&entry.path, container);
        let in_disabled =
            !entry.enabled && mapping.entry(entry.parent_path()).is_some_and(|container| !container.enabled);
        let is_not_aggregated = entry.kind == FieldKind::Nested || entry.type_name == MASKED_TYPE;
        if !is_below || is_not_aggregated || in_disabled || is_excluded(&entry.path) {
            continue;
        }
        let target = mapping.field(&entry.path).unwrap_or(entry);
        fields.push(AggregationField {
            name: flat_names.name_of(&entry.path),
            path: entry.path.clone(),
            target: target.path.clone(),
            kind: AggregationKind::of(target),
            has_values: target.kind.has_values(),
        });
    }
    fields
}
