//! OpenSearch and Elasticsearch as a [`cantata_engine::SearchEngine`].
//!
//! A plan becomes as few requests to the cluster as possible, and the responses become the same data that the embedded
//! engine returns. Errors name neither hosts nor queries.

mod aliases;
mod bulk;
mod client;
mod documents;
mod engine;
mod error;
mod export;
mod facets;
mod indexes;
mod keyword_field;
mod mapping_cache;
mod positions;
mod query;
mod request;
mod response;
mod scan;
mod search;
mod settings;
mod sort;
mod target;

pub use engine::RemoteEngine;
pub use settings::{Product, RemoteSettings, SettingsError};
