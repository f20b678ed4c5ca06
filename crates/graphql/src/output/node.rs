//! Where the values of a record lie in its document.
//!
//! A level of the answer reads one object of the document. Its members are looked at once, in their order, and those
//! that are wanted are put into slots; the members of the answer then say which slot they show and how.

use cantata_catalogue::Scalar;

use super::{Member, Ready, Slots};

/// A list of records or of nested elements.
#[derive(Debug, Default)]
pub(crate) struct Connection {
    pub(crate) members: Vec<Member<ConnectionMember>>,
}

#[derive(Debug)]
pub(crate) enum ConnectionMember {
    Ready(Ready),
    Total,
    Edges {
        members: Vec<Member<EdgeMember>>,
        /// How many nested elements are passed over, and how many are shown at most.
        window: (usize, usize),
    },
}

#[derive(Debug)]
pub(crate) enum EdgeMember {
    Ready(Ready),
    SearchAfter,
    Node(NodeOutput),
}

/// One level of a record.
#[derive(Debug, Default)]
pub(crate) struct NodeOutput {
    /// The members of the object that are wanted.
    pub(crate) slots: Slots,
    pub(crate) members: Vec<Member<NodeMember>>,
    /// Whether something in it shows the id of the element.
    pub(crate) needs_id: bool,
}

#[derive(Debug)]
pub(crate) enum NodeMember {
    Ready(Ready),
    Id,
    /// The values at one or several places.
    Values(Values),
    Object {
        slot: usize,
        /// The path of the object, for what is reported of it.
        path: Box<str>,
        node: NodeOutput,
    },
    Nested {
        slot: usize,
        /// The name in the document, for the ids of the elements.
        name: String,
        members: Vec<Member<NestedMember>>,
        needs_id: bool,
    },
}

#[derive(Debug)]
pub(crate) enum NestedMember {
    Ready(Ready),
    Hits(Connection),
}

/// The values of a field.
#[derive(Debug)]
pub(crate) struct Values {
    /// The path of the field, for what is reported of it.
    pub(crate) path: Box<str>,
    /// Where they lie; most fields have one place.
    pub(crate) origins: Vec<Origin>,
    /// What they are shown as; nothing for JSON as it stands.
    pub(crate) scalar: Option<Scalar>,
    /// Whether all values are shown, or the first one.
    pub(crate) list: bool,
    /// Whether the values are those of one member, shown without looking into lists of objects.
    pub(crate) direct: Option<usize>,
}

/// A place of values.
#[derive(Debug)]
pub(crate) enum Origin {
    /// In a member of the object at hand, at a path in it.
    Slot { slot: usize, rest: Vec<String> },
    /// At a path in the record.
    Record(Vec<String>),
}

impl NodeOutput {
    /// Returns whether the document of the record is needed.
    pub(crate) fn reads_document(&self) -> bool {
        self.slots.len() > 0
            || self.members.iter().any(|member| match &member.value {
                NodeMember::Ready(_) | NodeMember::Id => false,
                NodeMember::Values(_) | NodeMember::Object { .. } | NodeMember::Nested { .. } => true,
            })
    }
}

impl Connection {
    /// Returns whether something in it shows the id of an element.
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
