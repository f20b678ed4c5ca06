//! Sort clauses, and the cursors that belong to them.
//!
//! Clusters replace a missing number by an extreme of its type, which a record may have as a value. Where that can
//! happen, the key is sorted as a double too: then the missing value is infinite, which no value is. Doubles sort like
//! the integers they are converted from, except for unsigned integers with several values, so there the exact key comes
//! first.

use cantata_engine::{Cursor, EngineError, MissingOrder, RECORD_SCORE, SortKey, SortMode, SortOrder, SortValue};
use cantata_mapping::{FieldKind, IndexMapping, TypedValue};
use serde_json::{Value, json};

use crate::keyword_field::keyword_field;

const NANOS_PER_MILLI: i64 = 1_000_000;

/// A sort order, as a cluster executes it.
#[derive(Debug, Clone)]
pub(crate) struct ClusterSort {
    keys: Vec<ClusterSortKey>,
    tie: TieBreaker,
}

/// The order of records that are equal in all keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TieBreaker {
    /// The bytes of their ids.
    Id,
    /// Their sequence numbers, on clusters that do not sort by `_id`.
    SequenceNumber,
}

#[derive(Debug, Clone)]
struct ClusterSortKey {
    /// The path that the cluster sorts by.
    path: String,
    /// The path of the nested container of the values; empty at the root.
    level: String,
    form: SortEncoding,
    order: SortOrder,
    mode: SortMode,
    missing: MissingOrder,
}

/// How a cluster sorts by a field and encodes its sort values.
#[derive(Debug, Clone, Copy, PartialEq)]
enum SortEncoding {
    /// By the id of the record.
    Id,
    /// By relevance.
    Score,
    Text,
    Ip,
    /// These are sorted as doubles.
    Boolean,
    Small,
    /// These have two sort clauses.
    Long,
    Unsigned,
    Nanos,
    /// These use infinity for a missing value anyway.
    Single,
    Double,
    Scaled,
    /// These never have the extremes of their type.
    Millis,
    /// A sum or a mean, as a double; of dates in milliseconds.
    Aggregate,
}

impl ClusterSort {
    /// Returns the order of a sort.
    ///
    /// # Errors
    ///
    /// If the cluster cannot sort by a field.
    pub(crate) fn new(sort: &[SortKey], mapping: &IndexMapping, tie: TieBreaker) -> Result<Self, EngineError> {
        Ok(Self { keys: sort.iter().map(|key| ClusterSortKey::new(key, mapping)).collect::<Result<_, _>>()?, tie })
    }

    /// Returns the sort clauses of a request.
    pub(crate) fn to_json(&self) -> Value {
        let mut list: Vec<Value> = self.keys.iter().flat_map(|key| key.to_json(self.tie)).collect();
        list.push(json!({self.tie.field(): "asc"}));
        Value::Array(list)
    }

    /// Returns whether a search must visit all records, as one does that counts them.
    ///
    /// Searches that do not count skip records that are not competitive by the first key. OpenSearch does so even where
    /// it sorts by other numbers than those of the field, and then loses records: for nested elements, scaled floats,
    /// and a type sorted as another.
    pub(crate) fn needs_all(&self) -> bool {
        self.keys.first().is_some_and(|key| {
            let is_plain = matches!(
                key.form,
                SortEncoding::Id
                    | SortEncoding::Score
                    | SortEncoding::Text
                    | SortEncoding::Ip
                    | SortEncoding::Single
                    | SortEncoding::Double
                    | SortEncoding::Millis
            );
            !is_plain || !key.level.is_empty()
        })
    }

    /// Returns the cursor of a record from its sort values.
    pub(crate) fn read(&self, sort_values: &[Value], id: &str) -> Option<Cursor> {
        let mut sort_values = sort_values.iter();
        let values = self.keys.iter().map(|key| key.read(&mut sort_values, id)).collect::<Option<_>>()?;
        Some(Cursor { values, id: id.to_owned() })
    }

    /// Returns the `search_after` values of a cursor; `last` is the value of the tie-breaker.
    pub(crate) fn after(&self, cursor: &Cursor, last: Value) -> Value {
        let with_value = self.keys.iter().zip(&cursor.values);
        let mut list: Vec<Value> = with_value.flat_map(|(key, value)| key.after(value, &last)).collect();
        list.push(last);
        Value::Array(list)
    }
}

impl TieBreaker {
    pub(crate) fn field(self) -> &'static str {
        match self {
            Self::Id => "_id",
            Self::SequenceNumber => "_seq_no",
        }
    }
}

impl ClusterSortKey {
    fn new(key: &SortKey, mapping: &IndexMapping) -> Result<Self, EngineError> {
        let with = |path: &str, level: &str, form: SortEncoding| Self {
            path: path.to_owned(),
            level: level.to_owned(),
            form,
            order: key.order,
            mode: key.mode,
            missing: key.missing,
        };
        let Some(path) = &key.field else { return Ok(with("_id", "", SortEncoding::Id)) };
        if key.is_score() {
            return Ok(with(RECORD_SCORE, "", SortEncoding::Score));
        }
        let Some(field) = mapping.field(path).or_else(|| Some(mapping.flattened_key(path)?.0)) else {
            return Err(cannot_sort(path, "the index does not have it any more"));
        };
        let is_aggregate = matches!(key.mode, SortMode::Sum | SortMode::Avg);
        let form = match &field.kind {
            FieldKind::Text => {
                let keyword = keyword_field(field, mapping).ok_or_else(|| {
                    cannot_sort(path, "it is text without a keyword beside it; give it a multi-field of type keyword")
                })?;
                return Ok(with(&keyword.path, field.row_path(), SortEncoding::Text));
            }
            FieldKind::Flattened if field.type_name == "flat_object" => {
                return Err(cannot_sort(path, "its type is flat_object, of which the search engine keeps no order"));
            }
            _ if is_aggregate => SortEncoding::Aggregate,
            FieldKind::Boolean => SortEncoding::Boolean,
            FieldKind::Byte | FieldKind::Short | FieldKind::Integer => SortEncoding::Small,
            FieldKind::Long => SortEncoding::Long,
            FieldKind::UnsignedLong => SortEncoding::Unsigned,
            FieldKind::HalfFloat | FieldKind::Float => SortEncoding::Single,
            FieldKind::Double => SortEncoding::Double,
            FieldKind::ScaledFloat { .. } => SortEncoding::Scaled,
            FieldKind::Date { .. } => SortEncoding::Millis,
            FieldKind::DateNanos { .. } => SortEncoding::Nanos,
            FieldKind::Ip => SortEncoding::Ip,
            kind if kind.is_string() => SortEncoding::Text,
            _ => return Err(cannot_sort(path, "it has no values")),
        };
        Ok(with(path, field.row_path(), form))
    }

    fn to_json(&self, tie: TieBreaker) -> Vec<Value> {
        let order = match self.order {
            SortOrder::Ascending => "asc",
            SortOrder::Descending => "desc",
        };
        if self.form == SortEncoding::Id {
            return vec![json!({tie.field(): order})];
        }
        if self.form == SortEncoding::Score {
            return vec![json!({RECORD_SCORE: order})];
        }
        let one = |numeric_type: Option<&str>, missing: MissingOrder| {
            let mode = match self.mode {
                SortMode::Min => "min",
                SortMode::Max => "max",
                SortMode::Sum => "sum",
                SortMode::Avg => "avg",
            };
            let missing = match missing {
                MissingOrder::First => "_first",
                MissingOrder::Last => "_last",
            };
            let mut key = json!({"order": order, "mode": mode, "missing": missing});
            if let Some(numeric_type) = numeric_type {
                key["numeric_type"] = json!(numeric_type);
            }
            if !self.level.is_empty() {
                key["nested"] = json!({"path": self.level});
            }
            json!({self.path.as_str(): key})
        };
        match self.form {
            SortEncoding::Boolean | SortEncoding::Small | SortEncoding::Aggregate => {
                vec![one(Some("double"), self.missing)]
            }
            SortEncoding::Long | SortEncoding::Nanos => {
                // The first clause has placed missing values already. The greatest number means missing in all
                // clusters, the least one does not.
                let greatest = match self.order {
                    SortOrder::Ascending => MissingOrder::Last,
                    SortOrder::Descending => MissingOrder::First,
                };
                vec![one(Some("double"), self.missing), one(None, greatest)]
            }
            SortEncoding::Unsigned => vec![one(None, self.missing), one(Some("double"), self.missing)],
            _ => vec![one(None, self.missing)],
        }
    }

    /// Reads the value of a record; nothing if the sort value is malformed.
    fn read<'v>(&self, sort_values: &mut impl Iterator<Item = &'v Value>, id: &str) -> Option<SortValue> {
        let first = sort_values.next()?;
        let (exact, marker) = match self.form {
            SortEncoding::Long | SortEncoding::Nanos => (sort_values.next()?, first),
            SortEncoding::Unsigned => (first, sort_values.next()?),
            _ => (first, first),
        };
        let is_missing = match self.form {
            SortEncoding::Id | SortEncoding::Text | SortEncoding::Ip => marker.is_null(),
            SortEncoding::Millis => marker.is_null() || matches!(marker.as_i64(), Some(i64::MIN | i64::MAX)),
            // Infinities are written as strings.
            _ => marker.is_null() || marker.is_string(),
        };
        if is_missing {
            return Some(None);
        }
        let value = match self.form {
            SortEncoding::Id => TypedValue::Text(id.to_owned()),
            SortEncoding::Text => TypedValue::Text(exact.as_str()?.to_owned()),
            SortEncoding::Ip => TypedValue::Ip(exact.as_str()?.parse().ok()?),
            SortEncoding::Boolean => TypedValue::Bool(exact.as_f64()? != 0.0),
            SortEncoding::Small => TypedValue::Integer(exact.as_f64()? as i64),
            SortEncoding::Long => TypedValue::Integer(exact.as_i64()?),
            SortEncoding::Unsigned => TypedValue::Unsigned(exact.as_u64()?),
            SortEncoding::Single | SortEncoding::Score => TypedValue::Double(f64::from(exact.as_f64()? as f32)),
            SortEncoding::Double | SortEncoding::Scaled | SortEncoding::Aggregate => {
                TypedValue::Double(exact.as_f64()?)
            }
            SortEncoding::Millis => TypedValue::DateMillis(exact.as_i64()?),
            SortEncoding::Nanos => TypedValue::DateNanos(exact.as_i64()?),
        };
        Some(Some(value))
    }

    fn after(&self, value: &SortValue, last: &Value) -> Vec<Value> {
        let Some(value) = value else { return self.after_missing() };
        match (self.form, value) {
            (SortEncoding::Id, _) => vec![last.clone()],
            (SortEncoding::Boolean, TypedValue::Bool(flag)) => vec![json!(u8::from(*flag))],
            (SortEncoding::Long, TypedValue::Integer(number)) => vec![json!(*number as f64), json!(number)],
            (SortEncoding::Unsigned, TypedValue::Unsigned(number)) => vec![json!(number), json!(*number as f64)],
            (SortEncoding::Nanos, TypedValue::DateNanos(nanos)) => {
                vec![json!(nanos.div_euclid(NANOS_PER_MILLI) as f64), json!(nanos)]
            }
            (_, value) => vec![Value::from(value)],
        }
    }

    /// Returns the sort values of a missing value.
    fn after_missing(&self) -> Vec<Value> {
        let is_greatest = (self.missing == MissingOrder::Last) == (self.order == SortOrder::Ascending);
        let infinity = json!(if is_greatest { "Infinity" } else { "-Infinity" });
        match self.form {
            SortEncoding::Id | SortEncoding::Text | SortEncoding::Ip => vec![Value::Null],
            SortEncoding::Boolean
            | SortEncoding::Small
            | SortEncoding::Single
            | SortEncoding::Score
            | SortEncoding::Double
            | SortEncoding::Scaled
            | SortEncoding::Aggregate => vec![infinity],
            SortEncoding::Long | SortEncoding::Nanos => vec![infinity, json!(i64::MAX)],
            SortEncoding::Unsigned => vec![json!(if is_greatest { u64::MAX } else { 0 }), infinity],
            SortEncoding::Millis => vec![json!(if is_greatest { i64::MAX } else { i64::MIN })],
        }
    }
}

/// Returns the error for a field that the cluster cannot sort by.
pub(crate) fn cannot_sort(path: &str, why: &str) -> EngineError {
    EngineError::Rejected(format!("the search engine cannot sort by field `{path}`: {why}"))
}
