//! The network of a catalogue: the nodes that answer a request together with it.
//!
//! Nothing here connects to anything; `crates/federation` asks the nodes.

use std::collections::BTreeMap;
use std::time::Duration;

use cantata_core::Secret;

use crate::field_tree::AggregationKind;

/// What stands for a filter in the address of a portal.
pub const FILTERS_PLACEHOLDER: &str = "{filters}";

/// The network of a catalogue.
#[derive(Debug, Clone, PartialEq)]
pub struct NetworkConfig {
    /// The nodes, in the order of the file.
    pub nodes: Vec<NodeConfig>,
    /// How long an answer of the whole network may take.
    pub deadline: Duration,
    /// The limit of the answer of one node.
    pub max_answer_bytes: usize,
    /// The limit of all answers that are being read.
    pub memory_bytes: usize,
}

/// One node.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeConfig {
    /// The name that people read.
    pub name: String,
    /// The id in `nodesFilter`.
    pub id: Option<String>,
    /// What is asked.
    pub target: NodeTarget,
    /// How the node names fields and values.
    pub names: NodeNames,
    /// The smallest count of this node that is shown, whatever the node itself does.
    pub suppressed_below: Option<u64>,
    /// The page of its portal; [`FILTERS_PLACEHOLDER`] in it stands for a filter.
    pub portal_url: Option<String>,
}

/// What a node is.
#[derive(Debug, Clone, PartialEq)]
pub enum NodeTarget {
    /// The catalogue that has the network.
    OwnRecords,
    /// Another catalogue of this server, by id or document type.
    Catalogue(String),
    /// A catalogue of another server.
    Remote(Box<RemoteNode>),
}

/// A catalogue of another server.
#[derive(Debug, Clone, PartialEq)]
pub struct RemoteNode {
    /// How its fields are found out.
    pub product: NodeProduct,
    /// The address of its GraphQL.
    pub graphql_url: String,
    /// The name of its root field.
    pub document_type: String,
    /// The headers of a request that are passed on, in lower case.
    pub headers: Vec<String>,
    /// The token that this server sends.
    pub token: Option<Secret>,
    /// How long one call may take.
    pub timeout: Duration,
    /// Whether its name may resolve to an address of a private network.
    pub allows_private_addresses: bool,
}

/// The product that a node runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeProduct {
    /// Arranger, or anything with its GraphQL: the fields are read by GraphQL introspection.
    Arranger,
    /// Cantata: the fields are read from its introspection routes, which are always on.
    Cantata,
}

/// How a node names fields and values, where it differs from the network.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NodeNames {
    /// The dotted path at the node, by the dotted path in the network.
    pub fields: BTreeMap<String, String>,
    /// The value at the node, by the dotted path and the value in the network.
    pub values: BTreeMap<String, BTreeMap<String, String>>,
}

/// A field that some node of a network can aggregate.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct NetworkField {
    /// The flat name, such as `donors__gender`.
    pub name: String,
    /// Which aggregations it offers.
    pub kind: AggregationKind,
}
