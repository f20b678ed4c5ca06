//! What a cluster says when it does not do what it was asked.
//!
//! Its words may show queries, hosts and more. They go to the log; what a client sees is decided here.

use std::collections::BTreeSet;

use cantata_engine::{EngineError, Plan};
use serde_json::Value;

use crate::connection::Reply;

/// How many bytes of an answer the log shows.
const LONGEST_LOGGED: usize = 2000;

/// What is said by a cluster that does not sort by ids.
const NO_IDS: &str = "it does not sort by ids";

/// What the words of such a cluster name.
const ID_SETTING: &str = "indices.id_field_data.enabled";

/// What is said of an answer that would have more values than a cluster allows.
const TOO_MANY_VALUES: &str = "the search engine allows fewer values in one answer; ask for fewer facets";

/// Returns an error with the fields that it is about: where a cluster does not allow so many values, it does not say of
/// which field they are, but histograms are what makes so many.
pub(crate) fn naming_histograms(error: EngineError, plan: &Plan) -> EngineError {
    let with_histograms = plan.facets.iter().filter(|facet| !facet.histograms.is_empty());
    let fields: BTreeSet<String> = with_histograms.map(|facet| format!("`{}`", facet.field)).collect();
    match error {
        EngineError::Refused(text) if text == TOO_MANY_VALUES && !fields.is_empty() => {
            let fields = fields.into_iter().collect::<Vec<_>>().join(", ");
            EngineError::Refused(format!("{fields}: {text}, or for histograms of greater intervals"))
        }
        other => other,
    }
}

/// Returns whether a cluster said that it does not sort by ids.
pub(crate) fn is_about_ids(error: &EngineError) -> bool {
    matches!(error, EngineError::Failed(text) if text == NO_IDS)
}

/// Returns an answer that says yes.
///
/// # Errors
///
/// What the answer says otherwise.
pub(crate) fn accepted(reply: Reply, index: &str) -> Result<Reply, EngineError> {
    if (200..300).contains(&reply.status) {
        return Ok(reply);
    }
    let body: Value = serde_json::from_slice(&reply.body).unwrap_or_default();
    Err(failure(reply.status, body.get("error").unwrap_or(&Value::Null), index))
}

/// Returns what an error of a cluster means.
pub(crate) fn failure(status: u16, error: &Value, index: &str) -> EngineError {
    let mut kinds = Vec::new();
    collect_kinds(error, &mut kinds);
    let is = |kind: &str| kinds.contains(&kind);
    let failure = if is("index_not_found_exception") {
        return EngineError::IndexNotFound(index.to_owned());
    } else if is("resource_already_exists_exception") {
        return EngineError::IndexExists(index.to_owned());
    } else if error.to_string().contains(ID_SETTING) {
        return EngineError::Failed(NO_IDS.to_owned());
    } else if is("too_many_buckets_exception") {
        EngineError::Refused(TOO_MANY_VALUES.to_owned())
    } else if is("too_many_clauses") || is("too_many_nested_clauses") {
        EngineError::Refused("the search engine allows fewer conditions; make the filter smaller".to_owned())
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
    if details.len() > LONGEST_LOGGED {
        let end = (0..=LONGEST_LOGGED).rev().find(|end| details.is_char_boundary(*end)).unwrap_or(0);
        details.truncate(end);
    }
    tracing::warn!(index, status, details, "the search engine refused a request");
    failure
}

/// Returns the failure of an answer that is not what a cluster gives.
pub(crate) fn nonsense(error: &serde_json::Error, index: &str) -> EngineError {
    tracing::warn!(index, %error, "the search engine gave an answer that cannot be read");
    EngineError::Failed("it gave an answer that cannot be read".to_owned())
}

/// Returns the reasons of an error, the outermost first.
pub(crate) fn reason(error: &Value) -> String {
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
    use cantata_engine::{FacetRequest, Filter};

    use super::*;

    fn facet(field: &str, histograms: Vec<f64>) -> FacetRequest {
        FacetRequest {
            field: field.to_owned(),
            filter: 0,
            elements: Filter::All,
            buckets: None,
            distinct: false,
            missing: false,
            stats: false,
            histograms,
            ranges: Vec::new(),
            top_hits: None,
            bucket_filters: Vec::new(),
        }
    }

    #[test]
    fn too_many_values_are_told_with_the_fields_that_have_histograms() {
        let cause = serde_json::json!({"root_cause": [], "caused_by": {"type": "too_many_buckets_exception"}});
        let error = || failure(503, &cause, "files");
        let facets = vec![facet("size", vec![0.5]), facet("name", Vec::new()), facet("donors.age", vec![1.0])];
        let EngineError::Refused(text) = naming_histograms(error(), &Plan { facets, ..Plan::default() }) else {
            panic!("it is for the client to ask for less");
        };
        assert!(text.starts_with("`donors.age`, `size`: the search engine allows fewer values"), "{text}");
        assert_eq!(naming_histograms(error(), &Plan::default()), error());
        assert_eq!(naming_histograms(EngineError::Busy, &Plan::default()), EngineError::Busy);
    }
}
