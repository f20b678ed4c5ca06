//! The selection of each level of a record, compiled to paths in the document.

use std::sync::Arc;

use cantata_catalogue::{Catalogue, FieldLevel, FlatField, NodeField, NodeShape};
use cantata_engine::{ElementSelection, Filter};
use cantata_mapping::Field;

use super::filters::FilterCompiler;
use super::{PlanError, arguments, compile_members, sort};
use crate::output::{
    ConnectionMember, ConnectionOutput, EdgeMember, NodeMember, NodeOutput, OutputMember, ValueOrigin, ValuesOutput,
};
use crate::request::SelectedField;

/// What the selection of nested elements depends on.
#[derive(Clone, Copy)]
pub(super) struct NodeContext<'c> {
    pub(super) catalogue: &'c Catalogue,
    pub(super) filters: &'c FilterCompiler<'c>,
}

impl NodeContext<'_> {
    /// Compiles the filter and the order of the elements of a nested container; `None` if all are shown as they come.
    fn selection(self, field: &SelectedField, container: &str) -> Result<Option<ElementSelection>, PlanError> {
        let filter = match &field.filter {
            Some(argument) => self.filters.compile_within(argument, container)?,
            None => Filter::All,
        };
        let sort = sort::parse(field, self.catalogue)?;
        let mapping = &self.catalogue.mapping;
        for (index, key) in sort.iter().enumerate() {
            let path = key.field.as_deref().unwrap_or_default();
            let found = mapping.field(path).or_else(|| mapping.flattened_key(path).map(|(field, _)| field));
            let row_path = found.map_or("", Field::row_path);
            let is_inside =
                row_path.strip_prefix(container).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
            if !is_inside {
                return Err(
                    format!("sort[{index}].fieldName: expected a field of the elements of {container:?}").into()
                );
            }
        }
        let is_selective = filter != Filter::All || !sort.is_empty();
        Ok(is_selective.then(|| ElementSelection::new(container.to_owned(), filter, sort)))
    }
}

/// Compiles a page of records or of nested elements.
pub(super) fn connection(
    context: NodeContext<'_>,
    selected: &[SelectedField],
    level: &FieldLevel,
    window: (usize, usize),
    selection: Option<ElementSelection>,
) -> Result<ConnectionOutput, PlanError> {
    let members = compile_members(selected, |field| {
        Ok(Some(match field.name.as_str() {
            "total" => ConnectionMember::Total,
            _ => ConnectionMember::Edges { members: edge(context, &field.children, level)?, window },
        }))
    })?;
    let selection = selection.map(|selection| (selection, Arc::clone(&context.catalogue.mapping)));
    Ok(ConnectionOutput { members, selection })
}

fn edge(
    context: NodeContext<'_>,
    selected: &[SelectedField],
    level: &FieldLevel,
) -> Result<Vec<OutputMember<EdgeMember>>, PlanError> {
    compile_members(selected, |field| {
        Ok(match field.name.as_str() {
            "searchAfter" => level.path.is_empty().then_some(EdgeMember::SearchAfter),
            _ => Some(EdgeMember::Node(node_output(context, &field.children, level, true)?)),
        })
    })
}

/// Compiles one level; the record and nested elements have an id and a score.
fn node_output(
    context: NodeContext<'_>,
    selected: &[SelectedField],
    level: &FieldLevel,
    is_element: bool,
) -> Result<NodeOutput, PlanError> {
    let mut output = NodeOutput::default();
    let members = compile_members(selected, |field| {
        let value = match field.name.as_str() {
            "id" if is_element => NodeMember::Id,
            "score" if is_element => NodeMember::Score,
            name => match (level.node(name), level.flat_field(name)) {
                (Some(node), _) => value(context, &mut output, field, level, node)?,
                (None, Some(flat)) => flat_value(&mut output, level, flat),
                (None, None) => return Ok(None),
            },
        };
        output.needs_id |= match &value {
            NodeMember::Id => true,
            NodeMember::Object { node, .. } => node.needs_id,
            NodeMember::Nested { needs_id, .. } => *needs_id,
            NodeMember::Score | NodeMember::Values(_) => false,
        };
        Ok(Some(value))
    })?;
    Ok(NodeOutput { members, ..output })
}

fn value(
    context: NodeContext<'_>,
    output: &mut NodeOutput,
    field: &SelectedField,
    level: &FieldLevel,
    node: &NodeField,
) -> Result<NodeMember, PlanError> {
    let name = relative(&node.path, &level.path);
    Ok(match &node.shape {
        NodeShape::Scalar { scalar, list } => values(output, level, node, Some(*scalar), *list),
        NodeShape::Json => values(output, level, node, None, false),
        NodeShape::Object(inner) => NodeMember::Object {
            slot: output.table.add(name),
            path: node.path.as_str().into(),
            node: node_output(context, &field.children, inner, false)?,
        },
        NodeShape::Nested(inner) => {
            let slot = output.table.add(name);
            let members = compile_members(&field.children, |child| {
                if child.name != "hits" {
                    return Ok(None);
                }
                let offset = arguments::count(child, "offset")?.unwrap_or_default();
                let first = arguments::count(child, "first")?.unwrap_or(usize::MAX);
                let selection = context.selection(child, &inner.path)?;
                connection(context, &child.children, inner, (offset, first), selection).map(Some)
            })?;
            let connections = members.iter().filter_map(OutputMember::computed);
            let needs_id = connections.flat_map(ConnectionOutput::nodes).any(|node| node.needs_id);
            NodeMember::Nested { slot, name: name.to_owned(), members, needs_id }
        }
    })
}

/// Compiles a scalar or JSON value. An alias has the values of its target, and a field with `copy_to` sources theirs.
fn values(
    output: &mut NodeOutput,
    level: &FieldLevel,
    node: &NodeField,
    scalar: Option<cantata_catalogue::GraphqlScalar>,
    list: bool,
) -> NodeMember {
    let is_plain = node.alias_of.is_none() && node.copied_from.is_empty();
    let direct = is_plain.then(|| output.table.add(relative(&node.path, &level.path)));
    let origins = if is_plain { Vec::new() } else { origins(output, level, node) };
    let ignores_malformed = node.ignores_malformed;
    NodeMember::Values(ValuesOutput {
        path: node.path.as_str().into(),
        origins,
        scalar,
        list,
        ignores_malformed,
        direct,
    })
}

fn flat_value(output: &mut NodeOutput, level: &FieldLevel, flat: &FlatField) -> NodeMember {
    let node = level.along(flat).last().copied();
    let origins = node.map(|node| origins(output, level, node)).unwrap_or_default();
    NodeMember::Values(ValuesOutput {
        path: flat.path.as_str().into(),
        origins,
        scalar: flat.scalar,
        list: flat.list,
        ignores_malformed: node.is_some_and(|node| node.ignores_malformed),
        direct: None,
    })
}

fn origins(output: &mut NodeOutput, level: &FieldLevel, node: &NodeField) -> Vec<ValueOrigin> {
    let own = node.alias_of.as_ref().unwrap_or(&node.path);
    let paths = std::iter::once(own).chain(&node.copied_from);
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
