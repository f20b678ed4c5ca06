//! Resolving the targets of aliases and `copy_to`.
//!
//! An alias may lead to another alias, as long as it ends at a field with values. A `copy_to` may name a field that is
//! not there: documents will bring it. Where a nesting prefix was removed, the names still have it; targets outside of
//! it cannot be reached any more.

use crate::error::quote;
use crate::{FieldKind, MappingError};

use super::FieldTable;

pub(super) fn resolve(table: &mut FieldTable, prefix: &str, errors: &mut Vec<MappingError>) {
    if !prefix.is_empty() {
        strip_prefix(table, prefix);
    }
    for index in 0..table.fields.len() {
        match resolve_alias(table, index) {
            Ok(target) => table.fields[index].alias_target = target,
            Err(error) => errors.push(error),
        }
        errors.extend(copy_to_errors(table, index));
    }
}

/// Removes the nesting prefix from the names.
fn strip_prefix(table: &mut FieldTable, prefix: &str) {
    let inside = |path: &str| path.strip_prefix(prefix)?.strip_prefix('.').map(str::to_owned);
    for field in &mut table.fields {
        field.copy_to = field.copy_to.iter().filter_map(|path| inside(path)).collect();
        if let FieldKind::Alias { target } = &mut field.kind {
            match inside(target) {
                Some(path) => *target = path,
                None => field.kind = FieldKind::Unsupported("alias".to_owned()),
            }
        }
    }
}

/// Returns the target of the alias at an index; nothing if it is no alias.
fn resolve_alias(table: &FieldTable, index: usize) -> Result<Option<usize>, MappingError> {
    let start = &table.fields[index];
    let mut current = index;
    let mut steps = 0;
    while let FieldKind::Alias { target } = &table.fields[current].kind {
        let wrong = |found: String| Err(MappingError::new(&start.path, found, "the path of a field with values"));
        if target.is_empty() {
            // The missing path is reported already.
            return Ok(None);
        }
        steps += 1;
        if steps > table.fields.len() {
            return wrong(format!("`path`: {}, an alias that leads back to itself", quote(target)));
        }
        match table.index_by_path.get(target) {
            None => return wrong(format!("`path`: {}, which is not a field", quote(target))),
            Some(&next) if table.fields[next].kind.is_container() => {
                return wrong(format!("`path`: {}, which is a container", quote(target)));
            }
            Some(&next) => current = next,
        }
    }
    Ok((current != index).then_some(current))
}

/// Returns the errors of the `copy_to` of the field at an index.
fn copy_to_errors(table: &FieldTable, index: usize) -> Vec<MappingError> {
    let field = &table.fields[index];
    let mut errors = Vec::new();
    for path in &field.copy_to {
        let Some(&target) = table.index_by_path.get(path) else { continue };
        let target = &table.fields[target];
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
