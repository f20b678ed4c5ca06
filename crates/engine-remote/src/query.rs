//! From a filter to the query DSL.
//!
//! A filter is an expression over the rows of one nesting level, and so is a query: inside of `nested` it is read at
//! its path. Everything is in filter context, nothing is scored unless a page asks for it, and nested groups of one kind
//! are flattened, since clusters limit the number and the depth of clauses.

mod range;
mod score;
mod script;
mod terms;
mod text;

pub(crate) use score::page_query;

use cantata_engine::Filter;
use cantata_mapping::{Field, IndexMapping};
use serde_json::{Value, json};

/// Returns the query of a filter, read at the level of the filter.
pub(crate) fn query(filter: &Filter, mapping: &IndexMapping) -> Value {
    match filter {
        Filter::All => json!({"match_all": {}}),
        Filter::None => json!({"match_none": {}}),
        Filter::And(parts) => {
            let mut clauses = Clauses::default();
            clauses.add_all(parts, mapping);
            json!({"bool": {"filter": clauses.required, "must_not": clauses.forbidden}})
        }
        Filter::Or(parts) => any(alternatives(parts, mapping)),
        Filter::Not(inner) => json!({"bool": {"must_not": forbidden(inner, mapping)}}),
        Filter::Nested { path, inner } => {
            json!({"nested": {"path": path, "query": query(inner, mapping), "score_mode": "none"}})
        }
        Filter::Terms { field, values } => terms::query(&QueryField::new(field, mapping), values, mapping),
        Filter::Range { field, range } => range::query(&QueryField::new(field, mapping), range),
        Filter::Exists { field } => exists(&QueryField::new(field, mapping)),
        Filter::Pattern { field, pattern } => {
            text::pattern(&QueryField::new(field, mapping), pattern, mapping, text::UNSCORED)
        }
        Filter::Wildcard { field, pattern } => {
            text::wildcard(&QueryField::new(field, mapping), pattern, mapping, text::UNSCORED)
        }
        Filter::Fuzzy { field, text, distance } => {
            text::fuzzy(&QueryField::new(field, mapping), text, *distance, mapping, text::UNSCORED)
        }
    }
}

fn exists(tested: &QueryField<'_>) -> Value {
    match tested.is_key {
        // Some clusters match keys that only have keys below them.
        true => json!({"prefix": {tested.path: ""}}),
        false => json!({"exists": {"field": tested.path}}),
    }
}

/// Returns the disjunction of queries.
fn any(mut queries: Vec<Value>) -> Value {
    match queries.len() {
        0 => json!({"match_none": {}}),
        1 => queries.remove(0),
        _ => json!({"bool": {"should": queries, "minimum_should_match": 1}}),
    }
}

/// The parts of a conjunction.
#[derive(Default)]
struct Clauses {
    required: Vec<Value>,
    forbidden: Vec<Value>,
}

impl Clauses {
    fn add_all(&mut self, parts: &[Filter], mapping: &IndexMapping) {
        for part in parts {
            match part {
                Filter::And(inner) => self.add_all(inner, mapping),
                Filter::Not(inner) => self.forbidden.extend(forbidden(inner, mapping)),
                part => self.required.push(query(part, mapping)),
            }
        }
    }
}

/// Returns the `must_not` clauses of a negated filter.
fn forbidden(filter: &Filter, mapping: &IndexMapping) -> Vec<Value> {
    match filter {
        Filter::Or(parts) => alternatives(parts, mapping),
        filter => vec![query(filter, mapping)],
    }
}

/// Returns the parts of a disjunction.
fn alternatives(parts: &[Filter], mapping: &IndexMapping) -> Vec<Value> {
    let mut queries = Vec::with_capacity(parts.len());
    for part in parts {
        match part {
            Filter::Or(inner) => queries.extend(alternatives(inner, mapping)),
            part => queries.push(query(part, mapping)),
        }
    }
    queries
}

/// The field of a condition.
struct QueryField<'a> {
    /// The path, with the key in a flattened field.
    path: &'a str,
    /// The field; nothing if the mapping does not have it.
    field: Option<&'a Field>,
    /// Whether the path leads into a flattened field.
    is_key: bool,
}

impl<'a> QueryField<'a> {
    fn new(path: &'a str, mapping: &'a IndexMapping) -> Self {
        match (mapping.field(path), mapping.flattened_key(path)) {
            (Some(field), _) => Self { path, field: Some(field), is_key: false },
            (None, Some((field, _))) => Self { path, field: Some(field), is_key: true },
            (None, None) => Self { path, field: None, is_key: false },
        }
    }

    /// Returns whether this is a key of a flattened field of Elasticsearch, which supports exact values only.
    fn is_elasticsearch_flattened_key(&self) -> bool {
        self.is_key && self.field.is_some_and(|field| field.type_name == "flattened")
    }
}
