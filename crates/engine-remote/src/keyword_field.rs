//! The keyword field that holds the whole values of a text field.
//!
//! A cluster indexes only the words of a text field. Whole values are filtered, counted and sorted by a keyword that
//! holds the same values: the parent of a text multi-field, or one of its sibling multi-fields.

use cantata_mapping::{Field, FieldKind, IndexMapping};
use serde_json::{Map, Value};

/// Returns the keyword that holds the values of a text field; nothing if there is none.
pub(crate) fn keyword_field<'m>(field: &Field, mapping: &'m IndexMapping) -> Option<&'m Field> {
    let owner = mapping.entry(field.multi_field_of.as_ref().unwrap_or(&field.path))?;
    let beside = owner.multi_fields.iter().filter_map(|path| mapping.entry(path));
    let keywords = std::iter::once(owner).chain(beside).filter(|other| {
        other.kind == FieldKind::Keyword
            && other.indexed
            && other.doc_values
            && other.null_value.is_none()
            && definition(mapping.raw(), &other.path).is_some_and(|definition| !definition.contains_key("normalizer"))
    });
    // Of several, the one with the greatest `ignore_above`.
    keywords.max_by_key(|keyword| keyword.ignore_above.unwrap_or(u64::MAX))
}

/// Returns the definition of a path, multi-fields included.
fn definition<'m>(properties: &'m Map<String, Value>, path: &str) -> Option<&'m Map<String, Value>> {
    properties.iter().find_map(|(name, definition)| {
        let definition = definition.as_object()?;
        let rest = path.strip_prefix(name.as_str())?;
        if rest.is_empty() {
            return Some(definition);
        }
        let rest = rest.strip_prefix('.')?;
        let inner = ["properties", "fields"].into_iter().filter_map(|key| definition.get(key)?.as_object());
        inner.into_iter().find_map(|inner| self::definition(inner, rest))
    })
}
