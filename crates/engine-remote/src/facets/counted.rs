//! What a facet counts: the values of a field, at a level, as a cluster has them.

use cantata_engine::{EngineError, FacetRequest};
use cantata_mapping::{Field, FieldKind};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{Asked, malformed};
use crate::whole::keyword_of;

/// Aggregations count moments to the millisecond only.
const NANOSECONDS: &str = "def all = []; for (moment in doc[params.field]) { \
     all.add(moment.toInstant().toEpochMilli() * 1000000L + moment.getNano() % 1000000L) } return all";

/// A `flat_object` keeps texts of the form `field.field.key=value`, all keys of a record together.
const VALUES_OF_KEY: &str = "def all = []; for (text in doc[params.field]) { if (text.startsWith(params.start)) { \
     all.add(text.substring(params.start.length())) } } return all";

/// The same for the field as a whole.
const VALUES_OF_ALL_KEYS: &str = "def all = []; for (text in doc[params.field]) { \
     all.add(text.substring(text.indexOf('=') + 1)) } return all";

/// What a facet counts.
pub(super) struct Counted<'a> {
    pub(super) asked: Asked<'a>,
    pub(super) request: &'a FacetRequest,
    pub(super) field: &'a Field,
    /// The path of the nested container that the field is in; empty at the root.
    pub(super) level: &'a str,
    /// The key in a flattened field.
    key: Option<&'a str>,
}

/// A number of documents at a level, and of the records that they belong to.
#[derive(Deserialize)]
struct Number {
    doc_count: u64,
    r: Option<Records>,
}

#[derive(Deserialize)]
struct Records {
    doc_count: u64,
}

impl<'a> Counted<'a> {
    /// # Errors
    ///
    /// If the mapping does not have the field.
    pub(super) fn new(asked: Asked<'a>, place: usize) -> Result<Self, EngineError> {
        let (request, mapping) = (&asked.plan.facets[place], asked.mapping);
        let (field, key) = match (mapping.field(&request.field), mapping.flattened_key(&request.field)) {
            (Some(field), _) => (field, None),
            (None, Some((field, key))) => (field, Some(key)),
            (None, None) => {
                return Err(EngineError::Refused(format!("`{}`: the index does not have this field", request.field)));
            }
        };
        Ok(Self { asked, request, field, level: field.row_path(), key })
    }

    /// Returns where the values of the buckets come from.
    ///
    /// # Errors
    ///
    /// As with [`Counted::path_of_values`].
    pub(super) fn source(&self) -> Result<Map<String, Value>, EngineError> {
        let path = &self.field.path;
        match (&self.field.kind, self.key) {
            (FieldKind::DateNanos { .. }, _) => {
                let mut source = script(NANOSECONDS, &json!({"field": path}));
                source.insert("value_type".to_owned(), json!("long"));
                Ok(source)
            }
            (FieldKind::Flattened, key) if self.field.type_name == "flat_object" => {
                let texts = format!("{path}._valueAndPath");
                Ok(match key {
                    Some(key) => {
                        script(VALUES_OF_KEY, &json!({"field": texts, "start": format!("{path}.{path}.{key}=")}))
                    }
                    None => script(VALUES_OF_ALL_KEYS, &json!({"field": texts})),
                })
            }
            _ => Ok(plain(self.path_of_values()?)),
        }
    }

    /// Returns a source in which a negative zero is a zero.
    pub(super) fn with_one_zero(&self, mut source: Map<String, Value>) -> Map<String, Value> {
        if self.has_two_zeros() {
            source.insert("script".to_owned(), json!({"source": "_value + 0.0"}));
        }
        source
    }

    /// Returns where the numbers of figures come from.
    ///
    /// # Errors
    ///
    /// As with [`Counted::path_of_values`].
    pub(super) fn numbers(&self) -> Result<Map<String, Value>, EngineError> {
        Ok(plain(self.path_of_values()?))
    }

    /// Returns where the numbers of figures come from, a record's own in order. Clusters take those of an
    /// `unsigned_long` for signed ones when they put them in order, and count a record twice; what a script returns
    /// they put in order once more.
    ///
    /// # Errors
    ///
    /// As with [`Counted::path_of_values`].
    pub(super) fn ordered_numbers(&self) -> Result<Map<String, Value>, EngineError> {
        let mut source = self.numbers()?;
        if self.field.kind == FieldKind::UnsignedLong {
            source.insert("script".to_owned(), json!({"source": "_value"}));
        }
        Ok(source)
    }

    /// Returns whether a cluster tells a negative zero from a zero.
    pub(super) fn has_two_zeros(&self) -> bool {
        matches!(self.field.kind, FieldKind::HalfFloat | FieldKind::Float | FieldKind::Double)
    }

    /// Returns the path of the field whose values are counted: for a text field the keyword that holds the whole texts.
    ///
    /// # Errors
    ///
    /// If the cluster keeps no values that could be counted.
    pub(super) fn path_of_values(&self) -> Result<&'a str, EngineError> {
        let path = self.request.field.as_str();
        if self.field.kind != FieldKind::Text {
            let has_values = self.field.doc_values;
            return if has_values { Ok(path) } else { Err(refused(path, "turn doc_values on in the mapping")) };
        }
        let whole = keyword_of(self.field, self.asked.mapping).map(|keyword| keyword.path.as_str());
        whole.ok_or_else(|| refused(path, "ask for a keyword field, or give this one a keyword multi-field"))
    }

    /// Returns an aggregation at the level of the field which tells the number of records, and what there is to tell
    /// of these.
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

    /// Reads the number of records in a bucket.
    pub(super) fn records(&self, bucket: Option<&Value>) -> Result<u64, EngineError> {
        let number = bucket.and_then(|bucket| Number::deserialize(bucket).ok()).ok_or_else(malformed)?;
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

/// Returns a source that is a script. What differs from field to field is a parameter, so that a cluster compiles each
/// script once.
fn script(text: &str, parameters: &Value) -> Map<String, Value> {
    Map::from_iter([("script".to_owned(), json!({"source": text, "params": parameters}))])
}

fn refused(path: &str, remedy: &str) -> EngineError {
    EngineError::Refused(format!("`{path}`: the search engine keeps no values of this field to count; {remedy}"))
}
