//! Where the values of a record are in its document.
//!
//! A level of the response reads one object of the document. Its members are visited once, in their order, and the
//! selected ones are put into slots; the members of the response then refer to slots.

use cantata_catalogue::GraphqlScalar;

use super::{JsonBytes, MemberTable, OutputMember};

/// A list of records or of nested elements.
#[derive(Debug, Default)]
pub(crate) struct ConnectionOutput {
    pub(crate) members: Vec<OutputMember<ConnectionMember>>,
}

#[derive(Debug)]
pub(crate) enum ConnectionMember {
    Ready(JsonBytes),
    Total,
    Edges {
        members: Vec<OutputMember<EdgeMember>>,
        /// Offset and limit of nested elements.
        window: (usize, usize),
    },
}

#[derive(Debug)]
pub(crate) enum EdgeMember {
    Ready(JsonBytes),
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
    Ready(JsonBytes),
    Id,
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
        members: Vec<OutputMember<NestedMember>>,
        needs_id: bool,
    },
}

#[derive(Debug)]
pub(crate) enum NestedMember {
    Ready(JsonBytes),
    Hits(ConnectionOutput),
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
        self.table.len() > 0
            || self.members.iter().any(|member| match &member.value {
                NodeMember::Ready(_) | NodeMember::Id => false,
                NodeMember::Values(_) | NodeMember::Object { .. } | NodeMember::Nested { .. } => true,
            })
    }
}

impl ConnectionOutput {
    /// Returns whether a member needs the ids of elements.
    pub(crate) fn needs_ids(&self) -> bool {
        self.members.iter().any(|member| match &member.value {
            ConnectionMember::Edges { members, .. } => members.iter().any(|member| match &member.value {
                EdgeMember::Node(node) => node.needs_id,
                EdgeMember::Ready(_) | EdgeMember::SearchAfter => false,
            }),
            ConnectionMember::Ready(_) | ConnectionMember::Total => false,
        })
    }
}
