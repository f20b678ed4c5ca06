//! What a request costs, estimated from what it selects before anything is searched.
//!
//! A page of records costs the number of records it may have times the number of fields selected below `edges`, whatever
//! their depth; everything that is counted of the values of a field costs as much as a thousand of those. The rest is
//! cheap: each field costs 1.

use super::Selected;

/// How many records a page has when the request does not say.
pub(crate) const PAGE_SIZE: u64 = 10;

/// What it costs to count something of the values of a field.
const COUNTED: u64 = 1000;

/// The type of the fields that are not within a catalogue.
const ROOT: &str = "Root";

/// Returns what a selection costs; pages have no more records than `window`.
pub(crate) fn cost(selected: &[Selected], window: u64) -> u64 {
    sum(selected, |field| match field.name.as_str() {
        "hits" if field.on != ROOT => sum(&field.children, |child| match child.name.as_str() {
            "edges" => rows(field, window).saturating_mul(fields(&child.children)),
            _ => 0,
        }),
        "aggregations" if field.on != ROOT => sum(&field.children, |facet| sum(&facet.children, counted)),
        _ => cost(&field.children, window),
    })
}

fn sum(selected: &[Selected], of: impl Fn(&Selected) -> u64) -> u64 {
    selected.iter().fold(0, |total, field| total.saturating_add(1).saturating_add(of(field)))
}

fn rows(hits: &Selected, window: u64) -> u64 {
    hits.arguments.get("first").and_then(serde_json::Value::as_u64).unwrap_or(PAGE_SIZE).min(window)
}

fn fields(selected: &[Selected]) -> u64 {
    sum(selected, |field| fields(&field.children))
}

/// Returns what a member of a facet costs: itself, and whatever is looked for in each of its buckets.
fn counted(member: &Selected) -> u64 {
    match member.name.as_str() {
        "__typename" => 0,
        "buckets" => {
            let is_search = |child: &&Selected| child.filter.is_some() || child.name == "top_hits";
            COUNTED.saturating_mul(member.children.iter().filter(is_search).count() as u64 + 1)
        }
        _ => COUNTED,
    }
}
