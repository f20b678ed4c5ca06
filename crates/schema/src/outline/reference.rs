//! Where a `$ref` leads: always to a place in the same document, by pointer or by plain name.

use percent_encoding::percent_decode_str;
use serde_json::Value;

use crate::Violation;
use crate::wording::{cut, escape};

/// Returns an `$id` that names a place rather than giving an address.
pub(super) fn plain_name(id: &Value) -> Option<&str> {
    id.as_str().filter(|id| {
        id.strip_prefix('#').is_some_and(|name| {
            name.starts_with(|first: char| first.is_ascii_alphabetic())
                && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':' | '.'))
        })
    })
}

/// What the text of a reference leads to.
pub(super) enum Target {
    /// A JSON pointer into the document.
    Place(String),
    /// A plain name, which is looked up once all of them are known.
    Name,
}

/// Follows a reference found at `place`, or says why it leads nowhere.
pub(super) fn resolve(document: &Value, reference: &str, place: &str) -> Result<Target, Violation> {
    let unusable = || {
        Violation::at(
            &format!("{place}/$ref"),
            format!(
                "[{}] is not a place in this schema; refer to #/definitions/<name> and put the definition there",
                cut(reference)
            ),
        )
    };
    let fragment = reference.strip_prefix('#').ok_or_else(unusable)?;
    if fragment.is_empty() {
        return Ok(Target::Place(String::new()));
    }
    if !fragment.starts_with('/') {
        return Ok(Target::Name);
    }
    let fragment = percent_decode_str(fragment).decode_utf8().map_err(|_| unusable())?;
    let mut pointer = String::new();
    for token in fragment.split('/').skip(1) {
        let name = token.replace("~1", "/").replace("~0", "~");
        let next = format!("{pointer}/{}", escape(&name));
        if document.pointer(&next).is_none() {
            return Err(Violation::at(&pointer, format!("key [{}] not found", cut(&name))));
        }
        pointer = next;
    }
    Ok(Target::Place(pointer))
}
