//! Resolving the names of fields in requests to the paths of their values in documents.
//!
//! A column names its field by dotted path, by flat name (`donors__age`), by GraphQL names, or by a JSON path through
//! GraphQL connections (`$.donors.hits.edges[*].node.age`).

use cantata_catalogue::Catalogue;
use cantata_mapping::{Field, FieldKind};

/// A field that a name resolves to.
pub(super) struct ResolvedField<'c> {
    /// The dotted path that display configuration uses.
    pub(super) path: String,
    /// The field that has the values; `None` for what the mapping does not list.
    pub(super) field: Option<&'c Field>,
    /// The dotted paths of the values in a document.
    pub(super) origins: Vec<String>,
}

impl ResolvedField<'_> {
    /// Returns whether the field has values, that is, is no container.
    pub(super) fn has_values(&self) -> bool {
        self.field.is_none_or(|field| !field.kind.is_container())
    }

    /// Returns the nested containers around the values, the outermost first.
    pub(super) fn nested(&self) -> &[String] {
        self.field.map(|field| field.nested.as_slice()).unwrap_or_default()
    }
}

/// Removes from a path the segments and brackets of GraphQL connections and JSON paths.
pub(super) fn plain_path(path: &str) -> String {
    let path = path.strip_prefix('$').unwrap_or(path).replace("['", ".").replace("[\"", ".");
    let path = path.replace("']", "").replace("\"]", "").replace("[*]", "").replace("[]", "");
    path.replace(".hits.edges.node", "").trim_matches('.').to_owned()
}

pub(super) fn find_field<'c>(catalogue: &'c Catalogue, name: &str) -> Option<ResolvedField<'c>> {
    let mapping = &catalogue.mapping;
    let flat = catalogue.root.aggregation(name).map(|field| field.path.clone());
    let candidates = [Some(name.to_owned()), flat, path_by_node_names(catalogue, name), Some(name.replace("__", "."))];
    for path in candidates.into_iter().flatten() {
        if let Some(field) = mapping.field(&path) {
            return Some(ResolvedField { origins: origins(catalogue, &path, field), path, field: Some(field) });
        }
        if let Some((field, _)) = mapping.flattened_key(&path) {
            return Some(ResolvedField { origins: vec![path.clone()], path, field: Some(field) });
        }
    }
    None
}

/// Returns whether a path leads into something whose content the mapping does not list.
pub(super) fn is_in_unlisted_container(catalogue: &Catalogue, path: &str) -> bool {
    path.match_indices('.').filter_map(|(dot, _)| catalogue.mapping.field(&path[..dot])).any(|field| match field.kind {
        FieldKind::Object | FieldKind::Nested => {
            !field.enabled || catalogue.mapping.children(&field.path).next().is_none()
        }
        FieldKind::Unsupported(_) => true,
        _ => false,
    })
}

/// Resolves GraphQL names level by level.
fn path_by_node_names(catalogue: &Catalogue, name: &str) -> Option<String> {
    let mut level = Some(&catalogue.root);
    let mut path = None;
    for segment in name.split('.') {
        let node = level?.node(segment)?;
        path = Some(node.path.clone());
        level = node.shape.level();
    }
    path
}

/// Returns the paths of the values in documents: of the field or the one it is an alias of, and of fields copied to it.
fn origins(catalogue: &Catalogue, path: &str, field: &Field) -> Vec<String> {
    let own = field.multi_field_of.as_ref().unwrap_or(&field.path);
    let node = catalogue.root.route_to(path).and_then(|route| route.last().copied());
    let copied = node.map(|node| node.copied_from.clone()).unwrap_or_default();
    std::iter::once(own.clone()).chain(copied).collect()
}

/// Returns the nested containers whose elements become rows, the outermost first; `None` if the field is unknown.
pub(super) fn row_containers(catalogue: &Catalogue, unique_by: &str) -> Option<Vec<String>> {
    let target = find_field(catalogue, &plain_path(unique_by))?;
    let own = target.field.filter(|field| field.kind == FieldKind::Nested).map(|field| field.path.clone());
    Some(target.nested().iter().cloned().chain(own).collect())
}
