//! Catalogues: configuration files and an index mapping become typed fields, display configuration and introspection.
//!
//! ```text
//! folder ── Configs::from_folder ──► Configs ──► CatalogueConfig ─┐
//!                                                 IndexMapping ───┴─ Catalogue::build ──► Catalogue
//! ```
//!
//! A configuration is judged as a whole: every problem is reported with its file and key, and a catalogue with
//! problems is shown as failed beside the others. Only the module of the folder does I/O, and only secrets are read from
//! the environment; which engine searches a catalogue is a value here, nothing knows one. Who may see what of a
//! catalogue is decided here too: rules and an identity become a [`View`], and the catalogue of a view has no other
//! fields than those that can be seen.

mod access;
mod catalogue;
mod config;
mod configs;
mod defaults;
mod engine_choice;
mod error;
mod field_tree;
mod fields;
mod names;
mod problem;
mod secret;
mod source;

pub mod check;
pub mod display;
pub mod introspection;

pub use access::{AccessRules, Records, Redaction, View};
pub use catalogue::Catalogue;
pub use config::{
    CatalogueConfig, ColumnEntry, Downloads, ExtendedEntry, FacetEntry, Flags, Limits, MatchboxEntry, Sets,
    SortingEntry, TableConfig,
};
pub use configs::{Configs, ConfiguredCatalogue, Mode, is_own_address};
pub use defaults::Defaults;
pub use display::Display;
pub use engine_choice::{Connection, Credentials, CredentialsError, EngineChoice, EngineName, EngineSettings};
pub use error::{CatalogueError, ErrorCode};
pub use field_tree::{AggregationField, AggregationKind, FlatField, Level, NodeField, Scalar, Shape};
pub use names::{flat_name, graphql_name, is_graphql_name, start_case};
pub use problem::{ConfigProblem, Severity};
pub use secret::Secret;
pub use source::{
    DocumentPaths, DocumentShape, SongOrigin, SongTopic, SourceConfig, SourceOrigin, TopicCredentials, TypeSelection,
    ValuePath,
};
