//! Writing a filter as canonical JSON: canonical operators, values as lists, `pivot` only where there is one. What is
//! written reads back as the same filter.

use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

use crate::operators::fuzzy::Fuzziness;
use crate::sqon::{Condition, Leaf, Sqon};
use crate::value::{Scalar, ValueTest};

impl Sqon {
    /// Returns the canonical JSON.
    pub fn to_json(&self) -> Value {
        match self {
            Self::Group { op, content, pivot } => {
                node(op.name(), content.iter().map(Self::to_json).collect(), pivot.as_deref())
            }
            Self::Leaf(leaf) => leaf.to_json(),
        }
    }
}

impl Leaf {
    /// Returns the canonical JSON.
    pub fn to_json(&self) -> Value {
        node(self.condition.operator().name, self.condition.content(), self.pivot.as_deref())
    }
}

impl Condition {
    fn content(&self) -> Value {
        match self {
            Self::Values { field, values, .. } => {
                let values: Vec<Scalar> = values.iter().map(ValueTest::to_scalar).collect();
                json!({ "fieldName": field, "value": values })
            }
            Self::Range { field, bounds, .. } => json!({ "fieldName": field, "value": bounds }),
            Self::Between { field, bounds } => json!({ "fieldName": field, "value": bounds }),
            Self::Wildcard { fields, pattern } => json!({ "fieldNames": fields, "value": pattern }),
            Self::Fuzzy { fields, text, fuzziness: Fuzziness::Auto } => json!({ "fieldNames": fields, "value": text }),
            Self::Fuzzy { fields, text, fuzziness: Fuzziness::Edits(edits) } => {
                json!({ "fieldNames": fields, "value": text, "fuzziness": edits })
            }
        }
    }
}

fn node(op: &str, content: Value, pivot: Option<&str>) -> Value {
    let mut object = Map::new();
    object.insert("op".to_owned(), op.into());
    object.insert("content".to_owned(), content);
    if let Some(pivot) = pivot {
        object.insert("pivot".to_owned(), pivot.into());
    }
    Value::Object(object)
}

impl Serialize for Sqon {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_json().serialize(serializer)
    }
}
