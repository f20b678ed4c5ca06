//! Reading a filter from JSON.
//!
//! `null` and `{}` say nothing and are no filter. Everything else must be a group or a leaf all the way down: a
//! mistake anywhere refuses the whole filter, since dropping a condition would show records that were filtered out.
//! Keys that the grammar does not know are left alone.

use serde_json::{Map, Value};

use crate::error::SqonError;
use crate::limits::Budget;
use crate::operators::content::Content;
use crate::operators::group::GroupOp;
use crate::operators::{self, Operator};
use crate::place::{Place, describe};
use crate::sqon::{Leaf, Sqon};

const NODE_FORM: &str = "an object with `op` and `content`";

impl Sqon {
    /// Reads a filter; `None` means that there is none and every record matches.
    ///
    /// # Errors
    /// The first thing that is malformed or beyond a limit, with its place.
    pub fn parse(filter: &Value) -> Result<Option<Self>, SqonError> {
        match filter {
            Value::Null => Ok(None),
            Value::Object(object) if object.is_empty() => Ok(None),
            _ => node(filter, &Place::Root, 1, &mut Budget::default()).map(Some),
        }
    }
}

enum Meaning {
    Group(GroupOp),
    Field(&'static Operator),
}

fn node(value: &Value, place: &Place<'_>, level: usize, budget: &mut Budget) -> Result<Sqon, SqonError> {
    budget.take_node(level, place)?;
    let Value::Object(object) = value else { return Err(place.found(value, NODE_FORM)) };
    let meaning = operator(object, place)?;
    let pivot = pivot(object, place)?;
    let content_form = match &meaning {
        Meaning::Group(_) => "a list of filters, each an object with `op` and `content`",
        Meaning::Field(operator) => operator.shape.form,
    };
    let content = object.get("content").ok_or_else(|| place.lacks("content", content_form))?;
    let content_place = place.key("content");
    match (meaning, content) {
        (Meaning::Group(op), Value::Array(children)) => {
            let mut content = Vec::with_capacity(children.len());
            for (index, child) in children.iter().enumerate() {
                content.push(node(child, &content_place.index(index), level + 1, budget)?);
            }
            Ok(Sqon::Group { op, content, pivot })
        }
        (Meaning::Field(operator), Value::Object(members)) => {
            let condition = (operator.parse)(&mut Content::new(members, &content_place, budget))?;
            Ok(Sqon::Leaf(Leaf { condition, pivot }))
        }
        _ => Err(content_place.found(content, content_form)),
    }
}

fn operator(object: &Map<String, Value>, place: &Place<'_>) -> Result<Meaning, SqonError> {
    let allowed = || format!("one of {}", operators::all_names().collect::<Vec<_>>().join(", "));
    let value = object.get("op").ok_or_else(|| place.lacks("op", &allowed()))?;
    let place = place.key("op");
    let Value::String(name) = value else { return Err(place.found(value, &allowed())) };
    if let Some(op) = GroupOp::find(name) {
        return Ok(Meaning::Group(op));
    }
    if let Some(operator) = operators::find(name) {
        return Ok(Meaning::Field(operator));
    }
    let lower = name.to_lowercase();
    if operators::all_names().any(|known| known == lower) {
        let message = format!("found {}; operators are written in lower case: expected \"{lower}\"", describe(value));
        return Err(place.malformed(message));
    }
    Err(place.found(value, &allowed()))
}

fn pivot(object: &Map<String, Value>, place: &Place<'_>) -> Result<Option<String>, SqonError> {
    match object.get("pivot") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(pivot)) => Ok(Some(pivot.clone())),
        Some(other) => Err(place.key("pivot").found(other, "the dotted name of a nested field, \".\" or null")),
    }
}
