//! Responses in a canonical JSON form, to be compared and printed.

use cantata_mapping::TypedValue;
use serde_json::{Value, json};

use super::Options;
use crate::{Document, FacetRequest, FacetResult, FieldStats, Hit, SearchPlan, SearchResponse};

/// How far sums may differ, relative to the largest number in them.
const TOLERANCE: f64 = 1e-9;

/// Returns an answer to a plan; only what was asked is shown.
pub(super) fn answer(answer: &SearchResponse, plan: &SearchPlan, options: &Options) -> Value {
    let hits: Vec<Value> =
        answer.hits.iter().map(|page| json!({"total": page.total, "hits": hits(&page.hits)})).collect();
    let facets: Vec<Value> = answer.facets.iter().zip(&plan.facets).map(|(one, of)| facet(one, of, options)).collect();
    json!({"hits": hits, "facets": facets, "pages": answer.hits.len(), "facet_count": answer.facets.len()})
}

/// Returns records.
pub(super) fn hits(hits: &[Hit]) -> Value {
    let one = |hit: &Hit| {
        let values: Vec<Value> =
            hit.cursor.values.iter().map(|value| value.as_ref().map_or(Value::Null, typed)).collect();
        json!({"id": hit.cursor.id, "values": values, "document": hit.document.as_ref().map(document)})
    };
    hits.iter().map(one).collect()
}

/// Returns a document as its text, in which the order of members counts.
pub(super) fn document(document: &Document) -> Value {
    Value::String(serde_json::to_string(&document.root()).unwrap())
}

fn facet(facet: &FacetResult, request: &FacetRequest, options: &Options) -> Value {
    let buckets = facet.buckets.iter().map(|bucket| {
        json!({
            "value": typed(&bucket.value),
            "count": bucket.count,
            "top_hits": bucket.top_hits.iter().map(document).collect::<Vec<_>>(),
            "filtered": bucket.filtered,
        })
    });
    json!({
        "field": request.field,
        "buckets": request.buckets.map(|_| buckets.collect::<Vec<_>>()),
        "distinct": (request.distinct && options.exact_distinct).then_some(facet.distinct),
        "missing": request.missing.then_some(facet.missing),
        "stats": facet.stats.filter(|_| request.stats).map(|stats| numeric(&stats)),
        "histograms": facet.histograms,
        "ranges": facet.ranges,
    })
}

fn numeric(stats: &FieldStats) -> Value {
    let scale = stats.min.abs().max(stats.max.abs()) * stats.count as f64;
    json!({"count": stats.count, "min": stats.min, "max": stats.max, "sum": {"about": stats.sum, "scale": scale}})
}

/// Returns a value together with its type.
fn typed(value: &TypedValue) -> Value {
    match value {
        // A sum of zero may have either sign.
        TypedValue::Double(number) => json!({"Double": number + 0.0}),
        value => Value::String(format!("{value:?}")),
    }
}

/// Returns whether two responses are equal, sums up to rounding.
pub(super) fn agree(expected: &Value, found: &Value) -> bool {
    match (expected, found) {
        (Value::Object(one), Value::Object(other)) => {
            if let (Some(scale), Some(about), Some(also)) = (one.get("scale"), one.get("about"), other.get("about")) {
                let numbers = (scale.as_f64(), about.as_f64(), also.as_f64());
                let (Some(scale), Some(about), Some(also)) = numbers else { return false };
                return (about - also).abs() <= scale * TOLERANCE;
            }
            one.len() == other.len()
                && one.iter().all(|(name, value)| other.get(name).is_some_and(|found| agree(value, found)))
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| agree(one, other))
        }
        (Value::Number(one), Value::Number(other)) if one.is_f64() && other.is_f64() => {
            let (one, other) = (one.as_f64().unwrap(), other.as_f64().unwrap());
            (one - other).abs() <= one.abs().max(other.abs()) * TOLERANCE
        }
        (one, other) => one == other,
    }
}
