//! The HTTP server of Cantata.
//!
//! [`serve()`] accepts connections, the router matches a route, the layers in `layers.rs` do the cross-cutting work of
//! each request, and the handler extracts, calls a service and responds. Every failure is an error of the one error
//! table, which a layer renders for the API that the route belongs to. Every route is registered together with its spec
//! and its description, so the OpenAPI document cannot lack one.

mod access;
mod admin;
mod admission;
mod app;
mod body_hook;
mod cors;
mod documentation;
mod error_body;
mod es_compat;
mod extract;
mod intercept;
mod layers;
mod limits;
mod mcp;
mod metadata;
mod metrics;
mod openapi;
mod origins;
mod own_keys;
mod portal;
mod request_id;
mod request_span;
mod response;
mod response_buffer;
mod routes;
pub mod search;
mod search_paths;
mod serve;
mod shared_check;
mod sign_in;
mod state;
mod static_file;

pub use access::AccessControl;
pub use app::App;
pub use cors::AllowedOrigins;
pub use error_body::ErrorBody;
pub use limits::{InvalidNetwork, LimitSettings, Networks, TrustedProxies};
pub use metrics::{MetricsAccess, count_lost_log_line};
pub use origins::{HostNames, InvalidHostName, InvalidOrigin, Origins, PublicAddress};
pub use portal::{LogoError, PortalColours, PortalLink, PortalLogo, PortalTexts};
pub use request_id::RequestId;
pub use serve::serve;

use std::sync::Arc;

use cantata_backup::BackupSource;
use cantata_engine::{IndexMaintenance, SearchEngine};
use cantata_indexing::Indexing;
use cantata_metadata::MetadataService;
use cantata_outbox::RelayWatch;
use cantata_search::SearchService;

use crate::metrics::MetricSources;
use crate::search::SearchState;
use crate::state::{IndexingState, SharedState};

/// The settings of the HTTP server.
#[derive(Debug, Clone)]
pub struct HttpSettings {
    /// The largest body, and the largest payload of a batch, in bytes.
    pub body_limit: usize,
    /// The origins whose pages may use the server.
    pub allowed_origins: AllowedOrigins,
    /// The addresses by which the server is asked for.
    pub public_address: PublicAddress,
    /// The path of the liveness check of the search service.
    pub ping_path: String,
    /// The path of the readiness check of the search service.
    pub ready_path: String,
    /// Limits for one client and for all of them together.
    pub limits: LimitSettings,
    /// Names and texts of the portal.
    pub portal: PortalTexts,
    /// Who may read `/metrics`.
    pub metrics: MetricsAccess,
}

impl Default for HttpSettings {
    fn default() -> Self {
        Self {
            body_limit: 50 * 1024 * 1024,
            allowed_origins: AllowedOrigins::All,
            public_address: PublicAddress::default(),
            ping_path: "/ping".to_owned(),
            ready_path: "/ready".to_owned(),
            limits: LimitSettings::default(),
            portal: PortalTexts::default(),
            metrics: MetricsAccess::default(),
        }
    }
}

/// The services behind the HTTP server.
#[derive(Clone)]
pub struct Services {
    /// The metadata service.
    pub metadata: Arc<MetadataService>,
    /// The search service, where catalogues are served.
    pub search: Option<Arc<SearchService>>,
    /// The indexes, where this server administers them.
    pub indexes: Option<Indexes>,
    /// Authentication and authorization.
    pub access: Arc<AccessControl>,
    /// Makes backups, where this server keeps everything in its data folder.
    pub backup: Option<Arc<dyn BackupSource>>,
    /// The progress of the Kafka relay, where events are sent to Kafka.
    pub outbox: Option<RelayWatch>,
    /// Keeps the indexes of catalogues up to date with their sources, where there are catalogues.
    pub indexing: Option<Arc<Indexing>>,
}

/// The indexes of an engine that keeps its own files; clones share them.
#[derive(Clone)]
pub struct Indexes {
    /// Creates, lists and removes them.
    pub engine: Arc<dyn SearchEngine>,
    /// Fills and maintains them.
    pub administration: Arc<dyn IndexMaintenance>,
}

/// Builds the application.
pub fn app(services: Services, settings: HttpSettings) -> App {
    let state = SharedState::new(Arc::clone(&services.metadata), Arc::clone(&services.access), settings);
    let state = Arc::new(state);
    let settings = Arc::clone(&state.settings);
    let sources = MetricSources { metrics: Arc::clone(&state.metrics), services: services.clone() };
    let access = &services.access;
    let mut routes = metadata::routes(access).merge(admin::key_routes(access)).merge(portal::routes(access));
    routes = routes.merge(sign_in::routes(access)).merge(own_keys::routes(access));
    routes = routes.merge(metrics::routes(settings.metrics, sources));
    if let Some(indexes) = services.indexes {
        routes = routes.merge(es_compat::routes(access, indexes.clone())).merge(admin::routes(access, indexes));
    }
    if let Some(backup) = services.backup {
        routes = routes.merge(admin::backup_routes(access, backup));
    }
    if let Some(outbox) = services.outbox {
        routes = routes.merge(admin::outbox_routes(access, outbox));
    }
    let following = services.indexing.clone();
    if let Some(indexing) = services.indexing {
        routes = routes.merge(admin::indexing_routes(access, IndexingState { app: state.clone(), indexing }));
    }
    routes = routes.merge(mcp::routes(access, services.metadata, services.search.clone(), &settings));
    if let Some(search) = services.search {
        let search = SearchState::new(search, &settings, Some(Arc::clone(&state)), following);
        routes = routes.merge(search::routes(access, search.clone(), &settings));
        routes = routes.merge(search::routes_at_the_root(access, search));
    }
    App::new(routes, state)
}
