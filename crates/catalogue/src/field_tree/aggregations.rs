//! The aggregation fields of a level: every path at or below it but nested containers, and the multi-fields.

use std::collections::HashMap;

use cantata_mapping::{FieldKind, IndexMapping, MASKED_TYPE};

use super::{AggregationField, AggregationKind, is_at_or_below, relative};
use crate::names;
use crate::problem::ConfigProblem;

/// The aggregation fields of a level, and the problems with their names.
#[derive(Default)]
pub(super) struct LevelAggregations {
    pub(super) fields: Vec<AggregationField>,
    /// The names that two fields would have.
    pub(super) collisions: Vec<String>,
    pub(super) warnings: Vec<ConfigProblem>,
}

/// Returns the aggregation fields below a container but the excluded paths.
pub(super) fn level_aggregations(
    mapping: &IndexMapping,
    container: &str,
    is_excluded: impl Fn(&str) -> bool,
) -> LevelAggregations {
    let mut level = LevelAggregations::default();
    let mut taken: HashMap<String, &str> = HashMap::new();
    for entry in mapping.fields().chain(mapping.multi_fields()) {
        let is_below = entry.path != container && is_at_or_below(&entry.path, container);
        let in_disabled =
            !entry.enabled && mapping.entry(entry.parent_path()).is_some_and(|container| !container.enabled);
        let is_not_aggregated = entry.kind == FieldKind::Nested || entry.type_name == MASKED_TYPE;
        if !is_below || is_not_aggregated || in_disabled || is_excluded(&entry.path) {
            continue;
        }
        let name = names::flat_name(relative(&entry.path, container));
        if let Some(other) = taken.get(&name) {
            if entry.multi_field_of.is_some() {
                level.warnings.push(ConfigProblem::in_mapping(
                    &entry.path,
                    format!("a multi-field whose name `{name}` in GraphQL is that of the field {other}"),
                    "another name; filters can use the multi-field, aggregations cannot",
                ));
            } else {
                level.collisions.push(format!("`{name}`: {other}, {}", entry.path));
            }
            continue;
        }
        taken.insert(name.clone(), &entry.path);
        let target = mapping.field(&entry.path).unwrap_or(entry);
        level.fields.push(AggregationField {
            name,
            path: entry.path.clone(),
            target: target.path.clone(),
            kind: AggregationKind::of(target),
            has_values: target.kind.has_values(),
        });
    }
    level
}
