//! The facets, configured or generated.
//!
//! Portals put the names into requests, so a name is always that of an aggregation field (`donors__gender`), however
//! the files write it.

use std::collections::HashSet;

use cantata_mapping::FieldKind;
use serde::Serialize;

use super::choice::best_of;
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
    if let Some(knowledge) = &builder.knowledge {
        let countable = extended.iter().filter(|field| !field.is_container());
        let facets: Vec<(&str, FacetEntry)> =
            countable.filter_map(|field| Some((field.field_name.as_str(), generated_entry(builder, field)?))).collect();
        let best = best_of(&facets, MAX_GENERATED_ENTRIES, |(path, _)| knowledge.facet_worth(path));
        return best.into_iter().map(|(_, facet)| facet.clone()).collect();
    }
    let suitable = extended.iter().filter(|field| !field.field_name.contains("_id") && !field.is_container());
    suitable.filter_map(|field| generated_entry(builder, field)).take(MAX_GENERATED_ENTRIES).collect()
}

/// Returns the facet of a field that can be counted. A text is counted by its keyword: a filter on the text itself also
/// finds its single words, so that more records would be found than are counted.
fn generated_entry(builder: &DisplayBuilder<'_>, field: &ExtendedField) -> Option<FacetEntry> {
    let mapped = builder.mapping.field(&field.field_name)?;
    let (field_name, display_type) = if mapped.kind == FieldKind::Text {
        let mut multi_fields = mapped.multi_fields.iter().filter_map(|path| builder.mapping.entry(path));
        let keyword = multi_fields.find(|multi_field| multi_field.kind == FieldKind::Keyword)?;
        let aggregation = builder.root.aggregations.iter().find(|aggregation| aggregation.path == keyword.path)?;
        (aggregation.name.clone(), keyword.type_name.clone())
    } else {
        builder.root.aggregation(&field.flat_name).filter(|aggregation| aggregation.has_values)?;
        (field.flat_name.clone(), field.display_type.clone())
    };
    Some(FacetEntry {
        display_name: Some(field.display_name.clone()),
        display_type: Some(display_type),
        field_name,
        is_active: true,
        show: true,
        key: String::new(),
    })
}
