//! The catalogue that the tests ask, and ways to ask it.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use cantata_catalogue::{Catalogue, CatalogueConfig, CatalogueView, ConfigDefaults};
use cantata_engine::{Cursor, Hit, HitsResult, SearchResponse};
use cantata_graphql::{CatalogueSchema, GraphqlRequest, PlanContext, PlanResults, PlannedRequest};
use cantata_mapping::{IndexMapping, UtcDateTime};
use serde_json::{Value, json};

/// The mapping: nested three deep, and one field of each sort.
pub(crate) fn mapping() -> Value {
    json!({ "properties": {
        "id": { "type": "keyword" },
        "analysis_id": { "type": "keyword", "copy_to": "everything" },
        "file-name": { "type": "text", "fields": { "keyword": { "type": "keyword" } } },
        "size": { "type": "long" },
        "quality": { "type": "double" },
        "level": { "type": "byte" },
        "released": { "type": "boolean" },
        "created": { "type": "date" },
        "address": { "type": "ip" },
        "score": { "type": "integer" },
        "tags": { "type": "keyword", "copy_to": "everything" },
        "everything": { "type": "keyword" },
        "named": { "type": "alias", "path": "analysis_id" },
        "info": { "type": "flattened" },
        "shape": { "type": "geo_shape" },
        "extra": { "type": "object" },
        "file": { "properties": {
            "type": { "type": "keyword" },
            "index_file": { "properties": { "name": { "type": "keyword" } } }
        } },
        "donors": { "type": "nested", "properties": {
            "id": { "type": "keyword" },
            "gender": { "type": "keyword" },
            "age": { "type": "integer" },
            "specimens": { "type": "nested", "properties": {
                "type": { "type": "keyword" },
                "samples": { "type": "nested", "properties": { "code": { "type": "keyword" } } }
            } }
        } }
    } })
}

/// Returns the configuration, with more keys in it.
pub(crate) fn config(more: Value) -> Value {
    let mut config = json!({
        "documentType": "file",
        "esIndex": "files",
        "maxDepth": 20,
        "enableSets": true,
        "extended": [
            { "fieldName": "tags", "isArray": true },
            { "fieldName": "everything", "isArray": true },
            { "fieldName": "donors.gender", "displayName": "Gender" }
        ],
        "facets": { "aggregations": [{ "fieldName": "donors.gender", "isActive": true, "show": true }] },
        "table": { "columns": [{ "fieldName": "analysis_id", "show": true }, { "fieldName": "donors.age" }] }
    });
    config.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    config
}

/// Returns the schema of the sample catalogue, with more keys in its configuration.
pub(crate) fn schema_with(more: Value) -> CatalogueSchema {
    schema_of(&config(more), &mapping())
}

pub(crate) fn schema_of(config: &Value, mapping: &Value) -> CatalogueSchema {
    let config = CatalogueConfig::from_value("sample", config, &ConfigDefaults::default()).unwrap();
    let catalogue = Catalogue::build(&config, &IndexMapping::parse(mapping).unwrap()).unwrap();
    CatalogueSchema::build(Arc::new(catalogue)).unwrap()
}

pub(crate) fn schema() -> CatalogueSchema {
    schema_with(json!({}))
}

pub(crate) fn request(query: &str, variables: Value) -> GraphqlRequest {
    GraphqlRequest { query: query.to_owned(), variables: variables.as_object().cloned(), operation_name: None }
}

/// Plans a request that must be accepted.
pub(crate) fn plan(schema: &CatalogueSchema, query: &str, variables: Value) -> PlannedRequest {
    let prepared = schema.prepare(&request(query, variables));
    let prepared = prepared.unwrap_or_else(|refused| panic!("{}", String::from_utf8(refused.bytes).unwrap()));
    let sets: HashMap<String, Vec<String>> = HashMap::from([("mine".to_owned(), vec!["A1".to_owned()])]);
    let now = UtcDateTime::from_millis(1_700_000_000_000).unwrap();
    prepared.plan(&PlanContext { now, sets: &sets, view: &CatalogueView::without_rules() })
}

/// Returns the errors of a request that must be refused, with its status.
pub(crate) fn refused(schema: &CatalogueSchema, query: &str, variables: Value) -> (u16, Value) {
    let Err(body) = schema.prepare(&request(query, variables)) else { panic!("{query} was accepted") };
    assert!(body.bytes.ends_with(b"\n"));
    (body.status, serde_json::from_slice(&body.bytes).unwrap())
}

/// Returns the body for a plan whose pages have these records each, and no facets.
pub(crate) fn write_hits(planned: &PlannedRequest, documents: &[(&str, Value)]) -> Value {
    let page = || HitsResult {
        total: Some(documents.len() as u64),
        hits: documents
            .iter()
            .map(|(id, document)| Hit {
                cursor: Cursor { values: Vec::new(), id: (*id).to_owned() },
                document: Some(document.clone().into()),
                score: Some(1.5),
            })
            .collect(),
    };
    let pages = planned.records.as_ref().map_or(0, |plan| plan.hits.len());
    let answer = SearchResponse { hits: (0..pages).map(|_| page()).collect(), facets: Vec::new() };
    write(planned, answer)
}

/// Returns the body for an answer of the records.
pub(crate) fn write(planned: &PlannedRequest, answer: SearchResponse) -> Value {
    let answers = PlanResults { records: Some(Ok(answer)), ..PlanResults::default() };
    let bytes = planned.write(&answers).body;
    assert!(bytes.ends_with(b"}\n"));
    serde_json::from_slice(&bytes).unwrap()
}

/// Compares a text with a file in `golden`; the environment variable `UPDATE_GOLDEN` writes it instead.
pub(crate) fn golden(name: &str, actual: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/graphql/golden").join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, actual).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(expected == actual, "{name} differs; UPDATE_GOLDEN=1 rewrites it. Found:\n{actual}");
}
