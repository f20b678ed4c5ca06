//! A map that is serialised in insertion order.

use serde::{Serialize, Serializer};

/// Names with values, serialised as an object in their order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderedMap<V>(pub Vec<(String, V)>);

impl<V> OrderedMap<V> {
    /// Returns the value of a name.
    pub fn get(&self, name: &str) -> Option<&V> {
        self.0.iter().find(|(candidate, _)| candidate == name).map(|(_, value)| value)
    }
}

impl<V: Serialize> Serialize for OrderedMap<V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}
