//! An object whose members keep their order.

use serde::{Serialize, Serializer};

/// Names with values, written as an object in the order in which they were given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ordered<V>(pub Vec<(String, V)>);

impl<V> Ordered<V> {
    /// Returns the value of a name.
    pub fn get(&self, name: &str) -> Option<&V> {
        self.0.iter().find(|(candidate, _)| candidate == name).map(|(_, value)| value)
    }
}

impl<V: Serialize> Serialize for Ordered<V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}
