//! The cost of a request, estimated from its selected fields before anything is searched.
//!
//! A page of records costs its maximum number of records times the number of fields selected below `edges`, at any depth;
//! every aggregation of a field costs as much as a thousand of those. Any other field costs 1.

use super::SelectedField;

/// The number of records of a page unless the request gives one.
pub(crate) const DEFAULT_PAGE_SIZE: u64 = 10;

/// The cost of one aggregation of a field.
const AGGREGATION_COST: u64 = 1000;

/// The type of the fields that are not within a catalogue.
const ROOT: &str = "Root";

/// Estimates the cost of a selection; pages have no more records than `window`.
pub(crate) fn estimate_cost(selected: &[SelectedField], window: u64) -> u64 {
    sum(selected, |field| match field.name.as_str() {
        "hits" if field.on != ROOT => sum(&field.children, |child| match child.name.as_str() {
            "edges" => rows(field, window).saturating_mul(fields(&child.children)),
            _ => 0,
        }),
        "aggregations" if field.on != ROOT => sum(&field.children, |facet| sum(&facet.children, aggregation_cost)),
        _ => estimate_cost(&field.children, window),
    })
}

fn sum(selected: &[SelectedField], of: impl Fn(&SelectedField) -> u64) -> u64 {
    selected.iter().fold(0, |total, field| total.saturating_add(1).saturating_add(of(field)))
}

fn rows(hits: &SelectedField, window: u64) -> u64 {
    hits.arguments.get("first").and_then(serde_json::Value::as_u64).unwrap_or(DEFAULT_PAGE_SIZE).min(window)
}

fn fields(selected: &[SelectedField]) -> u64 {
    sum(selected, |field| fields(&field.children))
}

/// Returns the cost of a member of a facet: its own, and that of every search within its buckets.
fn aggregation_cost(member: &SelectedField) -> u64 {
    match member.name.as_str() {
        "__typename" => 0,
        "buckets" => {
            let is_search = |child: &&SelectedField| child.filter.is_some() || child.name == "top_hits";
            AGGREGATION_COST.saturating_mul(member.children.iter().filter(is_search).count() as u64 + 1)
        }
        _ => AGGREGATION_COST,
    }
}
