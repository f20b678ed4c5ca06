//! Resolves a `$ref`, always within the same document, by pointer or by plain name.

use percent_encoding::percent_decode_str;
use serde_json::Value;

use crate::SchemaViolation;
use crate::messages::{escape, truncate};

/// Returns an `$id` that is a plain name and not a URI.
pub(super) fn plain_name(id: &Value) -> Option<&str> {
    id.as_str().filter(|id| {
        id.strip_prefix('#').is_some_and(|name| {
            name.starts_with(|first: char| first.is_ascii_alphabetic())
                && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':' | '.'))
        })
    })
}

/// What a reference refers to.
pub(super) enum ReferenceTarget {
    /// A JSON pointer into the document.
    Pointer(String),
    /// A plain name, which is looked up once all of them are known.
    Name,
}

/// Resolves the reference of the schema at `pointer`, or says why that is not possible.
pub(super) fn resolve(document: &Value, reference: &str, pointer: &str) -> Result<ReferenceTarget, SchemaViolation> {
    let unusable = || {
        let text = format!(
            "[{}] is not a place in this schema; refer to #/definitions/<name> and put the definition there",
            truncate(reference)
        );
        SchemaViolation::at(&format!("{pointer}/$ref"), text)
    };
    let fragment = reference.strip_prefix('#').ok_or_else(unusable)?;
    if fragment.is_empty() {
        return Ok(ReferenceTarget::Pointer(String::new()));
    }
    if !fragment.starts_with('/') {
        return Ok(ReferenceTarget::Name);
    }
    let fragment = percent_decode_str(fragment).decode_utf8().map_err(|_| unusable())?;
    let mut pointer = String::new();
    for token in fragment.split('/').skip(1) {
        let name = token.replace("~1", "/").replace("~0", "~");
        let next = format!("{pointer}/{}", escape(&name));
        if document.pointer(&next).is_none() {
            return Err(SchemaViolation::at(&pointer, format!("key [{}] not found", truncate(&name))));
        }
        pointer = next;
    }
    Ok(ReferenceTarget::Pointer(pointer))
}
