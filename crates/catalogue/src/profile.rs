//! What the values of an index say of its fields, in numbers. They decide where no file configures anything.

use std::collections::HashMap;

/// The values of an index.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct IndexProfile {
    /// How many records there are.
    pub records: u64,
    /// The fields whose values were counted, by their paths in the index.
    pub fields: HashMap<String, FieldProfile>,
}

/// The values of one field.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct FieldProfile {
    /// How many records lack it, or have a nested element that does.
    pub missing: u64,
    /// How many different values there are.
    pub distinct: u64,
    /// The least and the greatest value, of numbers and dates.
    pub range: Option<(f64, f64)>,
}

impl IndexProfile {
    /// Returns whether it still says enough of an index with this number of records: about half or twice as many.
    pub fn fits(&self, records: u64) -> bool {
        records / 2 <= self.records && self.records / 2 <= records
    }
}
