//! A derived mapping on an index that has one already: what can be added in place, and what cannot.
//!
//! A field that the index has with another type keeps it, as no engine can change that; it is told, and a reindex
//! gives it the new one.

use serde_json::{Map, Value};

/// What is wanted of an index that is there.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Fitted {
    /// The mapping that can be added to the index as it is.
    pub(crate) mapping: Value,
    /// What needs a new index, one sentence for each field.
    pub(crate) misfits: Vec<String>,
}

/// Fits a derived mapping to the fields that an index has.
pub(crate) fn fit(derived: &Value, present: &Map<String, Value>) -> Fitted {
    let mut misfits = Vec::new();
    let mut mapping = derived.clone();
    if let Some(Value::Object(wanted)) = mapping.get_mut("properties") {
        fit_properties("", wanted, present, &mut misfits);
    }
    Fitted { mapping, misfits }
}

fn fit_properties(
    above: &str,
    wanted: &mut Map<String, Value>,
    present: &Map<String, Value>,
    misfits: &mut Vec<String>,
) {
    for (name, field) in wanted {
        let Some(there) = present.get(name) else { continue };
        let path = if above.is_empty() { name.clone() } else { format!("{above}.{name}") };
        let (is, should) = (type_of(there), type_of(field));
        if is != should {
            misfits.push(format!("field `{path}` is {is} in the index and {should} by the analysis types"));
            *field = there.clone();
        } else if let (Some(Value::Object(wanted)), Some(Value::Object(present))) =
            (field.get_mut("properties"), there.get("properties"))
        {
            fit_properties(&path, wanted, present, misfits);
        }
    }
}

/// Returns the type of a field; one with fields of its own is an object unless it says otherwise.
fn type_of(field: &Value) -> &str {
    if field.get("enabled") == Some(&Value::Bool(false)) {
        return "an object that is not searched";
    }
    field.get("type").and_then(Value::as_str).unwrap_or("object")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn new_fields_are_added_and_others_keep_their_types() {
        let present = json!({
            "size": {"type": "long"},
            "donor": {"properties": {"age": {"type": "long"}}},
            "files": {"type": "object", "properties": {}},
        });
        let derived = json!({"properties": {
            "size": {"type": "double"},
            "donor": {"properties": {"age": {"type": "keyword"}, "name": {"type": "keyword"}}},
            "files": {"type": "nested", "properties": {"name": {"type": "keyword"}}},
            "more": {"type": "date"},
        }, "_meta": {"cantata": 1}});
        let fitted = fit(&derived, present.as_object().unwrap());
        let expected = json!({"properties": {
            "size": {"type": "long"},
            "donor": {"properties": {"age": {"type": "long"}, "name": {"type": "keyword"}}},
            "files": {"type": "object", "properties": {}},
            "more": {"type": "date"},
        }, "_meta": {"cantata": 1}});
        assert_eq!(fitted.mapping, expected);
        assert_eq!(
            fitted.misfits,
            [
                "field `size` is long in the index and double by the analysis types",
                "field `donor.age` is long in the index and keyword by the analysis types",
                "field `files` is object in the index and nested by the analysis types",
            ]
        );
        assert_eq!(fit(&derived, &Map::new()), Fitted { mapping: derived.clone(), misfits: Vec::new() });
    }
}
