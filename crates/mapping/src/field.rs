//! One field of a mapping.

use crate::{FieldKind, TypedValue};

/// The name of the id of a record; never a field of a mapping.
pub const RECORD_ID: &str = "_id";

/// What happens to a field of a document that the mapping lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DynamicMapping {
    /// A field is made for it.
    Add,
    /// It is kept in the document, but cannot be searched.
    Ignore,
    /// The document is rejected.
    Strict,
}

/// A field: a container, something with values, or a multi-field, which is another way to search the values of the
/// field that it belongs to.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Field {
    /// The dotted path.
    pub path: String,
    /// The last segment of the path.
    pub name: String,
    /// The type as the mapping writes it; `object` for a container without one.
    pub type_name: String,
    /// What the field holds.
    pub kind: FieldKind,
    /// The paths of the nested containers around the field, the outermost first; never the field itself.
    pub nested: Vec<String>,
    /// The field whose values this multi-field takes; nothing for any other field.
    pub multi_field_of: Option<String>,
    /// The paths of the multi-fields, in mapping order.
    pub multi_fields: Vec<String>,
    /// The paths of the fields that take the values of this one too.
    pub copy_to: Vec<String>,
    /// The length in UTF-16 units above which a string is not indexed.
    pub ignore_above: Option<u64>,
    /// The value that is indexed for an explicit null.
    pub null_value: Option<TypedValue>,
    /// Whether a value that the field cannot take is passed over instead of being an error.
    pub ignore_malformed: bool,
    /// What happens to unknown names in this container, where it says so itself.
    pub dynamic: Option<DynamicMapping>,
    /// False where the container, or one around it, says `"enabled": false`: nothing of it is indexed.
    pub enabled: bool,
    /// False where the mapping says `"index": false`.
    pub indexed: bool,
    /// False where the mapping says `"doc_values": false`.
    pub doc_values: bool,
    /// The target of an alias, as an index into the list of fields.
    pub(crate) alias_target: Option<usize>,
}

impl Field {
    /// Returns a field that has nothing but a path and a kind.
    pub(crate) fn bare(path: &str, type_name: &str, kind: FieldKind) -> Self {
        Self {
            path: path.to_owned(),
            name: last_segment(path).to_owned(),
            type_name: type_name.to_owned(),
            kind,
            nested: Vec::new(),
            multi_field_of: None,
            multi_fields: Vec::new(),
            copy_to: Vec::new(),
            ignore_above: None,
            null_value: None,
            ignore_malformed: false,
            dynamic: None,
            enabled: true,
            indexed: true,
            doc_values: true,
            alias_target: None,
        }
    }

    /// Returns the path of the container of the field, or of the field that a multi-field belongs to; empty at the
    /// root.
    pub fn parent_path(&self) -> &str {
        parent_of(&self.path)
    }

    /// Returns the path of the innermost nested container around the field; empty if its values belong to the root
    /// document.
    pub fn row_path(&self) -> &str {
        self.nested.last().map_or("", String::as_str)
    }
}

/// Returns what stands before the last dot of a path; empty if there is none.
pub(crate) fn parent_of(path: &str) -> &str {
    path.rsplit_once('.').map_or("", |(parent, _)| parent)
}

fn last_segment(path: &str) -> &str {
    path.rsplit_once('.').map_or(path, |(_, last)| last)
}

/// Returns the path of a name below a container; the root has the empty path.
pub fn join_path(container: &str, name: &str) -> String {
    if container.is_empty() { name.to_owned() } else { format!("{container}.{name}") }
}
