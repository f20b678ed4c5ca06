//! What a name in a filter refers to: a path, the level its values belong to, and what there is to search.

use cantata_mapping::{Field, FieldKind, RECORD_ID};

use super::FilterTranslator;
use super::domain::ValueDomain;
use crate::Filter;

/// What a name in a filter refers to.
pub(super) struct FilterTarget<'m> {
    /// The path without aliases; for a key of a flattened field with the key.
    pub(super) path: String,
    /// The path of the nested container whose elements have the values; empty at the root.
    pub(super) row_path: &'m str,
    /// What there is to search.
    pub(super) content: TargetContent<'m>,
}

/// What there is to search at a path.
pub(super) enum TargetContent<'m> {
    /// Values.
    Values(ValueDomain<'m>),
    /// Other fields.
    Container(&'m Field),
    /// Nothing: the mapping does not have the field, or nothing of it is indexed.
    Nothing,
}

impl<'a> FilterTranslator<'a> {
    /// Returns what a name refers to.
    pub(super) fn target(&self, name: &str) -> FilterTarget<'a> {
        let mapping = self.mapping;
        let (field, path) = match (mapping.field(name), mapping.flattened_key(name)) {
            (Some(field), _) => (field, field.path.clone()),
            (None, Some((field, key))) => (field, format!("{}.{key}", field.path)),
            (None, None) if [RECORD_ID, "id"].contains(&name) => {
                return FilterTarget {
                    path: RECORD_ID.to_owned(),
                    row_path: "",
                    content: TargetContent::Values(ValueDomain::Text),
                };
            }
            (None, None) => {
                let row_path = mapping.nested_paths().filter(|path| is_below(name, path)).max_by_key(|path| path.len());
                return FilterTarget {
                    path: name.to_owned(),
                    row_path: row_path.unwrap_or_default(),
                    content: TargetContent::Nothing,
                };
            }
        };
        let content = match ValueDomain::of(field) {
            Some(domain) => TargetContent::Values(domain),
            None if field.kind.is_container() && field.enabled => TargetContent::Container(field),
            None => TargetContent::Nothing,
        };
        FilterTarget { path, row_path: field.row_path(), content }
    }

    /// Returns the test for a value at the target, read at its level. A container has a value if a field in it has
    /// one; a nested one, if it has an element.
    pub(super) fn existence(&self, target: &FilterTarget<'_>) -> Filter {
        match target.content {
            TargetContent::Nothing => Filter::None,
            TargetContent::Values(_) if target.path == RECORD_ID => Filter::All,
            TargetContent::Values(_) => Filter::Exists { field: target.path.clone() },
            TargetContent::Container(container) if container.kind == FieldKind::Nested => {
                Filter::All.nested_in(&container.path)
            }
            TargetContent::Container(container) => {
                let inside = self.mapping.fields().filter(|field| {
                    is_below(&field.path, &container.path) && field.row_path() == container.row_path() && field.enabled
                });
                Filter::or(inside.filter_map(|field| match &field.kind {
                    FieldKind::Nested => Some(Filter::All.nested_in(&field.path)),
                    kind if kind.has_values() => Some(Filter::Exists { field: field.path.clone() }),
                    _ => None,
                }))
            }
        }
    }
}

impl FilterTarget<'_> {
    /// Lifts a test at the level of the target to a level at or above it.
    pub(super) fn lift(&self, test: Filter, level: &str) -> Filter {
        lift(test, self.row_path, level)
    }
}

/// Lifts a test from one level to another at or above it.
pub(super) fn lift(test: Filter, from: &str, to: &str) -> Filter {
    if from == to { test } else { test.nested_in(from) }
}

/// Returns whether a path lies below a container; all paths lie below the root, which has the empty one.
pub(super) fn is_below(path: &str, container: &str) -> bool {
    match path.strip_prefix(container) {
        Some(rest) if container.is_empty() => !rest.is_empty(),
        Some(rest) => rest.starts_with('.'),
        None => false,
    }
}
