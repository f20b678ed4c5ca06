//! The differences of two JSON documents by JSON pointer.

use serde::Serialize;
use serde_json::Value;

use crate::terminal::Colours;

/// One difference.
#[derive(Debug, PartialEq, Serialize)]
pub(super) struct Difference {
    /// The JSON pointer.
    path: String,
    /// The old value.
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<Value>,
    /// The new value.
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<Value>,
}

impl Difference {
    /// Returns it as a line.
    pub(super) fn text(&self, colours: Colours) -> String {
        let path = &self.path;
        match (&self.before, &self.after) {
            (Some(before), Some(after)) => {
                let (before, after) = (before.to_string(), after.to_string());
                format!("~ {path}: {} -> {}", colours.bad(&before), colours.good(&after))
            }
            (Some(before), None) => colours.bad(&format!("- {path}: {before}")),
            (None, after) => {
                let after = after.as_ref().map(ToString::to_string).unwrap_or_default();
                colours.good(&format!("+ {path}: {after}"))
            }
        }
    }
}

/// What an array of scalars is.
#[derive(Clone, Copy, PartialEq)]
enum ScalarArrays {
    /// A set, such as `required` and `enum` of a schema.
    Sets,
    /// A list, whose order counts.
    Lists,
}

/// Returns every difference of two schemas, in the order of the old one, then additions.
pub(super) fn differences(before: &Value, after: &Value) -> Vec<Difference> {
    let mut found = Vec::new();
    compare(String::new(), before, after, ScalarArrays::Sets, &mut found);
    found
}

/// Returns every difference of two documents in which the order of arrays counts.
pub(super) fn ordered_differences(before: &Value, after: &Value) -> Vec<Difference> {
    let mut found = Vec::new();
    compare(String::new(), before, after, ScalarArrays::Lists, &mut found);
    found
}

fn compare(path: String, before: &Value, after: &Value, arrays: ScalarArrays, found: &mut Vec<Difference>) {
    match (before, after) {
        (Value::Object(old), Value::Object(new)) => {
            for (name, value) in old {
                let path = at(&path, name);
                match new.get(name) {
                    Some(changed) => compare(path, value, changed, arrays, found),
                    None => found.push(Difference { path, before: Some(value.clone()), after: None }),
                }
            }
            for (name, value) in new.iter().filter(|(name, _)| !old.contains_key(*name)) {
                found.push(Difference { path: at(&path, name), before: None, after: Some(value.clone()) });
            }
        }
        (Value::Array(old), Value::Array(new))
            if arrays == ScalarArrays::Sets && is_of_scalars(old) && is_of_scalars(new) =>
        {
            for value in old.iter().filter(|value| !new.contains(value)) {
                found.push(Difference { path: path.clone(), before: Some(value.clone()), after: None });
            }
            for value in new.iter().filter(|value| !old.contains(value)) {
                found.push(Difference { path: path.clone(), before: None, after: Some(value.clone()) });
            }
        }
        (Value::Array(old), Value::Array(new)) if old.len() == new.len() => {
            for (index, (old, new)) in old.iter().zip(new).enumerate() {
                compare(format!("{path}/{index}"), old, new, arrays, found);
            }
        }
        (before, after) if before == after => {}
        (before, after) => {
            found.push(Difference { path, before: Some(before.clone()), after: Some(after.clone()) });
        }
    }
}

fn at(path: &str, name: &str) -> String {
    format!("{path}/{}", name.replace('~', "~0").replace('/', "~1"))
}

fn is_of_scalars(values: &[Value]) -> bool {
    !values.iter().any(|value| value.is_object() || value.is_array())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_kind_of_difference_has_its_place() {
        let before = json!({"required": ["a", "b"], "same": {"x": [1, {"y": 2}]}, "gone": 1, "a/b": {"n": 1}});
        let after = json!({"required": ["b", "c"], "same": {"x": [1, {"y": 3}]}, "a/b": {"n": "1"}, "new": null});
        let shown: Vec<String> =
            differences(&before, &after).iter().map(|difference| difference.text(Colours::Disabled)).collect();
        assert_eq!(
            shown,
            [
                "- /required: \"a\"",
                "+ /required: \"c\"",
                "~ /same/x/1/y: 2 -> 3",
                "- /gone: 1",
                "~ /a~1b/n: 1 -> \"1\"",
                "+ /new: null"
            ]
        );
    }

    #[test]
    fn the_order_of_names_is_no_difference() {
        let (before, after) = (json!({"a": 1, "b": ["x", "y"]}), json!({"b": ["y", "x"], "a": 1}));
        assert_eq!(differences(&before, &after), []);
        assert_eq!(ordered_differences(&before, &after).len(), 2);
    }
}
