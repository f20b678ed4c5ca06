//! The HTTP face of Cantata.
//!
//! A request takes one straight way: [`App::respond`] notes its address, the router finds its handler, the handler
//! extracts, calls the service and answers. Whatever fails becomes an error of the one error table, and `respond`
//! gives it the one error body. Every route is registered together with its description, so the OpenAPI document
//! cannot lack one.

mod answer;
mod app;
mod error_body;
mod extract;
mod metadata;
mod openapi;
mod serve;
mod spool;
mod state;

pub use app::App;
pub use error_body::ErrorBody;
pub use serve::serve;

use std::sync::Arc;

use cantata_metadata::MetadataService;

use crate::state::AppState;

/// How the HTTP face behaves where the operator has a choice.
#[derive(Debug, Clone)]
pub struct HttpSettings {
    /// The largest body, and the largest payload of a batch, in bytes.
    pub body_limit: usize,
}

impl Default for HttpSettings {
    fn default() -> Self {
        Self { body_limit: 50 * 1024 * 1024 }
    }
}

/// Puts the application together.
pub fn app(metadata: Arc<MetadataService>, settings: HttpSettings) -> App {
    let (routes, document) = openapi::documented(metadata::routes());
    App::new(routes, document, AppState::new(metadata, settings))
}
