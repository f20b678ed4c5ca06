//! Lists in the documents of a cluster. The mapping does not say which fields have them, so some documents are read.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use cantata_catalogue::{CatalogueConfig, ClusterConnection, ConfigProblem};
use cantata_engine::{EngineError, Filter, HitsRequest, IndexReader, SearchPlan};
use cantata_engine_remote::RemoteEngine;
use cantata_mapping::{FieldKind, IndexMapping, join_path};
use serde_json::Value;

use crate::backends::engines::remote_engine;

/// How many documents are read.
const SAMPLED_DOCUMENTS: usize = 200;

/// Returns a warning for each field of which the catalogue shows one value where the documents have several.
pub(super) async fn list_warnings(
    connection: &ClusterConnection,
    config: &CatalogueConfig,
    mapping: &IndexMapping,
) -> Vec<ConfigProblem> {
    // A cluster that cannot be used has been reported with the mapping.
    let Ok(engine) = remote_engine(connection) else { return Vec::new() };
    let Ok(documents) = sample(&engine, &config.index).await else { return Vec::new() };
    let mut lists = BTreeSet::new();
    for document in &documents {
        find_lists(document, "", mapping, &mut HashMap::new(), &mut lists);
    }
    let unmarked = config.with_list_fields(Arc::new(lists)).unmarked_list_fields(mapping);
    let warning = |path: String| {
        let found = "lists in documents, of which the first value is shown";
        let expected = "`isArray` in extended.json: true to show all values, false if the first is meant";
        ConfigProblem::warning("index documents", path, found, expected)
    };
    unmarked.into_iter().map(warning).collect()
}

async fn sample(engine: &RemoteEngine, index: &str) -> Result<Vec<Value>, EngineError> {
    let page = HitsRequest { size: SAMPLED_DOCUMENTS, documents: true, ..HitsRequest::default() };
    let plan = SearchPlan { filters: vec![Filter::All], hits: vec![page], facets: Vec::new() };
    let answer = engine.search(index, Arc::new(plan)).await?;
    let documents = answer.hits.into_iter().flat_map(|page| page.hits).filter_map(|hit| hit.document);
    Ok(documents.filter_map(|document| serde_json::to_value(document.root()).ok()).collect())
}

/// Adds the paths that have several values in one record, or in one element of a nested container.
fn find_lists(
    value: &Value,
    path: &str,
    mapping: &IndexMapping,
    counts: &mut HashMap<String, usize>,
    lists: &mut BTreeSet<String>,
) {
    match value {
        Value::Null => {}
        Value::Array(elements) => {
            elements.iter().for_each(|element| find_lists(element, path, mapping, counts, lists));
        }
        Value::Object(members) => {
            let is_row = mapping.entry(path).is_some_and(|field| field.kind == FieldKind::Nested);
            let mut own_counts = HashMap::new();
            let counts = if is_row { &mut own_counts } else { counts };
            for (name, value) in members {
                find_lists(value, &join_path(path, name), mapping, counts, lists);
            }
        }
        Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            let count = counts.entry(path.to_owned()).or_default();
            *count += 1;
            if *count > 1 {
                lists.insert(path.to_owned());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeSet, HashMap};

    use cantata_mapping::IndexMapping;
    use serde_json::json;

    use super::find_lists;

    #[test]
    fn values_are_counted_by_record_and_by_nested_element() {
        let mapping = json!({ "properties": { "donors": { "type": "nested" } } });
        let mapping = IndexMapping::parse(&mapping).unwrap();
        let document = json!({
            "one": ["a"], "two": ["a", null, "b"], "object": [{ "x": 1, "y": 1 }, { "x": 2 }],
            "donors": [{ "id": "D1", "tags": ["a", "b"] }, { "id": "D2" }], "dotted.name": [[1], [2]],
        });
        let mut lists = BTreeSet::new();
        find_lists(&document, "", &mapping, &mut HashMap::new(), &mut lists);
        assert_eq!(lists.into_iter().collect::<Vec<_>>(), ["donors.tags", "dotted.name", "object.x", "two"]);
    }
}
