//! Type names that are used once.
//!
//! Two properties may ask for the same type name (`sampleType` and `sampletype`), or one may ask for a name that
//! another type has (`node`, for `…Node`). Neither is a reason to fail: the later one gets an underscore.

use std::collections::HashSet;

/// The types that every catalogue has.
const SHARED: [&str; 38] = [
    "Aggregations",
    "AggregationMapping",
    "Boolean",
    "Bucket",
    "ColumnMapping",
    "ColumnSorting",
    "ConfigsWithState",
    "ConfigsWithoutState",
    "Date",
    "DocumentType",
    "DownloadsConfig",
    "EsRefresh",
    "FacetsConfig",
    "FileSize",
    "Float",
    "ID",
    "Int",
    "JSON",
    "MatchBoxMapping",
    "Missing",
    "Mode",
    "Mutation",
    "Network",
    "NetworkNode",
    "Node",
    "NodeAggregations",
    "NumericAggregations",
    "Order",
    "QueryResults",
    "RangesArg",
    "Root",
    "Set",
    "Sort",
    "Stats",
    "String",
    "Subscription",
    "TableConfig",
    "sets",
];

/// What GraphQL adds to the name of the record and of nested containers.
const OF_CONNECTIONS: [&str; 5] = ["", "Aggregations", "Connection", "Edge", "Node"];

/// The names that are taken.
pub(super) struct TypeNames {
    taken: HashSet<String>,
}

impl TypeNames {
    /// Starts with what every catalogue has.
    pub(super) fn new() -> Self {
        let sets = OF_CONNECTIONS.iter().map(|suffix| format!("sets{suffix}"));
        Self { taken: SHARED.iter().map(|name| (*name).to_owned()).chain(sets).collect() }
    }

    /// Takes the names of the record; if one of them is taken, returns it.
    pub(super) fn take_root(&mut self, document_type: &str) -> Result<(), String> {
        let names = OF_CONNECTIONS.iter().map(|suffix| format!("{document_type}{suffix}"));
        for name in names {
            if !self.taken.insert(name.clone()) {
                return Err(name);
            }
        }
        Ok(())
    }

    /// Takes a name for a plain object, the wanted one if it is free.
    pub(super) fn take_object(&mut self, wanted: String) -> String {
        self.take(wanted, &OF_CONNECTIONS[..1])
    }

    /// Takes a name for a nested container, the wanted one if it and those derived from it are free.
    pub(super) fn take_nested(&mut self, wanted: String) -> String {
        self.take(wanted, &OF_CONNECTIONS)
    }

    fn take(&mut self, mut name: String, suffixes: &[&str]) -> String {
        while suffixes.iter().any(|suffix| self.taken.contains(&format!("{name}{suffix}"))) {
            name.push('_');
        }
        self.taken.extend(suffixes.iter().map(|suffix| format!("{name}{suffix}")));
        name
    }
}
