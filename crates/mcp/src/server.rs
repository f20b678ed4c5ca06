//! The MCP server as an HTTP service: a request whose body was read in, a response out.

use std::convert::Infallible;
use std::sync::Arc;

use bytes::Bytes;
use cantata_metadata::MetadataService;
use cantata_search::SearchService;
use http::{Extensions, Request, Response};
use http_body_util::Full;
use http_body_util::combinators::BoxBody;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};

use crate::handler::McpHandler;

/// Decides whether the sender of a request may submit to a study.
pub type SubmitPolicy = Arc<dyn Fn(&Extensions, &str) -> Result<(), SubmitDenied> + Send + Sync>;

/// The sender of a request may not submit; the message names the scope that is missing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SubmitDenied(pub String);

/// The services that the tools call; clones share them.
#[derive(Clone)]
pub struct McpServices {
    /// Studies, types and analyses.
    pub metadata: Arc<MetadataService>,
    /// The catalogues; `None` where search is not configured.
    pub search: Option<Arc<SearchService>>,
    /// The authorisation of submissions.
    pub submit_policy: SubmitPolicy,
}

/// The MCP server; clones share its services.
#[derive(Clone)]
pub struct McpServer(StreamableHttpService<McpHandler, NeverSessionManager>);

impl McpServer {
    /// Creates a server. The caller enforces the body limit and checks the `Origin` header beforehand.
    pub fn new(services: McpServices, body_limit: usize) -> Self {
        let config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            .with_max_request_body_bytes(body_limit)
            .disable_allowed_hosts()
            .disable_allowed_origins();
        let make = move || Ok(McpHandler { services: services.clone() });
        Self(StreamableHttpService::new(make, Arc::new(NeverSessionManager::default()), config))
    }

    /// Handles a request whose extensions hold the sender's `Arc<Identity>`.
    pub async fn handle(&self, request: Request<Bytes>) -> Response<BoxBody<Bytes, Infallible>> {
        self.0.handle(request.map(Full::new)).await
    }
}
