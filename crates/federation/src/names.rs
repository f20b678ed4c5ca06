//! How a node names fields and values: from the network to the node in filters, and back in buckets.

use std::collections::{BTreeMap, HashMap};

use cantata_catalogue::{NodeNames, flat_name};
use cantata_sqon::{Condition, Scalar, Sqon, ValueTest, ValuesOp};

/// The names of a node, both ways.
#[derive(Debug, Default)]
pub(crate) struct NameTranslation {
    names: NodeNames,
    /// The flat name at the node, by the flat name in the network.
    to_node: HashMap<String, String>,
    /// The flat name in the network, by the flat name at the node.
    to_network: HashMap<String, String>,
    /// The value in the network, by the flat name in the network and the value at the node.
    values_back: HashMap<String, HashMap<String, String>>,
}

impl NameTranslation {
    pub(crate) fn new(names: &NodeNames) -> Self {
        let flat = |(network, node): (&String, &String)| (flat_name(network), flat_name(node));
        let to_node: HashMap<String, String> = names.fields.iter().map(flat).collect();
        let to_network = to_node.iter().map(|(network, node)| (node.clone(), network.clone())).collect();
        let back = |values: &BTreeMap<String, String>| -> HashMap<String, String> {
            values.iter().map(|(network, node)| (node.clone(), network.clone())).collect()
        };
        let values_back = names.values.iter().map(|(field, values)| (flat_name(field), back(values))).collect();
        Self { names: names.clone(), to_node, to_network, values_back }
    }

    /// Returns the flat name in the network of a field of the node; `None` if another field has taken it.
    pub(crate) fn field_in_network(&self, node: &str) -> Option<String> {
        match self.to_network.get(node) {
            Some(network) => Some(network.clone()),
            None if self.to_node.contains_key(node) => None,
            None => Some(node.to_owned()),
        }
    }

    /// Returns whether a name of the network that has no other one at the node is that of another field there.
    pub(crate) fn is_taken(&self, network: &str) -> bool {
        !self.to_node.contains_key(network) && self.to_network.contains_key(network)
    }

    /// Returns whether a field of the network has values that the node names differently.
    pub(crate) fn renames_values(&self, field: &str) -> bool {
        self.values_back.contains_key(field)
    }

    /// Returns the value in the network of a value of the node.
    pub(crate) fn value_in_network(&self, field: &str, value: String) -> String {
        let known = self.values_back.get(field).and_then(|values| values.get(&value));
        known.cloned().unwrap_or(value)
    }

    /// Translates a filter for the node.
    pub(crate) fn filter_for_node(&self, mut sqon: Sqon) -> Sqon {
        self.translate(&mut sqon);
        sqon
    }

    fn translate(&self, sqon: &mut Sqon) {
        let pivot = match sqon {
            Sqon::Group { content, pivot, .. } => {
                content.iter_mut().for_each(|part| self.translate(part));
                pivot
            }
            Sqon::Leaf(leaf) => {
                self.condition(&mut leaf.condition);
                &mut leaf.pivot
            }
        };
        if let Some(pivot) = pivot {
            self.rename(pivot);
        }
    }

    fn condition(&self, condition: &mut Condition) {
        match condition {
            Condition::Values { op, field, values } => {
                if let Some(of_field) = self.names.values.get(&dotted(field)) {
                    let mut as_in_network = Vec::new();
                    for value in values.iter_mut() {
                        if let ValueTest::Equals(Scalar::String(text)) = value
                            && let Some(node) = of_field.get(text.as_str())
                        {
                            let network = std::mem::replace(text, node.clone());
                            // The node may have the value of the network, too; both are the same in buckets.
                            if *op != ValuesOp::All && !of_field.values().any(|other| *other == network) {
                                as_in_network.push(ValueTest::Equals(Scalar::String(network)));
                            }
                        }
                    }
                    values.extend(as_in_network);
                }
                self.rename(field);
            }
            Condition::Range { field, .. } | Condition::Between { field, .. } => self.rename(field),
            Condition::Wildcard { fields, .. } | Condition::Fuzzy { fields, .. } => {
                fields.iter_mut().for_each(|field| self.rename(field));
            }
        }
    }

    fn rename(&self, field: &mut String) {
        if let Some(node) = self.names.fields.get(&dotted(field)) {
            field.clone_from(node);
        }
    }
}

fn dotted(name: &str) -> String {
    name.replace("__", ".")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_and_values_go_out_and_come_back() {
        let text = |pairs: &[(&str, &str)]| -> BTreeMap<String, String> {
            pairs.iter().map(|(one, other)| ((*one).to_owned(), (*other).to_owned())).collect()
        };
        let names = NameTranslation::new(&NodeNames {
            fields: text(&[("donors.gender", "donor.sex")]),
            values: [("donors.gender".to_owned(), text(&[("Male", "M")]))].into(),
        });
        let leaf = |op: &str, field: &str, values: &[&str]| json!({"op": op, "content": {"fieldName": field, "value": values}});
        let all = leaf("all", "donors.gender", &["Male"]);
        let filter = [leaf("in", "donors.gender", &["Male"]), all, leaf("in", "study", &["Male"])];
        let filter = json!({"op": "and", "content": filter});
        let sent = names.filter_for_node(Sqon::parse(&filter).unwrap().unwrap()).to_json();
        let all = leaf("all", "donor.sex", &["M"]);
        let expected = [leaf("in", "donor.sex", &["M", "Male"]), all, leaf("in", "study", &["Male"])];
        assert_eq!(sent, json!({"op": "and", "content": expected}));
        assert_eq!(names.field_in_network("donor__sex").as_deref(), Some("donors__gender"));
        // The node's own field of that name would be taken for the other one.
        assert_eq!(names.field_in_network("donors__gender"), None);
        assert_eq!(names.field_in_network("study").as_deref(), Some("study"));
        assert_eq!(names.value_in_network("donors__gender", "M".to_owned()), "Male");
        assert_eq!(names.value_in_network("study", "M".to_owned()), "M");
    }
}
