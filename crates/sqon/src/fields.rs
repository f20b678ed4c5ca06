//! The fields of a filter: which it tests, and what is left without one of them.

use std::collections::HashSet;

use crate::sqon::{Condition, Leaf, Sqon};
use crate::validate::{FieldLookup, dotted_name};

impl Sqon {
    /// Returns the names of the fields that are tested, each once, in the order of their first appearance.
    pub fn fields_used(&self) -> Vec<&str> {
        let mut seen = HashSet::new();
        let mut names = Vec::new();
        self.for_each_leaf(&mut |leaf| {
            names.extend(leaf.condition.fields().iter().map(String::as_str).filter(|name| seen.insert(*name)));
        });
        names
    }

    /// Returns how many leaves there are.
    pub fn leaf_count(&self) -> usize {
        let mut count = 0;
        self.for_each_leaf(&mut |_| count += 1);
        count
    }

    /// Returns what is left when every test of this field is taken out: leaves on it alone, and its name where a leaf
    /// has several. Groups that become empty go too, so that they do not turn into "all records"; `None` means that
    /// nothing is left.
    pub fn without_field(&self, name: &str) -> Option<Self> {
        match self {
            Self::Leaf(leaf) if leaf.condition.fields().iter().all(|field| field == name) => None,
            Self::Leaf(leaf) => {
                let mut leaf = leaf.clone();
                if let Condition::Wildcard { fields, .. } | Condition::Fuzzy { fields, .. } = &mut leaf.condition {
                    fields.retain(|field| field != name);
                }
                Some(Self::Leaf(leaf))
            }
            Self::Group { content, .. } if content.is_empty() => Some(self.clone()),
            Self::Group { op, content, pivot } => {
                let content: Vec<Self> = content.iter().filter_map(|part| part.without_field(name)).collect();
                (!content.is_empty()).then(|| Self::Group { op: *op, content, pivot: pivot.clone() })
            }
        }
    }

    /// Returns the filter with names such as `donors__gender`, and other names of GraphQL, turned into the dotted names
    /// of their fields.
    #[must_use]
    pub fn resolve_names(mut self, fields: &dyn FieldLookup) -> Self {
        self.rename(fields);
        self
    }

    fn rename(&mut self, fields: &dyn FieldLookup) {
        let pivot = match self {
            Self::Leaf(leaf) => {
                for name in leaf.condition.fields_mut() {
                    if let Some(dotted) = field_name(name, fields) {
                        *name = dotted;
                    }
                }
                &mut leaf.pivot
            }
            Self::Group { content, pivot, .. } => {
                for part in content {
                    part.rename(fields);
                }
                pivot
            }
        };
        if let Some(name) = pivot
            && let Some(dotted) = dotted_name(name, |name| fields.is_nested_path(name))
        {
            *name = dotted;
        }
    }

    /// Visits all leaves, in order.
    pub fn for_each_leaf<'a>(&'a self, visit: &mut impl FnMut(&'a Leaf)) {
        match self {
            Self::Leaf(leaf) => visit(leaf),
            Self::Group { content, .. } => content.iter().for_each(|part| part.for_each_leaf(visit)),
        }
    }
}

/// Returns the dotted name of the field that another name refers to.
fn field_name(name: &str, fields: &dyn FieldLookup) -> Option<String> {
    if let Some(dotted) = dotted_name(name, |name| fields.field(name).is_some()) {
        return Some(dotted);
    }
    if fields.field(name).is_some() {
        return None;
    }
    // Portals write a dot for the underscores of a facet's name before they filter by it.
    let found = fields.by_graphql_name(name).or_else(|| fields.by_graphql_name(&name.replace('.', "__")));
    found.map(str::to_owned)
}
