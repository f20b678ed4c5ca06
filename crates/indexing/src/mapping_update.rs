//! Mapping updates: which part of a derived mapping can be added to an existing index, and what needs a reindex.
//!
//! A field that the index has with another type keeps it, as no engine can change that; it is reported as a conflict, and
//! a reindex gives it the new type.

use serde_json::{Map, Value};

/// What is wanted of an existing index.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct MappingUpdate {
    /// The mapping that can be added in place.
    pub(crate) mapping: Value,
    /// What needs a reindex, one sentence for each field.
    pub(crate) conflicts: Vec<String>,
}

/// Compares a derived mapping with the fields of an index.
pub(crate) fn plan_update(derived: &Value, present: &Map<String, Value>) -> MappingUpdate {
    let mut conflicts = Vec::new();
    let mut mapping = derived.clone();
    if let Some(Value::Object(wanted)) = mapping.get_mut("properties") {
        plan_properties("", wanted, present, &mut conflicts);
    }
    MappingUpdate { mapping, conflicts }
}

fn plan_properties(
    above: &str,
    wanted: &mut Map<String, Value>,
    present: &Map<String, Value>,
    conflicts: &mut Vec<String>,
) {
    for (name, field) in wanted {
        let Some(existing) = present.get(name) else { continue };
        let path = if above.is_empty() { name.clone() } else { format!("{above}.{name}") };
        let (is, should) = (type_of(existing), type_of(field));
        if is != should {
            conflicts.push(format!("field `{path}` is {is} in the index and {should} by the analysis types"));
            *field = existing.clone();
        } else if let (Some(Value::Object(wanted)), Some(Value::Object(present))) =
            (field.get_mut("properties"), existing.get("properties"))
        {
            plan_properties(&path, wanted, present, conflicts);
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
        let update = plan_update(&derived, present.as_object().unwrap());
        let expected = json!({"properties": {
            "size": {"type": "long"},
            "donor": {"properties": {"age": {"type": "long"}, "name": {"type": "keyword"}}},
            "files": {"type": "object", "properties": {}},
            "more": {"type": "date"},
        }, "_meta": {"cantata": 1}});
        assert_eq!(update.mapping, expected);
        assert_eq!(
            update.conflicts,
            [
                "field `size` is long in the index and double by the analysis types",
                "field `donor.age` is long in the index and keyword by the analysis types",
                "field `files` is object in the index and nested by the analysis types",
            ]
        );
        assert_eq!(
            plan_update(&derived, &Map::new()),
            MappingUpdate { mapping: derived.clone(), conflicts: Vec::new() }
        );
    }
}
