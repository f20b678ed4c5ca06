//! Catalogues: configuration files and an index mapping become typed fields, display configuration and introspection.
//!
//! ```text
//! folder ── CatalogueConfigs::from_folder ──► CatalogueConfig ──┐
//!                                                IndexMapping ──┴─ Catalogue::build ──► Catalogue
//! ```
//!
//! A configuration is validated as a whole: every problem is reported with its file and key, and a catalogue with
//! problems is listed as failed beside the others. Only `configs/folder.rs` does I/O, and only secrets are read from the
//! environment. The choice of an engine is a value; nothing here knows one. Access rules and an identity become a
//! [`CatalogueView`]; the catalogue of a view has only the visible fields.

mod access;
mod catalogue;
mod chosen_display;
mod config;
mod configs;
mod defaults;
mod engine_choice;
mod error;
mod field_tree;
mod fields;
mod names;
mod network;
mod problem;
mod profile;
mod source;

pub mod check;
pub mod display;
pub mod introspection;

pub use access::{AccessRules, CatalogueView, Redaction, VisibleRecords};
pub use catalogue::Catalogue;
pub use chosen_display::{ChangedFile, ChosenDisplay, ChosenSorting};
pub use config::{
    CatalogueConfig, ColumnEntry, DownloadConfig, ExtendedEntry, FacetEntry, FeatureFlags, MatchboxEntry,
    RequestLimits, SetsConfig, SortingEntry, TableConfig,
};
pub use configs::{CatalogueConfigs, CatalogueMode, ConfiguredCatalogue, is_own_address};
pub use defaults::ConfigDefaults;
pub use display::DisplayConfig;
pub use engine_choice::{ClusterConnection, EngineChoice, EngineName, EngineSettings};
pub use error::{CatalogueError, CatalogueErrorCode};
pub use field_tree::{AggregationField, AggregationKind, FieldLevel, FlatField, GraphqlScalar, NodeField, NodeShape};
pub use names::{flat_name, graphql_name, is_graphql_name, start_case};
pub use network::{
    FILTERS_PLACEHOLDER, NetworkConfig, NetworkField, NodeConfig, NodeNames, NodeProduct, NodeTarget, RemoteNode,
};
pub use problem::{ConfigProblem, Severity};
pub use profile::{FieldProfile, IndexProfile};
pub use source::{
    DocumentPaths, DocumentShape, SongOrigin, SongTopic, SourceConfig, SourceOrigin, TopicCredentials, TypeSelection,
    ValuePath,
};
