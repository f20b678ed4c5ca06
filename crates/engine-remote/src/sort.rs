//! The order of records as clusters sort them, and the places in it.
//!
//! Clusters put a number of their own in the place of a missing one, which a record may have too. Where that can
//! happen, a key is sorted by as a double too: then the missing one is infinite, which no value is. Doubles are in the
//! order of the whole numbers they stand for. Those of numbers without a sign are the exception if a record has several,
//! so there the exact key comes first.

use cantata_engine::{Cursor, EngineError, Missing, SortKey, SortMode, SortOrder, SortValue};
use cantata_mapping::{FieldKind, IndexMapping, TypedValue};
use serde_json::{Value, json};

use crate::whole::keyword_of;

const NANOS_PER_MILLI: i64 = 1_000_000;

/// An order of records of an index.
#[derive(Debug, Clone)]
pub(crate) struct Order {
    keys: Vec<Key>,
    tie: Tie,
}

/// What decides between records that are equal in all keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tie {
    /// The bytes of their ids.
    Id,
    /// The order in which they were written, on clusters that do not sort by ids.
    Number,
}

#[derive(Debug, Clone)]
struct Key {
    /// The path that the cluster sorts by.
    path: String,
    /// The path of the nested container of the values; empty at the root.
    level: String,
    form: Form,
    order: SortOrder,
    mode: SortMode,
    missing: Missing,
}

/// How a cluster sorts by a field and what it shows of it.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Form {
    /// By the id of the record.
    Id,
    Text,
    Ip,
    /// These are sorted by as doubles.
    Boolean,
    Small,
    /// These are sorted by twice.
    Long,
    Unsigned,
    Nanos,
    /// These have infinity for a missing value anyway.
    Single,
    Double,
    Scaled,
    /// These never have the extremes of their type.
    Millis,
    /// A sum or a mean, as a double; that of moments is one of milliseconds.
    Figure,
}

impl Order {
    /// Returns the order of a sort.
    ///
    /// # Errors
    ///
    /// If the cluster cannot sort by a field.
    pub(crate) fn new(sort: &[SortKey], mapping: &IndexMapping, tie: Tie) -> Result<Self, EngineError> {
        Ok(Self { keys: sort.iter().map(|key| Key::new(key, mapping)).collect::<Result<_, _>>()?, tie })
    }

    /// Returns what a request says of the order.
    pub(crate) fn to_json(&self) -> Value {
        let mut list: Vec<Value> = self.keys.iter().flat_map(|key| key.to_json(self.tie)).collect();
        list.push(json!({self.tie.field(): "asc"}));
        Value::Array(list)
    }

    /// Returns whether a search must look at all records, as one does that counts them.
    ///
    /// Searches that do not count pass over records that cannot be among the first by the numbers of the first key's
    /// field. OpenSearch does so also where these are not the numbers that it sorts by, and then loses records: of nested
    /// elements, of multiples of a step, and of one type sorted by as another.
    pub(crate) fn needs_all(&self) -> bool {
        self.keys.first().is_some_and(|key| {
            let is_plain =
                matches!(key.form, Form::Id | Form::Text | Form::Ip | Form::Single | Form::Double | Form::Millis);
            !is_plain || !key.level.is_empty()
        })
    }

    /// Returns the place of a record by what the cluster shows of its keys.
    pub(crate) fn read(&self, shown: &[Value], id: &str) -> Option<Cursor> {
        let mut shown = shown.iter();
        let values = self.keys.iter().map(|key| key.read(&mut shown, id)).collect::<Option<_>>()?;
        Some(Cursor { values, id: id.to_owned() })
    }

    /// Returns what a request says of the place after which records are wanted; the last value is what decides between
    /// equal records.
    pub(crate) fn after(&self, cursor: &Cursor, last: Value) -> Value {
        let with_value = self.keys.iter().zip(&cursor.values);
        let mut list: Vec<Value> = with_value.flat_map(|(key, value)| key.after(value, &last)).collect();
        list.push(last);
        Value::Array(list)
    }
}

impl Tie {
    pub(crate) fn field(self) -> &'static str {
        match self {
            Self::Id => "_id",
            Self::Number => "_seq_no",
        }
    }
}

impl Key {
    fn new(key: &SortKey, mapping: &IndexMapping) -> Result<Self, EngineError> {
        let with = |path: &str, level: &str, form: Form| Self {
            path: path.to_owned(),
            level: level.to_owned(),
            form,
            order: key.order,
            mode: key.mode,
            missing: key.missing,
        };
        let Some(path) = &key.field else { return Ok(with("_id", "", Form::Id)) };
        let Some(field) = mapping.field(path).or_else(|| Some(mapping.flattened_key(path)?.0)) else {
            return Err(cannot_sort(path, "the index does not have it any more"));
        };
        let is_figure = matches!(key.mode, SortMode::Sum | SortMode::Avg);
        let form = match &field.kind {
            FieldKind::Text => {
                let keyword = keyword_of(field, mapping).ok_or_else(|| {
                    cannot_sort(path, "it is text without a keyword beside it; give it a multi-field of type keyword")
                })?;
                return Ok(with(&keyword.path, field.row_path(), Form::Text));
            }
            FieldKind::Flattened if field.type_name == "flat_object" => {
                return Err(cannot_sort(path, "its type is flat_object, of which the search engine keeps no order"));
            }
            _ if is_figure => Form::Figure,
            FieldKind::Boolean => Form::Boolean,
            FieldKind::Byte | FieldKind::Short | FieldKind::Integer => Form::Small,
            FieldKind::Long => Form::Long,
            FieldKind::UnsignedLong => Form::Unsigned,
            FieldKind::HalfFloat | FieldKind::Float => Form::Single,
            FieldKind::Double => Form::Double,
            FieldKind::ScaledFloat { .. } => Form::Scaled,
            FieldKind::Date { .. } => Form::Millis,
            FieldKind::DateNanos { .. } => Form::Nanos,
            FieldKind::Ip => Form::Ip,
            kind if kind.is_string() => Form::Text,
            _ => return Err(cannot_sort(path, "it has no values")),
        };
        Ok(with(path, field.row_path(), form))
    }

    fn to_json(&self, tie: Tie) -> Vec<Value> {
        let order = match self.order {
            SortOrder::Ascending => "asc",
            SortOrder::Descending => "desc",
        };
        if self.form == Form::Id {
            return vec![json!({tie.field(): order})];
        }
        let one = |numeric_type: Option<&str>, missing: Missing| {
            let mode = match self.mode {
                SortMode::Min => "min",
                SortMode::Max => "max",
                SortMode::Sum => "sum",
                SortMode::Avg => "avg",
            };
            let missing = match missing {
                Missing::First => "_first",
                Missing::Last => "_last",
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
            Form::Boolean | Form::Small | Form::Figure => vec![one(Some("double"), self.missing)],
            Form::Long | Form::Nanos => {
                // Where values are missing is decided by then. The greatest number stands for them in all clusters,
                // the least one does not.
                let greatest = match self.order {
                    SortOrder::Ascending => Missing::Last,
                    SortOrder::Descending => Missing::First,
                };
                vec![one(Some("double"), self.missing), one(None, greatest)]
            }
            Form::Unsigned => vec![one(None, self.missing), one(Some("double"), self.missing)],
            _ => vec![one(None, self.missing)],
        }
    }

    /// Reads the value of a record; nothing if what is shown cannot be one.
    fn read<'v>(&self, shown: &mut impl Iterator<Item = &'v Value>, id: &str) -> Option<SortValue> {
        let first = shown.next()?;
        let (exact, told) = match self.form {
            Form::Long | Form::Nanos => (shown.next()?, first),
            Form::Unsigned => (first, shown.next()?),
            _ => (first, first),
        };
        let is_missing = match self.form {
            Form::Id | Form::Text | Form::Ip => told.is_null(),
            Form::Millis => told.is_null() || matches!(told.as_i64(), Some(i64::MIN | i64::MAX)),
            // Infinities are written as texts.
            _ => told.is_null() || told.is_string(),
        };
        if is_missing {
            return Some(None);
        }
        let value = match self.form {
            Form::Id => TypedValue::Text(id.to_owned()),
            Form::Text => TypedValue::Text(exact.as_str()?.to_owned()),
            Form::Ip => TypedValue::Ip(exact.as_str()?.parse().ok()?),
            Form::Boolean => TypedValue::Bool(exact.as_f64()? != 0.0),
            Form::Small => TypedValue::Integer(exact.as_f64()? as i64),
            Form::Long => TypedValue::Integer(exact.as_i64()?),
            Form::Unsigned => TypedValue::Unsigned(exact.as_u64()?),
            Form::Single => TypedValue::Double(f64::from(exact.as_f64()? as f32)),
            Form::Double | Form::Scaled | Form::Figure => TypedValue::Double(exact.as_f64()?),
            Form::Millis => TypedValue::DateMillis(exact.as_i64()?),
            Form::Nanos => TypedValue::DateNanos(exact.as_i64()?),
        };
        Some(Some(value))
    }

    fn after(&self, value: &SortValue, last: &Value) -> Vec<Value> {
        let Some(value) = value else { return self.after_missing() };
        match (self.form, value) {
            (Form::Id, _) => vec![last.clone()],
            (Form::Boolean, TypedValue::Bool(flag)) => vec![json!(u8::from(*flag))],
            (Form::Long, TypedValue::Integer(number)) => vec![json!(*number as f64), json!(number)],
            (Form::Unsigned, TypedValue::Unsigned(number)) => vec![json!(number), json!(*number as f64)],
            (Form::Nanos, TypedValue::DateNanos(nanos)) => {
                vec![json!(nanos.div_euclid(NANOS_PER_MILLI) as f64), json!(nanos)]
            }
            (_, value) => vec![crate::query::value(value)],
        }
    }

    /// Returns what stands for no value where the cluster puts it.
    fn after_missing(&self) -> Vec<Value> {
        let is_greatest = (self.missing == Missing::Last) == (self.order == SortOrder::Ascending);
        let infinity = json!(if is_greatest { "Infinity" } else { "-Infinity" });
        match self.form {
            Form::Id | Form::Text | Form::Ip => vec![Value::Null],
            Form::Boolean | Form::Small | Form::Single | Form::Double | Form::Scaled | Form::Figure => vec![infinity],
            Form::Long | Form::Nanos => vec![infinity, json!(i64::MAX)],
            Form::Unsigned => vec![json!(if is_greatest { u64::MAX } else { 0 }), infinity],
            Form::Millis => vec![json!(if is_greatest { i64::MAX } else { i64::MIN })],
        }
    }
}

/// Returns the error for a field that the cluster cannot sort by.
pub(crate) fn cannot_sort(path: &str, why: &str) -> EngineError {
    EngineError::Refused(format!("the search engine cannot sort by field `{path}`: {why}"))
}
