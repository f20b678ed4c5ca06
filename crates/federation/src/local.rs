//! The nodes of a network that are catalogues of this server.

use async_trait::async_trait;
use cantata_catalogue::NetworkField;
use cantata_graphql::GraphqlRequest;

/// A catalogue of this server, as the client sees it.
#[derive(Debug, Clone)]
pub struct LocalCatalogue {
    /// The name of its root field.
    pub document_type: String,
    /// The fields that it can aggregate.
    pub fields: Vec<NetworkField>,
    /// The suppression threshold of the client's view.
    pub suppression_threshold: Option<u64>,
}

/// The catalogues of this server that are nodes, as the client sees them. Nodes are numbered as in the configuration.
#[async_trait]
pub trait LocalCatalogues: Send + Sync {
    /// Returns the catalogue of a node; `None` if it cannot be served.
    fn catalogue(&self, node: usize) -> Option<LocalCatalogue>;

    /// Runs a request on the catalogue of a node and returns the body of the response.
    async fn query(&self, node: usize, request: GraphqlRequest) -> Vec<u8>;
}
