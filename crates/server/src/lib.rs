//! The HTTP face of Cantata.
//!
//! A request takes one straight way: [`App::respond`] notes its address, the router finds its handler, the handler
//! extracts, calls the service and answers. Whatever fails becomes an error of the one error table, and `respond`
//! gives it the one error body. Every route is registered together with its description, so the OpenAPI document
//! cannot lack one.

mod access;
mod admin;
mod answer;
mod app;
mod cors;
mod error_body;
mod es;
mod extract;
mod held_body;
mod limits;
mod mcp;
mod metadata;
mod metrics;
mod openapi;
mod packed_file;
mod portal;
mod request_id;
mod routes;
pub mod search;
mod serve;
mod spool;
mod state;

pub use access::AccessControl;
pub use app::App;
pub use cors::AllowedOrigins;
pub use error_body::ErrorBody;
pub use limits::{LimitSettings, TrustedProxies};
pub use metrics::MetricsAccess;
pub use portal::{PortalLink, PortalTexts};
pub use request_id::RequestId;
pub use serve::serve;

use std::sync::Arc;

use cantata_backup::BackupSource;
use cantata_engine::{IndexMaintenance, SearchEngine};
use cantata_indexing::Indexing;
use cantata_metadata::MetadataService;
use cantata_outbox::RelayWatch;
use cantata_search::SearchService;

use crate::metrics::Sources;
use crate::search::SearchState;
use crate::state::AppState;

/// How the HTTP face behaves where the operator has a choice.
#[derive(Debug, Clone)]
pub struct HttpSettings {
    /// The largest body, and the largest payload of a batch, in bytes.
    pub body_limit: usize,
    /// The origins whose pages may use the server.
    pub allowed_origins: AllowedOrigins,
    /// Where the search service says that it is there.
    pub ping_path: String,
    /// Where the search service says how its catalogues are.
    pub ready_path: String,
    /// How much one client, and all of them together, may ask for.
    pub limits: LimitSettings,
    /// Names and texts of the portal.
    pub portal: PortalTexts,
    /// Who may ask how the server is doing.
    pub metrics: MetricsAccess,
}

impl Default for HttpSettings {
    fn default() -> Self {
        Self {
            body_limit: 50 * 1024 * 1024,
            allowed_origins: AllowedOrigins::All,
            ping_path: "/ping".to_owned(),
            ready_path: "/ready".to_owned(),
            limits: LimitSettings::default(),
            portal: PortalTexts::default(),
            metrics: MetricsAccess::default(),
        }
    }
}

/// What the HTTP face is a face of.
#[derive(Clone)]
pub struct Services {
    /// The metadata service.
    pub metadata: Arc<MetadataService>,
    /// The search service, where catalogues are served.
    pub search: Option<Arc<SearchService>>,
    /// The indexes, where this server looks after them.
    pub indexes: Option<Indexes>,
    /// Who may use them.
    pub access: Arc<AccessControl>,
    /// Makes backups, where this server keeps everything in its data folder.
    pub backup: Option<Arc<dyn BackupSource>>,
    /// Shows how far events came on their way to Kafka, where they are sent there.
    pub outbox: Option<RelayWatch>,
    /// Keeps the indexes of catalogues up to date with their sources, where there are catalogues.
    pub indexing: Option<Arc<Indexing>>,
}

/// The indexes of an engine that keeps its own files; clones share them.
#[derive(Clone)]
pub struct Indexes {
    /// Makes, lists and removes them.
    pub engine: Arc<dyn SearchEngine>,
    /// Fills them and looks after them.
    pub administration: Arc<dyn IndexMaintenance>,
}

/// Puts the application together.
pub fn app(services: Services, settings: HttpSettings) -> App {
    let state = AppState::new(Arc::clone(&services.metadata), Arc::clone(&services.access), settings);
    let settings = Arc::clone(&state.settings);
    let sources = Sources {
        metrics: Arc::clone(&state.metrics),
        access: Arc::clone(&services.access),
        metadata: Arc::clone(&services.metadata),
        search: services.search.clone(),
        indexes: services.indexes.clone(),
        outbox: services.outbox.clone(),
        indexing: services.indexing.clone(),
    };
    let mut described = metadata::routes(&services.access).merge(admin::key_routes(&services.access));
    described = described.merge(metrics::routes(settings.metrics, sources));
    if let Some(indexes) = services.indexes {
        described = described.merge(es::routes(&services.access, indexes.clone()));
        described = described.merge(admin::routes(&services.access, indexes));
    }
    if let Some(backup) = services.backup {
        described = described.merge(admin::backup_routes(&services.access, backup));
    }
    if let Some(outbox) = services.outbox {
        described = described.merge(admin::outbox_routes(&services.access, outbox));
    }
    if let Some(indexing) = services.indexing {
        described = described.merge(admin::indexing_routes(&services.access, state.with_indexing(indexing)));
    }
    let (metadata, search) = (Arc::clone(&services.metadata), services.search.clone());
    described = described.merge(mcp::routes(&services.access, metadata, search, &settings));
    let search = services.search.map(|search| SearchState::new(search, &settings));
    if let Some(search) = &search {
        described = described.merge(search::routes(&services.access, search.clone(), &settings));
    }
    let mut measured = described.measured();
    let (mut routes, document) = openapi::documented(described);
    if let Some(search) = search {
        let at_the_root = search::routes_at_the_root(&services.access, search);
        measured.extend(at_the_root.measured());
        routes = routes.merge(at_the_root.into_router());
    }
    App::new(routes, measured, document, state)
}
