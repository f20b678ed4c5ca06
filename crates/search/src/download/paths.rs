//! From the names that requests use for a field to the places of its values in documents.
//!
//! A column names its field by dotted path, by flat name (`donors__age`), by the names of GraphQL, or by a JSON path
//! through the connections of GraphQL (`$.donors.hits.edges[*].node.age`).

use cantata_catalogue::Catalogue;
use cantata_mapping::{Field, FieldKind};

/// A field that a name leads to.
pub(super) struct Target<'c> {
    /// The dotted path by which it is described.
    pub(super) path: String,
    /// The field that has the values; nothing in an object that the mapping does not list.
    pub(super) field: Option<&'c Field>,
    /// The dotted paths of the values in a document.
    pub(super) origins: Vec<String>,
}

impl Target<'_> {
    /// Returns whether it is something with values, not a container.
    pub(super) fn has_values(&self) -> bool {
        self.field.is_none_or(|field| !field.kind.is_container())
    }

    /// Returns the nested containers around the values, the outermost first.
    pub(super) fn nested(&self) -> &[String] {
        self.field.map(|field| field.nested.as_slice()).unwrap_or_default()
    }
}

/// Returns a path without the steps and brackets that GraphQL and JSON paths put around its names.
pub(super) fn plain_path(path: &str) -> String {
    let path = path.strip_prefix('$').unwrap_or(path).replace("['", ".").replace("[\"", ".");
    let path = path.replace("']", "").replace("\"]", "").replace("[*]", "").replace("[]", "");
    path.replace(".hits.edges.node", "").trim_matches('.').to_owned()
}

/// Returns the field of a name.
pub(super) fn find<'c>(catalogue: &'c Catalogue, name: &str) -> Option<Target<'c>> {
    let mapping = &catalogue.mapping;
    let flat = catalogue.root.aggregation(name).map(|field| field.path.clone());
    let candidates = [Some(name.to_owned()), flat, by_node_names(catalogue, name), Some(name.replace("__", "."))];
    for path in candidates.into_iter().flatten() {
        if let Some(field) = mapping.field(&path) {
            return Some(Target { origins: origins(catalogue, &path, field), path, field: Some(field) });
        }
        if let Some((field, _)) = mapping.flattened_key(&path) {
            return Some(Target { origins: vec![path.clone()], path, field: Some(field) });
        }
    }
    None
}

/// Returns the path of what is called so in GraphQL, level by level.
fn by_node_names(catalogue: &Catalogue, name: &str) -> Option<String> {
    let mut level = Some(&catalogue.root);
    let mut path = None;
    for segment in name.split('.') {
        let node = level?.node(segment)?;
        path = Some(node.path.clone());
        level = node.shape.level();
    }
    path
}

/// Returns where documents have the values: at the field itself or the one it stands for, and where they are copied
/// from.
fn origins(catalogue: &Catalogue, path: &str, field: &Field) -> Vec<String> {
    let own = field.multi_field_of.as_ref().unwrap_or(&field.path);
    let shown = catalogue.root.route_to(path).and_then(|route| route.last().copied());
    let copied = shown.map(|node| node.copied_from.clone()).unwrap_or_default();
    std::iter::once(own.clone()).chain(copied).collect()
}

/// Returns the nested containers whose elements become rows, the outermost first; nothing if there is no such field.
pub(super) fn row_containers(catalogue: &Catalogue, unique_by: &str) -> Option<Vec<String>> {
    let target = find(catalogue, &plain_path(unique_by))?;
    let own = target.field.filter(|field| field.kind == FieldKind::Nested).map(|field| field.path.clone());
    Some(target.nested().iter().cloned().chain(own).collect())
}
