//! Asking each remote node of a network once for its fields, for the check of a configuration.

use cantata_catalogue::{NetworkConfig, flat_name};
use futures_util::future::join_all;

use crate::discovery;
use crate::node::Node;

/// What a remote node answered.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeProbe {
    /// The position among the remote nodes.
    pub position: usize,
    /// The name that people read.
    pub name: String,
    /// Why it gave no answer; `None` if it did.
    pub error: Option<String>,
    /// The fields in `fields` that it does not have, by their paths in the network.
    pub unknown_fields: Vec<String>,
}

/// Asks the remote nodes for their fields, all at once.
pub async fn probe_nodes(config: &NetworkConfig) -> Vec<NodeProbe> {
    let nodes = Node::all(config);
    let remotes = nodes.iter().filter(|node| node.remote.is_some()).enumerate();
    join_all(remotes.map(|(position, node)| probe(position, node))).await
}

async fn probe(position: usize, node: &Node) -> NodeProbe {
    let name = node.config.name.clone();
    match discovery::read_fields(node).await {
        Err(error) => NodeProbe { position, name, error: Some(error.to_string()), unknown_fields: Vec::new() },
        Ok(schema) => {
            let is_known = |path: &str| {
                let flat = flat_name(path);
                schema.fields.iter().any(|field| field.network == flat)
            };
            let unknown = node.config.names.fields.keys().filter(|path| !is_known(path));
            NodeProbe { position, name, error: None, unknown_fields: unknown.cloned().collect() }
        }
    }
}
