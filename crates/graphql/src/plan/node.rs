//! The selection of each level of a record, compiled to paths in the document.

use cantata_catalogue::{FieldLevel, FlatField, NodeField, NodeShape};

use super::{PlanError, arguments, compile_members};
use crate::output::{
    ConnectionMember, ConnectionOutput, EdgeMember, NestedMember, NodeMember, NodeOutput, OutputMember, ValueOrigin,
    ValuesOutput, null,
};
use crate::request::SelectedField;

/// The `score` of every record: filters do not rank.
const SCORE: &[u8] = b"1";

/// Compiles a page of records or of nested elements.
pub(super) fn connection(
    selected: &[SelectedField],
    level: &FieldLevel,
    window: (usize, usize),
) -> Result<ConnectionOutput, PlanError> {
    let members = compile_members(selected, ConnectionMember::Ready, |field| {
        Ok(match field.name.as_str() {
            "total" => ConnectionMember::Total,
            _ => ConnectionMember::Edges { members: edge(&field.children, level)?, window },
        })
    })?;
    Ok(ConnectionOutput { members })
}

fn edge(selected: &[SelectedField], level: &FieldLevel) -> Result<Vec<OutputMember<EdgeMember>>, PlanError> {
    compile_members(selected, EdgeMember::Ready, |field| {
        Ok(match field.name.as_str() {
            "searchAfter" if level.path.is_empty() => EdgeMember::SearchAfter,
            "searchAfter" => EdgeMember::Ready(null()),
            _ => EdgeMember::Node(node(&field.children, level, true)?),
        })
    })
}

/// Compiles one level; the record and nested elements have an id and a score.
fn node(selected: &[SelectedField], level: &FieldLevel, is_element: bool) -> Result<NodeOutput, PlanError> {
    let mut output = NodeOutput::default();
    let members = compile_members(selected, NodeMember::Ready, |field| {
        let value = match field.name.as_str() {
            "id" if is_element => NodeMember::Id,
            "score" if is_element => NodeMember::Ready(SCORE.into()),
            name => match (level.node(name), level.flat_field(name)) {
                (Some(shown), _) => value(&mut output, field, level, shown)?,
                (None, Some(flat)) => flat_value(&mut output, level, flat),
                (None, None) => NodeMember::Ready(null()),
            },
        };
        output.needs_id |= match &value {
            NodeMember::Id => true,
            NodeMember::Object { node, .. } => node.needs_id,
            NodeMember::Nested { needs_id, .. } => *needs_id,
            NodeMember::Ready(_) | NodeMember::Values(_) => false,
        };
        Ok(value)
    })?;
    Ok(NodeOutput { members, ..output })
}

fn value(
    output: &mut NodeOutput,
    field: &SelectedField,
    level: &FieldLevel,
    shown: &NodeField,
) -> Result<NodeMember, PlanError> {
    let name = relative(&shown.path, &level.path);
    Ok(match &shown.shape {
        NodeShape::Scalar { scalar, list } => values(output, level, shown, Some(*scalar), *list),
        NodeShape::Json => values(output, level, shown, None, false),
        NodeShape::Object(inner) => NodeMember::Object {
            slot: output.table.add(name),
            path: shown.path.as_str().into(),
            node: node(&field.children, inner, false)?,
        },
        NodeShape::Nested(inner) => {
            let slot = output.table.add(name);
            let members = compile_members(&field.children, NestedMember::Ready, |child| {
                Ok(match child.name.as_str() {
                    "hits" => {
                        let offset = arguments::count(child, "offset")?.unwrap_or_default();
                        let first = arguments::count(child, "first")?.unwrap_or(usize::MAX);
                        NestedMember::Hits(connection(&child.children, inner, (offset, first))?)
                    }
                    _ => NestedMember::Ready(null()),
                })
            })?;
            let needs_id = members.iter().any(|member| match &member.value {
                NestedMember::Hits(connection) => connection.needs_ids(),
                NestedMember::Ready(_) => false,
            });
            NodeMember::Nested { slot, name: name.to_owned(), members, needs_id }
        }
    })
}

/// Compiles a scalar or JSON value. An alias has the values of its target, and a field with `copy_to` sources theirs.
fn values(
    output: &mut NodeOutput,
    level: &FieldLevel,
    shown: &NodeField,
    scalar: Option<cantata_catalogue::GraphqlScalar>,
    list: bool,
) -> NodeMember {
    let is_plain = shown.alias_of.is_none() && shown.copied_from.is_empty();
    let direct = is_plain.then(|| output.table.add(relative(&shown.path, &level.path)));
    let origins = if is_plain { Vec::new() } else { origins(output, level, shown) };
    NodeMember::Values(ValuesOutput { path: shown.path.as_str().into(), origins, scalar, list, direct })
}

fn flat_value(output: &mut NodeOutput, level: &FieldLevel, flat: &FlatField) -> NodeMember {
    let origins = match level.along(flat).last() {
        Some(shown) => origins(output, level, shown),
        None => Vec::new(),
    };
    NodeMember::Values(ValuesOutput {
        path: flat.path.as_str().into(),
        origins,
        scalar: flat.scalar,
        list: flat.list,
        direct: None,
    })
}

fn origins(output: &mut NodeOutput, level: &FieldLevel, shown: &NodeField) -> Vec<ValueOrigin> {
    let own = shown.alias_of.as_ref().unwrap_or(&shown.path);
    let paths = std::iter::once(own).chain(&shown.copied_from);
    paths.map(|path| origin(output, level, path)).collect()
}

fn origin(output: &mut NodeOutput, level: &FieldLevel, path: &str) -> ValueOrigin {
    let relative = match level.path.as_str() {
        "" => Some(path),
        container => path.strip_prefix(container).and_then(|rest| rest.strip_prefix('.')),
    };
    match relative {
        Some(relative) => {
            let mut segments = relative.split('.');
            let slot = output.table.add(segments.next().unwrap_or_default());
            ValueOrigin::Slot { slot, rest: segments.map(str::to_owned).collect() }
        }
        None => ValueOrigin::Record(path.split('.').map(str::to_owned).collect()),
    }
}

fn relative<'p>(path: &'p str, container: &str) -> &'p str {
    path.strip_prefix(container).map_or(path, |rest| rest.strip_prefix('.').unwrap_or(rest))
}
