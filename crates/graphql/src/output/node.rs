//! Where the values of a record are in its document.
//!
//! A level of the response reads one object of the document. Its members are visited once, in their order, and the
//! selected ones are put into slots; the members of the response then refer to slots.

use std::sync::Arc;

use cantata_catalogue::GraphqlScalar;
use cantata_engine::ElementSelection;
use cantata_mapping::IndexMapping;

use super::{MemberTable, OutputMember};

/// A list of records or of nested elements.
#[derive(Debug, Default)]
pub(crate) struct ConnectionOutput {
    pub(crate) members: Vec<OutputMember<ConnectionMember>>,
    /// Which nested elements, in which order, by the mapping of the record; `None` for all as they come.
    pub(crate) selection: Option<(ElementSelection, Arc<IndexMapping>)>,
}

#[derive(Debug)]
pub(crate) enum ConnectionMember {
    Total,
    Edges {
        members: Vec<OutputMember<EdgeMember>>,
        /// Offset and limit of nested elements.
        window: (usize, usize),
    },
}

#[derive(Debug)]
pub(crate) enum EdgeMember {
    SearchAfter,
    Node(NodeOutput),
}

/// One level of a record.
#[derive(Debug, Default)]
pub(crate) struct NodeOutput {
    /// The members of the object that are read.
    pub(crate) table: MemberTable,
    pub(crate) members: Vec<OutputMember<NodeMember>>,
    /// Whether a member needs the id of the element.
    pub(crate) needs_id: bool,
}

#[derive(Debug)]
pub(crate) enum NodeMember {
    Id,
    Score,
    /// The values at one or several paths.
    Values(ValuesOutput),
    Object {
        slot: usize,
        /// The path of the object, for warnings.
        path: Box<str>,
        node: NodeOutput,
    },
    Nested {
        slot: usize,
        /// The name in the document, for the ids of the elements.
        name: String,
        members: Vec<OutputMember<ConnectionOutput>>,
        needs_id: bool,
    },
}

/// The values of a field.
#[derive(Debug)]
pub(crate) struct ValuesOutput {
    /// The path of the field, for warnings.
    pub(crate) path: Box<str>,
    /// Where they are; most fields have one origin.
    pub(crate) origins: Vec<ValueOrigin>,
    /// Their GraphQL type; `None` for JSON.
    pub(crate) scalar: Option<GraphqlScalar>,
    /// Whether all values are written, or the first one.
    pub(crate) list: bool,
    /// Whether a value of another type is written as null without an error.
    pub(crate) ignores_malformed: bool,
    /// The slot of a plain field, whose values need no walk through lists of objects.
    pub(crate) direct: Option<usize>,
}

/// An origin of values.
#[derive(Debug)]
pub(crate) enum ValueOrigin {
    /// A path in a member of the current object.
    Slot { slot: usize, rest: Vec<String> },
    /// A path in the record.
    Record(Vec<String>),
}

impl NodeOutput {
    /// Returns whether the document of the record is needed.
    pub(crate) fn reads_document(&self) -> bool {
        let mut members = self.members.iter().filter_map(OutputMember::computed);
        self.table.len() > 0 || members.any(|member| !matches!(member, NodeMember::Id | NodeMember::Score))
    }

    /// Returns whether the score of the record is shown, also as that of its elements.
    pub(crate) fn shows_score(&self) -> bool {
        self.members.iter().filter_map(OutputMember::computed).any(|member| match member {
            NodeMember::Score => true,
            NodeMember::Id | NodeMember::Values(_) => false,
            NodeMember::Object { node, .. } => node.shows_score(),
            NodeMember::Nested { members, .. } => {
                let connections = members.iter().filter_map(OutputMember::computed);
                connections.flat_map(ConnectionOutput::nodes).any(Self::shows_score)
            }
        })
    }

    fn selects_elements(&self) -> bool {
        self.members.iter().filter_map(OutputMember::computed).any(|member| match member {
            NodeMember::Object { node, .. } => node.selects_elements(),
            NodeMember::Nested { members, .. } => {
                members.iter().filter_map(OutputMember::computed).any(ConnectionOutput::selects_elements)
            }
            NodeMember::Id | NodeMember::Score | NodeMember::Values(_) => false,
        })
    }
}

impl ConnectionOutput {
    /// Returns whether nested elements are filtered or sorted, here or further within.
    pub(crate) fn selects_elements(&self) -> bool {
        self.selection.is_some() || self.nodes().any(NodeOutput::selects_elements)
    }

    /// Returns what is written of each record or element.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = &NodeOutput> {
        let edges = self.members.iter().filter_map(|member| match member.computed()? {
            ConnectionMember::Edges { members, .. } => Some(members),
            ConnectionMember::Total => None,
        });
        edges.flatten().filter_map(|member| match member.computed()? {
            EdgeMember::Node(node) => Some(node),
            EdgeMember::SearchAfter => None,
        })
    }
}
