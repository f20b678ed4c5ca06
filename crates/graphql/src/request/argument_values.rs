//! Values of arguments: literals with variables in them, as JSON.

use apollo_compiler::ast;
use apollo_compiler::response::{JsonMap, JsonValue};
use serde_json::{Map, Value};

/// Returns the variables of a request in the form that the schema library reads.
pub(super) fn library_map(variables: Option<&Map<String, Value>>) -> JsonMap {
    let variables = variables.into_iter().flatten();
    variables.map(|(name, value)| (name.as_str().into(), library_value(value))).collect()
}

fn library_value(value: &Value) -> JsonValue {
    match value {
        Value::Null => JsonValue::Null,
        Value::Bool(flag) => JsonValue::Bool(*flag),
        Value::Number(number) => JsonValue::Number(number.clone()),
        Value::String(text) => JsonValue::String(text.as_str().into()),
        Value::Array(list) => JsonValue::Array(list.iter().map(library_value).collect()),
        Value::Object(object) => {
            JsonValue::Object(object.iter().map(|(key, value)| (key.as_str().into(), library_value(value))).collect())
        }
    }
}

/// Returns a value of the schema library as ordinary JSON.
fn plain_value(value: &JsonValue) -> Value {
    match value {
        JsonValue::Null => Value::Null,
        JsonValue::Bool(flag) => Value::Bool(*flag),
        JsonValue::Number(number) => Value::Number(number.clone()),
        JsonValue::String(text) => Value::String(text.as_str().to_owned()),
        JsonValue::Array(list) => list.iter().map(plain_value).collect(),
        JsonValue::Object(object) => {
            Value::Object(object.iter().map(|(key, value)| (key.as_str().to_owned(), plain_value(value))).collect())
        }
    }
}

/// Returns the value of an argument; `None` for a variable without a value.
pub(super) fn argument_value(value: &ast::Value, variables: &JsonMap) -> Option<Value> {
    let resolved = match value {
        ast::Value::Variable(name) => plain_value(variables.get(name.as_str())?),
        ast::Value::Null => Value::Null,
        ast::Value::Enum(name) => Value::String(name.to_string()),
        ast::Value::String(text) => Value::String(text.clone()),
        ast::Value::Boolean(flag) => Value::Bool(*flag),
        // A number beyond all doubles is no number in JSON either.
        ast::Value::Int(number) => number.as_str().parse().map_or(Value::Null, Value::Number),
        ast::Value::Float(number) => number.as_str().parse().map_or(Value::Null, Value::Number),
        // A variable without a value stands for null in a list and for no member in an object.
        ast::Value::List(list) => {
            list.iter().map(|value| argument_value(value, variables).unwrap_or_default()).collect()
        }
        ast::Value::Object(members) => {
            let members =
                members.iter().filter_map(|(key, value)| Some((key.to_string(), argument_value(value, variables)?)));
            Value::Object(members.collect())
        }
    };
    Some(resolved)
}
