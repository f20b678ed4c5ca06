//! What aliases and `copy_to` name.
//!
//! An alias may lead to another alias, as long as it ends at a field with values. A `copy_to` may name a field that
//! is not there: documents will bring it. Where an envelope was taken off, the names still carry it; what they name
//! outside of the envelope cannot be reached any more.

use crate::error::quote;
use crate::{FieldKind, MappingError};

use super::Layout;

pub(super) fn resolve(layout: &mut Layout, envelope: &str, errors: &mut Vec<MappingError>) {
    if !envelope.is_empty() {
        take_off(layout, envelope);
    }
    for place in 0..layout.fields.len() {
        match lead(layout, place) {
            Ok(target) => layout.fields[place].leads_to = target,
            Err(error) => errors.push(error),
        }
        errors.extend(wrong_copies(layout, place));
    }
}

/// Takes the envelope off the names.
fn take_off(layout: &mut Layout, envelope: &str) {
    let inside = |path: &str| path.strip_prefix(envelope)?.strip_prefix('.').map(str::to_owned);
    for field in &mut layout.fields {
        field.copy_to = field.copy_to.iter().filter_map(|path| inside(path)).collect();
        if let FieldKind::Alias { target } = &mut field.kind {
            match inside(target) {
                Some(path) => *target = path,
                None => field.kind = FieldKind::Unsupported("alias".to_owned()),
            }
        }
    }
}

/// Returns where the alias at a place leads; nothing for what is no alias.
fn lead(layout: &Layout, place: usize) -> Result<Option<usize>, MappingError> {
    let start = &layout.fields[place];
    let mut current = place;
    let mut steps = 0;
    while let FieldKind::Alias { target } = &layout.fields[current].kind {
        let wrong = |found: String| Err(MappingError::new(&start.path, found, "the path of a field with values"));
        if target.is_empty() {
            // The missing path is reported already.
            return Ok(None);
        }
        steps += 1;
        if steps > layout.fields.len() {
            return wrong(format!("`path`: {}, an alias that leads back to itself", quote(target)));
        }
        match layout.places.get(target) {
            None => return wrong(format!("`path`: {}, which is not a field", quote(target))),
            Some(&next) if layout.fields[next].kind.is_container() => {
                return wrong(format!("`path`: {}, which is a container", quote(target)));
            }
            Some(&next) => current = next,
        }
    }
    Ok((current != place).then_some(current))
}

/// Returns the problems of the `copy_to` of the field at a place.
fn wrong_copies(layout: &Layout, place: usize) -> Vec<MappingError> {
    let field = &layout.fields[place];
    let mut errors = Vec::new();
    for path in &field.copy_to {
        let Some(&target) = layout.places.get(path) else { continue };
        let target = &layout.fields[target];
        let what = match &target.kind {
            _ if target.multi_field_of.is_some() => "a multi-field",
            FieldKind::Alias { .. } => "an alias",
            kind if kind.is_container() => "a container",
            _ => continue,
        };
        let found = format!("`copy_to`: {}, which is {what}", quote(path));
        errors.push(MappingError::new(&field.path, found, "the path of a field with values"));
    }
    errors
}
