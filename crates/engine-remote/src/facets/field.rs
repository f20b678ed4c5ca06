//! The field of a facet: where its values are, and how its records are counted.

use cantata_engine::{AncestorFilter, EngineError, FacetRequest};
use cantata_mapping::{Field, FieldKind};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{FacetContext, malformed};
use crate::keyword_field::keyword_field;
use crate::query::query;

/// Aggregations on dates only have milliseconds.
const NANOSECONDS_SCRIPT: &str = "def all = []; for (moment in doc[params.field]) { \
     all.add(moment.toInstant().toEpochMilli() * 1000000L + moment.getNano() % 1000000L) } return all";

/// A `flat_object` keeps texts of the form `field.field.key=value`, all keys of a record together.
const KEY_VALUES_SCRIPT: &str = "def all = []; for (text in doc[params.field]) { if (text.startsWith(params.start)) { \
     all.add(text.substring(params.start.length())) } } return all";

/// The same for all keys.
const ALL_VALUES_SCRIPT: &str = "def all = []; for (text in doc[params.field]) { \
     all.add(text.substring(text.indexOf('=') + 1)) } return all";

/// The field of a facet, with the request.
pub(super) struct FacetField<'a> {
    pub(super) context: FacetContext<'a>,
    pub(super) request: &'a FacetRequest,
    pub(super) field: &'a Field,
    /// The path of the nested container that the field is in; empty at the root.
    pub(super) level: &'a str,
    /// The key in a flattened field.
    key: Option<&'a str>,
}

/// The number of documents at a level, and of the records that they belong to.
#[derive(Deserialize)]
struct DocCount {
    doc_count: u64,
    r: Option<RecordCount>,
}

#[derive(Deserialize)]
struct RecordCount {
    doc_count: u64,
}

impl<'a> FacetField<'a> {
    /// # Errors
    ///
    /// If the mapping does not have the field.
    pub(super) fn new(context: FacetContext<'a>, index: usize) -> Result<Self, EngineError> {
        let (request, mapping) = (&context.plan.facets[index], context.mapping);
        let (field, key) = match (mapping.field(&request.field), mapping.flattened_key(&request.field)) {
            (Some(field), _) => (field, None),
            (None, Some((field, key))) => (field, Some(key)),
            (None, None) => {
                return Err(EngineError::Rejected(format!("`{}`: the index does not have this field", request.field)));
            }
        };
        Ok(Self { context, request, field, level: field.row_path(), key })
    }

    /// Returns the value source of a terms aggregation.
    ///
    /// # Errors
    ///
    /// As with [`FacetField::values_path`].
    pub(super) fn source(&self) -> Result<Map<String, Value>, EngineError> {
        let path = &self.field.path;
        match (&self.field.kind, self.key) {
            (FieldKind::DateNanos { .. }, _) => {
                let mut source = script(NANOSECONDS_SCRIPT, &json!({"field": path}));
                source.insert("value_type".to_owned(), json!("long"));
                Ok(source)
            }
            (FieldKind::Flattened, key) if self.field.type_name == "flat_object" => {
                let texts = format!("{path}._valueAndPath");
                Ok(match key {
                    Some(key) => {
                        script(KEY_VALUES_SCRIPT, &json!({"field": texts, "start": format!("{path}.{path}.{key}=")}))
                    }
                    None => script(ALL_VALUES_SCRIPT, &json!({"field": texts})),
                })
            }
            _ => Ok(plain(self.values_path()?)),
        }
    }

    /// Returns a value source that maps negative zero to zero.
    pub(super) fn merge_signed_zeros(&self, mut source: Map<String, Value>) -> Map<String, Value> {
        if self.has_signed_zeros() {
            source.insert("script".to_owned(), json!({"source": "_value + 0.0"}));
        }
        source
    }

    /// Returns the value source of stats.
    ///
    /// # Errors
    ///
    /// As with [`FacetField::values_path`].
    pub(super) fn numbers(&self) -> Result<Map<String, Value>, EngineError> {
        Ok(plain(self.values_path()?))
    }

    /// Returns the value source of histograms and ranges, with the values of a record in order. Clusters sort those of
    /// an `unsigned_long` as signed integers and then count a record twice; the values of a script are sorted again.
    ///
    /// # Errors
    ///
    /// As with [`FacetField::values_path`].
    pub(super) fn ordered_numbers(&self) -> Result<Map<String, Value>, EngineError> {
        let mut source = self.numbers()?;
        if self.field.kind == FieldKind::UnsignedLong {
            source.insert("script".to_owned(), json!({"source": "_value"}));
        }
        Ok(source)
    }

    /// Returns whether clusters distinguish negative zero from zero.
    pub(super) fn has_signed_zeros(&self) -> bool {
        matches!(self.field.kind, FieldKind::HalfFloat | FieldKind::Float | FieldKind::Double)
    }

    /// Returns the path of the field whose values are counted: for a text field the keyword that holds the whole texts.
    ///
    /// # Errors
    ///
    /// If the field has no doc values.
    pub(super) fn values_path(&self) -> Result<&'a str, EngineError> {
        let path = self.request.field.as_str();
        if self.field.kind != FieldKind::Text {
            let has_values = self.field.doc_values;
            return if has_values { Ok(path) } else { Err(no_doc_values(path, "turn doc_values on in the mapping")) };
        }
        let whole = keyword_field(self.field, self.context.mapping).map(|keyword| keyword.path.as_str());
        whole.ok_or_else(|| no_doc_values(path, "ask for a keyword field, or give this one a keyword multi-field"))
    }

    /// Returns an aggregation at the level of the field that also counts root records (`reverse_nested`), with
    /// `of_records` as their sub-aggregations.
    pub(super) fn aggregation(&self, kind: &str, body: Value, of_records: Map<String, Value>) -> Value {
        let inside = match (self.level.is_empty(), of_records.is_empty()) {
            (true, _) => of_records,
            (false, true) => Map::from_iter([("r".to_owned(), json!({"reverse_nested": {}}))]),
            (false, false) => Map::from_iter([("r".to_owned(), json!({"reverse_nested": {}, "aggs": of_records}))]),
        };
        let mut aggregation = Map::from_iter([(kind.to_owned(), body)]);
        if !inside.is_empty() {
            aggregation.insert("aggs".to_owned(), Value::Object(inside));
        }
        Value::Object(aggregation)
    }

    /// Returns the aggregation of the nested level of the field, inside of those of the levels above that are filtered.
    pub(super) fn at_level(&self, aggregations: &Map<String, Value>) -> Value {
        let mut nested = json!({"nested": {"path": self.level}, "aggs": aggregations});
        for AncestorFilter { path, filter } in self.request.ancestors.iter().rev() {
            let filter = query(filter, self.context.mapping);
            let filtered = json!({"filter": filter, "aggs": {"inner": nested}});
            nested = json!({"nested": {"path": path}, "aggs": {"filtered": filtered}});
        }
        nested
    }

    /// Returns what the response has for the level of the field, of what it has for [`FacetField::at_level`].
    pub(super) fn in_level<'v>(&self, found: Option<&'v Value>) -> Option<&'v Value> {
        self.request.ancestors.iter().fold(found, |found, _| found?.get("filtered")?.get("inner"))
    }

    /// Parses the number of records in a bucket.
    pub(super) fn records(&self, bucket: Option<&Value>) -> Result<u64, EngineError> {
        let number = bucket.and_then(|bucket| DocCount::deserialize(bucket).ok()).ok_or_else(malformed)?;
        match (self.level.is_empty(), number.r) {
            (true, _) => Ok(number.doc_count),
            (false, Some(records)) => Ok(records.doc_count),
            (false, None) => Err(malformed()),
        }
    }
}

fn plain(path: &str) -> Map<String, Value> {
    Map::from_iter([("field".to_owned(), json!(path))])
}

/// Returns a script as a value source. Fields are parameters, so that a cluster compiles each script once.
fn script(text: &str, parameters: &Value) -> Map<String, Value> {
    Map::from_iter([("script".to_owned(), json!({"source": text, "params": parameters}))])
}

fn no_doc_values(path: &str, remedy: &str) -> EngineError {
    EngineError::Rejected(format!("`{path}`: the search engine keeps no values of this field to count; {remedy}"))
}
