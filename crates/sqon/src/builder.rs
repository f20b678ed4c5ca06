//! Building a filter from plain clauses, for callers that do not write SQON themselves.
//!
//! What is built is reduced (see the module `reduce`) and always reads back through [`Sqon::parse`].

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::error::SqonError;
use crate::json_path::JsonPath;
use crate::limits::Budget;
use crate::operators::group::GroupOp;
use crate::operators::leaf_content::{FIELD_NAME_FORM, LeafContent};
use crate::operators::{self, FieldRef, OPERATORS};
use crate::reduce::reduce;
use crate::sqon::{Leaf, Sqon};

/// One condition on one field.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FilterClause {
    /// The dotted name.
    pub field_name: String,
    /// The name or an alias of an operator on fields.
    pub operator: String,
    /// The value, in the form that the operator takes.
    pub value: Value,
    /// Whether the condition must not hold.
    #[serde(default)]
    pub negate: bool,
}

/// A filter that was built.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BuiltFilter {
    /// The filter; none when nothing was asked for.
    pub sqon: Option<Sqon>,
    /// What it says, in English.
    pub summary: String,
    /// How many clauses were given.
    pub clause_count: usize,
    /// How many leaves the filter has.
    pub filter_count: usize,
    /// Where joining clauses can have changed what matches.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// Builds a filter from clauses. An existing filter is one more part of an `and` or `or`; under `not` it must match
/// while none of the clauses does.
///
/// # Errors
/// The first clause that is malformed, with its path such as `/clauses/0/value`, or a filter beyond a limit.
pub fn build_filter(
    combination: GroupOp,
    clauses: &[FilterClause],
    existing: Option<Sqon>,
) -> Result<BuiltFilter, SqonError> {
    let root = JsonPath::Root;
    let list = root.key("clauses");
    let mut parts = Vec::with_capacity(clauses.len() + 1);
    let mut budget = Budget::default();
    for (index, clause) in clauses.iter().enumerate() {
        parts.push(part(clause, &list.index(index), &mut budget)?);
    }
    let group = |op, content| Sqon::Group { op, content, pivot: None };
    let combined = match (combination, existing) {
        (_, existing) if parts.is_empty() => existing,
        (GroupOp::Not, Some(existing)) => Some(group(GroupOp::And, vec![existing, group(GroupOp::Not, parts)])),
        (op, existing) => Some(group(op, existing.into_iter().chain(parts).collect())),
    };

    let mut notes = Vec::new();
    let sqon = combined.map(|combined| reduce(combined, &mut notes));
    if let Some(sqon) = &sqon {
        Sqon::parse(&sqon.to_json())?;
    }
    Ok(BuiltFilter {
        summary: sqon.as_ref().map_or_else(|| "all records".to_owned(), Sqon::summary),
        clause_count: clauses.len(),
        filter_count: sqon.as_ref().map_or(0, Sqon::leaf_count),
        sqon,
        notes,
    })
}

fn part(clause: &FilterClause, path: &JsonPath<'_>, budget: &mut Budget) -> Result<Sqon, SqonError> {
    let found = |key, text: &str, expected: &str| path.key(key).found(&Value::String(text.to_owned()), expected);
    let Some(operator) = operators::find(&clause.operator) else {
        let names = OPERATORS.map(|operator| operator.name).join(", ");
        return Err(found("operator", &clause.operator, &format!("one of {names}")));
    };
    if clause.field_name.is_empty() {
        return Err(found("fieldName", "", FIELD_NAME_FORM));
    }
    let fields = match operator.field_ref {
        FieldRef::FieldName => Value::from(clause.field_name.as_str()),
        FieldRef::FieldNames => Value::from(vec![clause.field_name.as_str()]),
    };
    let members =
        Map::from_iter([(operator.field_ref.key().to_owned(), fields), ("value".to_owned(), clause.value.clone())]);
    let condition = (operator.parse)(&mut LeafContent::new(&members, path, budget))?;
    let leaf = Sqon::Leaf(Leaf { condition, pivot: None });
    Ok(match clause.negate {
        true => Sqon::Group { op: GroupOp::Not, content: vec![leaf], pivot: None },
        false => leaf,
    })
}
