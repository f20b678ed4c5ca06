//! Values of arguments: literals with variables in them, as JSON.

use apollo_compiler::ast;
use apollo_compiler::executable::Operation;
use apollo_compiler::response::{JsonMap, JsonValue};
use serde::Deserialize;
use serde_json::{Map, Value};

/// Returns the variables of a request in the form that the schema library reads. Whole numbers with a point (`5.0`), as
/// some languages write them, are integers where a variable is one.
pub(super) fn library_map(operation: &Operation, variables: Option<&Map<String, Value>>) -> JsonMap {
    // Every JSON object has this form, so this cannot fail.
    let mut map = variables.and_then(|variables| JsonMap::deserialize(variables).ok()).unwrap_or_default();
    for variable in operation.variables.iter().filter(|variable| variable.ty.inner_named_type() == "Int") {
        if let Some(value) = map.get_mut(variable.name.as_str()) {
            without_point(value);
        }
    }
    map
}

fn without_point(value: &mut JsonValue) {
    match value {
        JsonValue::Array(elements) => elements.iter_mut().for_each(without_point),
        JsonValue::Number(number) => {
            let whole = number.as_f64().filter(|whole| number.is_f64() && whole.fract() == 0.0);
            if let Some(whole) = whole.filter(|whole| whole.abs() <= f64::from(i32::MAX)) {
                *number = (whole as i32).into();
            }
        }
        _ => {}
    }
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
        // A variable without a value is null in a list and no member in an object.
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
