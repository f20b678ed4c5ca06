//! The facets, as the files list them or generated.
//!
//! Portals put the names into requests, so a name is always that of an aggregation field (`donors__gender`), however
//! the files write it.

use std::collections::HashSet;

use serde::Serialize;

use super::{ExtendedField, GENERATED, Source};

/// What portals are told of facets.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Facets {
    /// The facets in their order.
    pub aggregations: Vec<Facet>,
}

/// One facet.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Facet {
    /// What people read.
    pub display_name: Option<String>,
    /// How it is shown.
    pub display_type: Option<String>,
    /// The name of the aggregation field.
    pub field_name: String,
    /// Whether it is in use.
    pub is_active: bool,
    /// Whether it is shown at first.
    pub show: bool,
}

pub(super) fn build(source: &mut Source<'_>, extended: &[ExtendedField]) -> Facets {
    let aggregations = match &source.config.facets {
        Some(_) => configured(source, extended),
        None => generated(source, extended),
    };
    Facets { aggregations }
}

fn configured(source: &mut Source<'_>, extended: &[ExtendedField]) -> Vec<Facet> {
    let config = source.config;
    let mut seen = HashSet::new();
    let mut facets = Vec::new();
    for entry in config.facets.iter().flatten() {
        let Some(path) = source.resolve(&entry.key, &entry.field_name) else { continue };
        let Some(aggregation) = source.root.aggregations.iter().find(|field| field.path == path) else {
            let found = format!("{:?}, which is left out", entry.field_name);
            source.warn(&entry.key, found, "a field that can be counted, not a nested container");
            continue;
        };
        let field_name = aggregation.name.clone();
        if !aggregation.has_values {
            source.warn(&entry.key, format!("{path:?}, of which nothing is counted"), "a field with values");
        }
        if !seen.insert(field_name.clone()) {
            source.warn(&entry.key, format!("a second facet for {path:?}"), "one facet; the first counts");
            continue;
        }
        // A multi-field is called and shown as the field whose values it has, but is of its own type.
        let field = source.mapping.entry(&path);
        let described_path = field.and_then(|field| field.multi_field_of.as_deref()).unwrap_or(&path);
        let described = extended.iter().find(|field| field.field_name == described_path);
        let display_type = match field.filter(|field| field.multi_field_of.is_some()) {
            Some(multi_field) => Some(multi_field.type_name.clone()),
            None => described.map(|field| field.display_type.clone()),
        };
        facets.push(Facet {
            display_name: entry.display_name.clone().or_else(|| described.map(|field| field.display_name.clone())),
            display_type: entry.display_type.clone().or(display_type),
            field_name,
            is_active: entry.is_active,
            show: entry.show,
        });
    }
    facets
}

fn generated(source: &Source<'_>, extended: &[ExtendedField]) -> Vec<Facet> {
    let is_suitable = |field: &&ExtendedField| {
        let is_countable = source.root.aggregation(&field.flat_name).is_some_and(|found| found.has_values);
        is_countable && !field.field_name.contains("_id") && !field.is_container()
    };
    extended
        .iter()
        .filter(is_suitable)
        .take(GENERATED)
        .map(|field| Facet {
            display_name: Some(field.display_name.clone()),
            display_type: Some(field.display_type.clone()),
            field_name: field.flat_name.clone(),
            is_active: true,
            show: true,
        })
        .collect()
}
