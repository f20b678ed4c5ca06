//! One question to many catalogues: the nodes of a network are asked at once, and their counts are added up.
//!
//! ```text
//! NetworkQuestion ──► NodeQuery for each node ──► NodeAnswer, validated ──► merged answer, with the state of each node
//!                          │
//!                          └── remote: GraphQL over HTTP; local: the same GraphQL in this process
//! ```
//!
//! Invariants:
//!
//! * A node that gave no answer never looks like one without records: it is listed with its error, and the answer is
//!   not `complete`.
//! * The fields of a remote node are found out in the background, again and again; no node is failed for good.
//! * A call is bounded in time and in bytes, and what comes back is validated before it is added to anything.
//! * The answer does not depend on the order in which nodes answer.
//! * Below a suppression threshold every count of every node is rounded before counts are added up. The threshold is
//!   the highest of all nodes, asked or not, so that leaving nodes out reveals nothing.
//! * No address, header or error text of a node is part of an answer.

mod discovery;
mod error;
mod local;
mod merge;
mod names;
mod network;
mod node;
mod node_answer;
mod node_query;
mod probe;
mod remote_call;
mod statistics;

pub use local::{LocalCatalogue, LocalCatalogues};
pub use network::{ForwardedHeader, Network, NodeReport};
pub use probe::{NodeProbe, probe_nodes};
