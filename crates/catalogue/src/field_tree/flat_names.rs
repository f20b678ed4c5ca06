//! Unique flat names: what each path below a level is called in GraphQL.
//!
//! Two paths may ask for one name: `tumour-grade` and `tumour_grade`, or `a.b` and `a__b`. That never fails a catalogue. One
//! keeps the name: a field before a multi-field, then a path that needs no change but its dots, then the one in fewer
//! containers, then the first in the order of bytes. The others get `_2`, `_3` and so on, leaving out what another path asks
//! for. The order of the mapping does not matter, so every server of an index has the same names.

use std::collections::{HashMap, HashSet};

use cantata_mapping::{Field, IndexMapping};

use super::{is_at_or_below, relative};
use crate::names;

/// The names of all fields and multi-fields below a level.
pub(crate) struct FlatNames<'m> {
    by_path: HashMap<&'m str, String>,
    taken: HashSet<String>,
    /// The fields that have another name than they ask for.
    pub(super) renamed: Vec<RenamedField<'m>>,
}

/// A field that has another name than it asks for.
pub(super) struct RenamedField<'m> {
    pub(super) path: &'m str,
    pub(super) wanted: String,
    /// The path of the field that has the wanted name.
    pub(super) holder: &'m str,
}

impl<'m> FlatNames<'m> {
    /// Names the paths below a container; below the record, all of them.
    pub(crate) fn below(container: &str, mapping: &'m IndexMapping) -> Self {
        let mut fields: Vec<(&'m Field, String)> = mapping
            .fields()
            .chain(mapping.multi_fields())
            .filter(|field| field.path != container && is_at_or_below(&field.path, container))
            .map(|field| (field, names::flat_name(relative(&field.path, container))))
            .collect();
        fields.sort_by(|(left, _), (right, _)| precedence(left, container).cmp(&precedence(right, container)));
        let mut taken: HashSet<String> = fields.iter().map(|(_, wanted)| wanted.clone()).collect();
        let mut by_path = HashMap::with_capacity(fields.len());
        let mut renamed = Vec::new();
        // For each wanted name the path that has it, and the number that the last of the others got.
        let mut holders: HashMap<String, (&'m str, usize)> = HashMap::with_capacity(fields.len());
        for (field, wanted) in fields {
            let path = field.path.as_str();
            let name = match holders.get_mut(&wanted) {
                None => {
                    holders.insert(wanted.clone(), (path, 1));
                    wanted
                }
                Some((holder, number)) => {
                    let name = loop {
                        *number += 1;
                        let numbered = names::graphql_name(&format!("{wanted}_{number}"));
                        if taken.insert(numbered.clone()) {
                            break numbered;
                        }
                    };
                    renamed.push(RenamedField { path, wanted, holder });
                    name
                }
            };
            by_path.insert(path, name);
        }
        Self { by_path, taken, renamed }
    }

    /// Returns the name of a path below the level; any other path has the name that it asks for.
    pub(crate) fn name_of(&self, path: &str) -> String {
        self.by_path.get(path).cloned().unwrap_or_else(|| names::flat_name(path))
    }

    /// Returns whether a path below the level has or asks for a name.
    pub(super) fn contains(&self, name: &str) -> bool {
        self.taken.contains(name)
    }
}

/// Returns the key by which fields are named; the least comes first.
fn precedence<'f>(field: &'f Field, container: &str) -> (bool, bool, usize, &'f str) {
    let path = relative(&field.path, container);
    let is_unchanged = !path.starts_with("__") && path.split('.').all(names::is_graphql_name);
    (field.multi_field_of.is_some(), !is_unchanged, path.matches('.').count(), path)
}
