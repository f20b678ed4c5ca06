//! The facets, configured or generated.
//!
//! Portals put the names into requests, so a name is always that of an aggregation field (`donors__gender`), however
//! the files write it.

use std::collections::HashSet;

use serde::Serialize;

use super::{DisplayBuilder, ExtendedField, MAX_GENERATED_ENTRIES};
use crate::config::FacetEntry;

/// The display configuration of facets.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FacetsDisplay {
    /// The facets in their order.
    pub aggregations: Vec<FacetEntry>,
}

pub(super) fn build(builder: &mut DisplayBuilder<'_>, extended: &[ExtendedField]) -> FacetsDisplay {
    let aggregations = match &builder.config.facets {
        Some(_) => configured(builder, extended),
        None => generated(builder, extended),
    };
    FacetsDisplay { aggregations }
}

fn configured(builder: &mut DisplayBuilder<'_>, extended: &[ExtendedField]) -> Vec<FacetEntry> {
    let config = builder.config;
    let mut known = HashSet::new();
    let mut facets = Vec::new();
    for entry in config.facets.iter().flatten() {
        let Some(path) = builder.resolve(&entry.key, &entry.field_name) else { continue };
        let Some(aggregation) = builder.root.aggregations.iter().find(|field| field.path == path) else {
            let found = format!("{:?}, which is left out", entry.field_name);
            builder.warn(&entry.key, found, "a field that can be counted, not a nested container");
            continue;
        };
        let field_name = aggregation.name.clone();
        if !aggregation.has_values {
            builder.warn(&entry.key, format!("{path:?}, of which nothing is counted"), "a field with values");
        }
        if !known.insert(field_name.clone()) {
            builder.warn(&entry.key, format!("a second facet for {path:?}"), "one facet; the first counts");
            continue;
        }
        // A multi-field has the display configuration of its field, but its own type.
        let field = builder.mapping.entry(&path);
        let described_path = field.and_then(|field| field.multi_field_of.as_deref()).unwrap_or(&path);
        let described = extended.iter().find(|field| field.field_name == described_path);
        let display_type = match field.filter(|field| field.multi_field_of.is_some()) {
            Some(multi_field) => Some(multi_field.type_name.clone()),
            None => described.map(|field| field.display_type.clone()),
        };
        facets.push(FacetEntry {
            display_name: entry.display_name.clone().or_else(|| described.map(|field| field.display_name.clone())),
            display_type: entry.display_type.clone().or(display_type),
            field_name,
            ..entry.clone()
        });
    }
    facets
}

fn generated(builder: &DisplayBuilder<'_>, extended: &[ExtendedField]) -> Vec<FacetEntry> {
    let is_suitable = |field: &&ExtendedField| {
        let is_countable = builder.root.aggregation(&field.flat_name).is_some_and(|found| found.has_values);
        is_countable && !field.field_name.contains("_id") && !field.is_container()
    };
    extended
        .iter()
        .filter(is_suitable)
        .take(MAX_GENERATED_ENTRIES)
        .map(|field| FacetEntry {
            display_name: Some(field.display_name.clone()),
            display_type: Some(field.display_type.clone()),
            field_name: field.flat_name.clone(),
            is_active: true,
            show: true,
            key: String::new(),
        })
        .collect()
}
