//! What is shown of a record: the selection of each level, compiled to places in the document.

use cantata_catalogue::{Catalogue, FlatField, Level, NodeField, Shape};

use super::{Planner, Refusal, arguments};
use crate::output::{
    Connection, ConnectionMember, EdgeMember, Member, NestedMember, NodeMember, NodeOutput, Origin, Values, name_bytes,
    null,
};
use crate::request::Selected;

/// What `score` is: filters do not rank.
const SCORE: &[u8] = b"1";

impl Planner<'_> {
    /// Compiles the page of records that a field selects.
    pub(super) fn connection(&self, field: &Selected, catalogue: &Catalogue) -> Result<Connection, Refusal> {
        connection(&field.children, &catalogue.root, (0, usize::MAX))
    }
}

fn connection(selected: &[Selected], level: &Level, window: (usize, usize)) -> Result<Connection, Refusal> {
    let mut members = Vec::with_capacity(selected.len());
    for field in selected {
        let value = match field.name.as_str() {
            "__typename" => ConnectionMember::Ready(name_bytes(&field.on)),
            "total" => ConnectionMember::Total,
            _ => ConnectionMember::Edges { members: edge(&field.children, level)?, window },
        };
        members.push(Member::new(&field.key, value));
    }
    Ok(Connection { members })
}

fn edge(selected: &[Selected], level: &Level) -> Result<Vec<Member<EdgeMember>>, Refusal> {
    let mut members = Vec::with_capacity(selected.len());
    for field in selected {
        let value = match field.name.as_str() {
            "__typename" => EdgeMember::Ready(name_bytes(&field.on)),
            "searchAfter" if level.path.is_empty() => EdgeMember::SearchAfter,
            "searchAfter" => EdgeMember::Ready(null()),
            _ => EdgeMember::Node(node(&field.children, level, true)?),
        };
        members.push(Member::new(&field.key, value));
    }
    Ok(members)
}

/// Compiles one level; the record and nested elements have an id and a score of their own.
fn node(selected: &[Selected], level: &Level, is_element: bool) -> Result<NodeOutput, Refusal> {
    let mut output = NodeOutput::default();
    for field in selected {
        let value = match field.name.as_str() {
            "__typename" => NodeMember::Ready(name_bytes(&field.on)),
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
        output.members.push(Member::new(&field.key, value));
    }
    Ok(output)
}

fn value(output: &mut NodeOutput, field: &Selected, level: &Level, shown: &NodeField) -> Result<NodeMember, Refusal> {
    let name = relative(&shown.path, &level.path);
    Ok(match &shown.shape {
        Shape::Scalar { scalar, list } => values(output, level, shown, Some(*scalar), *list),
        Shape::Json => values(output, level, shown, None, false),
        Shape::Object(inner) => NodeMember::Object {
            slot: output.slots.add(name),
            path: shown.path.as_str().into(),
            node: node(&field.children, inner, false)?,
        },
        Shape::Nested(inner) => {
            let slot = output.slots.add(name);
            let mut members = Vec::with_capacity(field.children.len());
            for child in &field.children {
                let value = match child.name.as_str() {
                    "__typename" => NestedMember::Ready(name_bytes(&child.on)),
                    "hits" => {
                        let offset = arguments::count(child, "offset")?.unwrap_or_default();
                        let first = arguments::count(child, "first")?.unwrap_or(usize::MAX);
                        NestedMember::Hits(connection(&child.children, inner, (offset, first))?)
                    }
                    _ => NestedMember::Ready(null()),
                };
                members.push(Member::new(&child.key, value));
            }
            let needs_id = members.iter().any(|member| match &member.value {
                NestedMember::Hits(connection) => connection.needs_ids(),
                NestedMember::Ready(_) => false,
            });
            NodeMember::Nested { slot, name: name.to_owned(), members, needs_id }
        }
    })
}

/// Compiles a scalar or JSON value. An alias shows the values of its target, and a field that others are copied to
/// shows theirs.
fn values(
    output: &mut NodeOutput,
    level: &Level,
    shown: &NodeField,
    scalar: Option<cantata_catalogue::Scalar>,
    list: bool,
) -> NodeMember {
    let is_plain = shown.alias_of.is_none() && shown.copied_from.is_empty();
    let direct = is_plain.then(|| output.slots.add(relative(&shown.path, &level.path)));
    let origins = if is_plain { Vec::new() } else { origins(output, level, shown) };
    NodeMember::Values(Values { path: shown.path.as_str().into(), origins, scalar, list, direct })
}

fn flat_value(output: &mut NodeOutput, level: &Level, flat: &FlatField) -> NodeMember {
    let origins = match level.along(flat).last() {
        Some(shown) => origins(output, level, shown),
        None => Vec::new(),
    };
    NodeMember::Values(Values {
        path: flat.path.as_str().into(),
        origins,
        scalar: flat.scalar,
        list: flat.list,
        direct: None,
    })
}

fn origins(output: &mut NodeOutput, level: &Level, shown: &NodeField) -> Vec<Origin> {
    let own = shown.alias_of.as_ref().unwrap_or(&shown.path);
    let paths = std::iter::once(own).chain(&shown.copied_from);
    paths.map(|path| origin(output, level, path)).collect()
}

fn origin(output: &mut NodeOutput, level: &Level, path: &str) -> Origin {
    let inside = match level.path.as_str() {
        "" => Some(path),
        container => path.strip_prefix(container).and_then(|rest| rest.strip_prefix('.')),
    };
    match inside {
        Some(inside) => {
            let mut segments = inside.split('.');
            let slot = output.slots.add(segments.next().unwrap_or_default());
            Origin::Slot { slot, rest: segments.map(str::to_owned).collect() }
        }
        None => Origin::Record(path.split('.').map(str::to_owned).collect()),
    }
}

fn relative<'p>(path: &'p str, container: &str) -> &'p str {
    path.strip_prefix(container).map_or(path, |rest| rest.strip_prefix('.').unwrap_or(rest))
}
