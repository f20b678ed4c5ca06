//! Values of arguments: literals with variables in them, as JSON.

use apollo_compiler::ast;
use apollo_compiler::response::JsonMap;
use serde::Deserialize;
use serde_json::{Map, Value};

/// Returns the variables of a request in the form that the schema library reads.
pub(super) fn library_map(variables: Option<&Map<String, Value>>) -> JsonMap {
    // Every JSON object has this form, so this cannot fail.
    variables.and_then(|variables| JsonMap::deserialize(variables).ok()).unwrap_or_default()
}

/// Returns the value of an argument; `None` for a variable without a value.
pub(super) fn argument_value(value: &ast::Value, variables: &JsonMap) -> Option<Value> {
    let resolved = match value {
        // A value of the schema library is JSON, so this cannot fail.
        ast::Value::Variable(name) => serde_json::to_value(variables.get(name.as_str())?).unwrap_or_default(),
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
