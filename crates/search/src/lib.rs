//! The search service: the catalogues of a server, and the requests that are run on them. No HTTP.
//!
//! [`SearchService`] holds the catalogues as one value behind an atomic pointer. A request takes a snapshot and finishes
//! on it, whatever is reloaded meanwhile. A catalogue that cannot be served is part of the value, with its error, and
//! affects no other. Each catalogue has an engine from an [`EngineProvider`]. A catalogue is only handed out as the
//! view of one identity, so no caller can forget the access rules.

mod catalogue_entry;
mod catalogues;
mod config_journal;
mod config_watcher;
mod counters;
mod display_save;
mod download;
mod engine_provider;
mod index_probe;
mod index_profile;
mod loaded_catalogue;
mod network_view;
mod redaction;
mod served_catalogue;
mod service;
mod set_locks;
mod set_reader;
mod sets;
mod shared_sets;

pub use cantata_federation::{ForwardedHeader, NodeProbe, NodeReport, probe_nodes};
pub use catalogues::{CatalogueLookup, Catalogues};
pub use counters::SearchCounters;
pub use display_save::DisplaySaveError;
pub use download::{Download, DownloadBody, DownloadError, DownloadRequest};
pub use engine_provider::{EngineProvider, EngineSetupError};
pub use served_catalogue::ServedCatalogue;
pub use service::{ConfigSource, SearchService};
