//! OpenSearch and Elasticsearch behind the seam of [`cantata_engine`].
//!
//! A plan becomes as few requests to the cluster as possible, and what comes back becomes the same data that the
//! embedded engine gives. Nothing here is seen by a client: errors name neither hosts nor queries.

mod aliases;
mod answer;
mod calls;
mod connection;
mod documents;
mod engine;
mod export;
mod facets;
mod failures;
mod indexes;
mod mappings;
mod places;
mod positions;
mod query;
mod search;
mod settings;
mod sort;
mod walk;
mod whole;
mod write;

pub use engine::RemoteEngine;
pub use settings::{Credentials, Product, RemoteSettings, SettingsError};
