//! The door as an HTTP service: a request that was read in, an answer out.

use std::convert::Infallible;
use std::sync::Arc;

use bytes::Bytes;
use cantata_access::Identity;
use cantata_metadata::MetadataService;
use cantata_search::SearchService;
use http::{Extensions, Request, Response};
use http_body_util::Full;
use http_body_util::combinators::BoxBody;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};

use crate::handler::Handler;

/// Who sends a request, and what they may do.
pub trait Permissions: Send + Sync + 'static {
    /// Returns who sends a request.
    fn identity(&self, request: &Extensions) -> Arc<Identity>;

    /// Fails unless the sender of a request may submit to a study.
    ///
    /// # Errors
    ///
    /// What would be needed, in words for the sender.
    fn may_submit(&self, request: &Extensions, study_id: &str) -> Result<(), String>;
}

/// What is behind the door; clones share it.
#[derive(Clone)]
pub struct Services {
    /// Studies, types and analyses.
    pub metadata: Arc<MetadataService>,
    /// The catalogues, where there are any.
    pub search: Option<Arc<SearchService>>,
    /// Who may do what.
    pub permissions: Arc<dyn Permissions>,
}

/// The door; clones share what is behind it.
#[derive(Clone)]
pub struct Door(StreamableHttpService<Handler, NeverSessionManager>);

impl Door {
    /// Opens the door to these services. Bodies have been held to their limit, and origins been judged, before they
    /// reach it.
    pub fn new(services: Services, body_limit: usize) -> Self {
        let config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            .with_max_request_body_bytes(body_limit)
            .disable_allowed_hosts()
            .disable_allowed_origins();
        let make = move || Ok(Handler::new(services.clone()));
        Self(StreamableHttpService::new(make, Arc::new(NeverSessionManager::default()), config))
    }

    /// Answers a request; its extensions say who sends it.
    pub async fn answer(&self, request: Request<Bytes>) -> Response<BoxBody<Bytes, Infallible>> {
        self.0.handle(request.map(Full::new)).await
    }
}
