//! Unique type names.
//!
//! Two properties may ask for the same type name (`sampleType` and `sampletype`), or one may ask for a name that
//! another type has (`node`, for `…Node`). Neither is an error: the later one gets an underscore.

use std::collections::HashSet;

/// The types that every catalogue has.
const SHARED_TYPES: [&str; 38] = [
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

/// The suffixes of the type names of the record and of nested containers.
const CONNECTION_SUFFIXES: [&str; 5] = ["", "Aggregations", "Connection", "Edge", "Node"];

/// The type names in use.
pub(super) struct TypeNames {
    taken: HashSet<String>,
}

impl TypeNames {
    /// Starts with the shared types.
    pub(super) fn new() -> Self {
        let sets = CONNECTION_SUFFIXES.iter().map(|suffix| format!("sets{suffix}"));
        Self { taken: SHARED_TYPES.iter().map(|name| (*name).to_owned()).chain(sets).collect() }
    }

    /// Takes the names of the record; returns the first one that is in use already.
    pub(super) fn take_root(&mut self, document_type: &str) -> Option<String> {
        let mut names = CONNECTION_SUFFIXES.iter().map(|suffix| format!("{document_type}{suffix}"));
        names.find(|name| !self.taken.insert(name.clone()))
    }

    /// Takes a name for a plain object, the wanted one if it is free.
    pub(super) fn take_object(&mut self, wanted: String) -> String {
        self.take(wanted, &CONNECTION_SUFFIXES[..1])
    }

    /// Takes a name for a nested container, the wanted one if it and those derived from it are free.
    pub(super) fn take_nested(&mut self, wanted: String) -> String {
        self.take(wanted, &CONNECTION_SUFFIXES)
    }

    fn take(&mut self, mut name: String, suffixes: &[&str]) -> String {
        while suffixes.iter().any(|suffix| self.taken.contains(&format!("{name}{suffix}"))) {
            name.push('_');
        }
        self.taken.extend(suffixes.iter().map(|suffix| format!("{name}{suffix}")));
        name
    }
}
