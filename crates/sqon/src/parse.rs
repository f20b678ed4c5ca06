//! Reading a filter from JSON.
//!
//! `null` and `{}` say nothing and are no filter. Everything else must be a group or a leaf all the way down: a
//! mistake anywhere rejects the whole filter, since dropping a condition would show records that were filtered out.
//! Keys that the grammar does not know are left alone.

use serde_json::{Map, Value};

use crate::error::SqonError;
use crate::json_path::{JsonPath, describe};
use crate::limits::Budget;
use crate::operators::group::GroupOp;
use crate::operators::leaf_content::LeafContent;
use crate::operators::{self, Operator};
use crate::sqon::{Leaf, Sqon};

const NODE_FORM: &str = "an object with `op` and `content`";

impl Sqon {
    /// Reads a filter; `None` means that there is none and every record matches.
    ///
    /// # Errors
    /// The first part that is malformed or beyond a limit, with its path.
    pub fn parse(filter: &Value) -> Result<Option<Self>, SqonError> {
        match filter {
            Value::Null => Ok(None),
            Value::Object(object) if object.is_empty() => Ok(None),
            _ => node(filter, &JsonPath::Root, 1, &mut Budget::default()).map(Some),
        }
    }
}

enum NodeOperator {
    Group(GroupOp),
    Field(&'static Operator),
}

fn node(value: &Value, path: &JsonPath<'_>, level: usize, budget: &mut Budget) -> Result<Sqon, SqonError> {
    budget.take_node(level, path)?;
    let Value::Object(object) = value else { return Err(path.found(value, NODE_FORM)) };
    let meaning = operator(object, path)?;
    let pivot = pivot(object, path)?;
    let content_form = match &meaning {
        NodeOperator::Group(_) => "a list of filters, each an object with `op` and `content`",
        NodeOperator::Field(operator) => operator.shape.form,
    };
    let content = object.get("content").ok_or_else(|| path.lacks("content", content_form))?;
    let content_place = path.key("content");
    match (meaning, content) {
        (NodeOperator::Group(op), Value::Array(children)) => {
            let mut content = Vec::with_capacity(children.len());
            for (index, child) in children.iter().enumerate() {
                content.push(node(child, &content_place.index(index), level + 1, budget)?);
            }
            Ok(Sqon::Group { op, content, pivot })
        }
        (NodeOperator::Field(operator), Value::Object(members)) => {
            let condition = (operator.parse)(&mut LeafContent::new(members, &content_place, budget))?;
            Ok(Sqon::Leaf(Leaf { condition, pivot }))
        }
        _ => Err(content_place.found(content, content_form)),
    }
}

fn operator(object: &Map<String, Value>, path: &JsonPath<'_>) -> Result<NodeOperator, SqonError> {
    let allowed = || format!("one of {}", operators::all_names().collect::<Vec<_>>().join(", "));
    let value = object.get("op").ok_or_else(|| path.lacks("op", &allowed()))?;
    let path = path.key("op");
    let Value::String(name) = value else { return Err(path.found(value, &allowed())) };
    if let Some(op) = GroupOp::find(name) {
        return Ok(NodeOperator::Group(op));
    }
    if let Some(operator) = operators::find(name) {
        return Ok(NodeOperator::Field(operator));
    }
    let lower = name.to_lowercase();
    if operators::all_names().any(|known| known == lower) {
        let message = format!("found {}; operators are written in lower case: expected \"{lower}\"", describe(value));
        return Err(path.malformed(message));
    }
    Err(path.found(value, &allowed()))
}

fn pivot(object: &Map<String, Value>, path: &JsonPath<'_>) -> Result<Option<String>, SqonError> {
    match object.get("pivot") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(pivot)) => Ok(Some(pivot.clone())),
        Some(other) => Err(path.key("pivot").found(other, "the dotted name of a nested field, \".\" or null")),
    }
}
