//! From the errors of a cluster to engine errors.
//!
//! The texts of a cluster may show queries and hosts, so they only go to the log.

use std::collections::BTreeSet;

use cantata_engine::{EngineError, SearchPlan};
use serde_json::Value;

/// How many bytes of a response the log shows.
const MAX_LOGGED_BYTES: usize = 2000;

/// The error of a cluster that does not sort by `_id`.
const ID_SORT_DISABLED: &str = "it does not sort by ids";

/// The setting that its error names.
const ID_SETTING: &str = "indices.id_field_data.enabled";

/// The error of a search that would have more buckets than a cluster allows.
const TOO_MANY_BUCKETS: &str = "the search engine allows fewer values in one answer; ask for fewer facets";

/// Adds the fields with histograms to an error about too many buckets: the cluster does not name the field, but
/// histograms are what makes so many.
pub(crate) fn name_histogram_fields(error: EngineError, plan: &SearchPlan) -> EngineError {
    let with_histograms = plan.facets.iter().filter(|facet| !facet.histograms.is_empty());
    let fields: BTreeSet<String> = with_histograms.map(|facet| format!("`{}`", facet.field)).collect();
    match error {
        EngineError::Rejected(text) if text == TOO_MANY_BUCKETS && !fields.is_empty() => {
            let fields = fields.into_iter().collect::<Vec<_>>().join(", ");
            EngineError::Rejected(format!("{fields}: {text}, or for histograms of greater intervals"))
        }
        other => other,
    }
}

/// Returns whether the cluster does not sort by `_id`.
pub(crate) fn is_id_sort_disabled(error: &EngineError) -> bool {
    matches!(error, EngineError::Failed(text) if text == ID_SORT_DISABLED)
}

/// Returns the engine error for an error of a cluster.
pub(crate) fn engine_error(status: u16, error: &Value, index: &str) -> EngineError {
    let mut kinds = Vec::new();
    collect_kinds(error, &mut kinds);
    let is = |kind: &str| kinds.contains(&kind);
    let failure = if is("index_not_found_exception") {
        return EngineError::IndexNotFound(index.to_owned());
    } else if is("resource_already_exists_exception") {
        return EngineError::IndexExists(index.to_owned());
    } else if error.to_string().contains(ID_SETTING) {
        return EngineError::Failed(ID_SORT_DISABLED.to_owned());
    } else if is("too_many_buckets_exception") {
        EngineError::Rejected(TOO_MANY_BUCKETS.to_owned())
    } else if is("too_many_clauses") || is("too_many_nested_clauses") {
        EngineError::Rejected("the search engine allows fewer conditions; make the filter smaller".to_owned())
    } else if is("circuit_breaking_exception")
        || is("es_rejected_execution_exception")
        || is("rejected_execution_exception")
    {
        EngineError::Busy
    } else if status == 503 || is("no_shard_available_action_exception") {
        EngineError::Failed("parts of the index are not available".to_owned())
    } else {
        EngineError::Failed("it did not accept a request of this server".to_owned())
    };
    let mut details = error.to_string();
    if details.len() > MAX_LOGGED_BYTES {
        let end = (0..=MAX_LOGGED_BYTES).rev().find(|end| details.is_char_boundary(*end)).unwrap_or(0);
        details.truncate(end);
    }
    tracing::warn!(index, status, details, "the search engine refused a request");
    failure
}

/// Returns the error for a response that cannot be parsed.
pub(crate) fn unreadable_response(error: &serde_json::Error, index: &str) -> EngineError {
    tracing::warn!(index, %error, "the search engine gave an answer that cannot be read");
    EngineError::Failed("it gave an answer that cannot be read".to_owned())
}

/// Returns the reasons of an error, the outermost first.
pub(crate) fn error_reason(error: &Value) -> String {
    let mut reasons: Vec<&str> = Vec::new();
    let mut current = Some(error);
    while let Some(error) = current {
        if let Some(reason) = error.get("reason").and_then(Value::as_str)
            && !reasons.contains(&reason)
        {
            reasons.push(reason);
        }
        current = error.get("caused_by");
    }
    reasons.join(": ")
}

fn collect_kinds<'e>(error: &'e Value, kinds: &mut Vec<&'e str>) {
    match error {
        Value::Object(members) => {
            for (name, value) in members {
                match value {
                    Value::String(kind) if name == "type" => kinds.push(kind),
                    value => collect_kinds(value, kinds),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect_kinds(item, kinds)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use cantata_engine::FacetRequest;

    use super::*;

    fn facet(field: &str, histograms: Vec<f64>) -> FacetRequest {
        FacetRequest { field: field.to_owned(), histograms, ..FacetRequest::default() }
    }

    #[test]
    fn too_many_values_are_told_with_the_fields_that_have_histograms() {
        let cause = serde_json::json!({"root_cause": [], "caused_by": {"type": "too_many_buckets_exception"}});
        let error = || engine_error(503, &cause, "files");
        let facets = vec![facet("size", vec![0.5]), facet("name", Vec::new()), facet("donors.age", vec![1.0])];
        let EngineError::Rejected(text) =
            name_histogram_fields(error(), &SearchPlan { facets, ..SearchPlan::default() })
        else {
            panic!("it is for the client to ask for less");
        };
        assert!(text.starts_with("`donors.age`, `size`: the search engine allows fewer values"), "{text}");
        assert_eq!(name_histogram_fields(error(), &SearchPlan::default()), error());
        assert_eq!(name_histogram_fields(EngineError::Busy, &SearchPlan::default()), EngineError::Busy);
    }
}
