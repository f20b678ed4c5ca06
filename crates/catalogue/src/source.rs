//! The source of a catalogue whose documents are built from analyses: which analyses, and the shape of documents.
//!
//! The index of a catalogue without a source is filled by another program. All values here are validated: paths are
//! parsed, an override is a mapping. Reading analyses is up to `cantata-indexing`.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use cantata_core::AnalysisState;
use serde_json::{Map, Value};
use serde_json_path::{JsonPath, ParseError};

use cantata_core::Secret;

/// The section `source`.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SourceConfig {
    /// The server that has the analyses.
    pub origin: SourceOrigin,
    /// The studies that are indexed; `None`: all.
    pub studies: Option<Vec<String>>,
    /// The states of analyses that are indexed.
    pub states: Vec<AnalysisState>,
    /// The types that are indexed; `None`: all.
    pub analysis_types: Option<Vec<TypeSelection>>,
    /// What a document is built from.
    pub document: DocumentShape,
    /// Properties that override the derived mapping.
    pub mapping: Option<Map<String, Value>>,
}

/// The server that has the analyses.
#[derive(Debug, Clone, PartialEq)]
pub enum SourceOrigin {
    /// This server.
    Local,
    /// A SONG server.
    Song(Box<SongOrigin>),
}

/// How the analyses of a SONG server are read.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SongOrigin {
    /// Its address, which can hold a password.
    pub url: Secret,
    /// The bearer token.
    pub token: Option<Secret>,
    /// The interval of polling for changes.
    pub poll: Duration,
    /// The topic with its events; `None`: the server is polled.
    pub kafka: Option<SongTopic>,
}

/// The topic to which a SONG server sends its events.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SongTopic {
    /// The bootstrap brokers, each as `host:port`.
    pub brokers: Vec<Secret>,
    /// The topic.
    pub topic: String,
    /// Whether connections are encrypted.
    pub uses_tls: bool,
    /// A PEM file of certificates that are trusted besides those of the system.
    pub ca_certificate: Option<PathBuf>,
    /// `None` if the brokers need none.
    pub credentials: Option<TopicCredentials>,
}

/// SASL credentials for the brokers.
#[derive(Debug, Clone, PartialEq)]
pub struct TopicCredentials {
    /// One of [`TopicCredentials::MECHANISMS`].
    pub mechanism: &'static str,
    /// The user.
    pub user: Secret,
    /// The password.
    pub password: Secret,
}

impl TopicCredentials {
    /// The supported SASL mechanisms.
    pub const MECHANISMS: [&'static str; 3] = ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"];
}

/// One analysis type that is indexed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypeSelection {
    /// Its name.
    pub name: String,
    /// The versions that are indexed; `None`: all.
    pub versions: Option<Vec<u32>>,
}

/// What a document is built from.
#[derive(Debug, Clone, PartialEq)]
pub enum DocumentShape {
    /// A file, with its analysis.
    FileCentric,
    /// An analysis, with its files.
    AnalysisCentric,
    /// Values at paths of an analysis.
    Paths(Box<DocumentPaths>),
}

/// Documents with values at paths of an analysis.
#[derive(Debug, Clone, PartialEq)]
pub struct DocumentPaths {
    /// The nodes that documents are built from; `None`: the analysis.
    pub each: Option<JsonPath>,
    /// The id of the document.
    pub id: ValuePath,
    /// The fields of the document by their dotted paths; none lies in another.
    pub fields: BTreeMap<String, ValuePath>,
}

/// A path that begins at the analysis (`$.studyId`) or at the node of the document (`@.fileName`).
#[derive(Debug, Clone, PartialEq)]
pub struct ValuePath {
    /// Whether it begins at the node of the document.
    pub is_relative: bool,
    /// The path from there on.
    pub path: JsonPath,
}

impl ValuePath {
    /// Parses a path.
    ///
    /// # Errors
    ///
    /// If the text is no JSON path.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        let text = text.trim();
        let (is_relative, standard) = match text.strip_prefix('@') {
            Some(rest) => (true, format!("${rest}")),
            None => (false, text.to_owned()),
        };
        Ok(Self { is_relative, path: JsonPath::parse(&standard)? })
    }
}

impl SourceConfig {
    /// Returns whether a version of a type is indexed.
    pub fn includes_type(&self, name: &str, version: u32) -> bool {
        self.analysis_types.as_ref().is_none_or(|types| {
            types.iter().any(|selection| {
                selection.name == name && selection.versions.as_ref().is_none_or(|versions| versions.contains(&version))
            })
        })
    }

    /// Returns whether a study is indexed.
    pub fn includes_study(&self, study_id: &str) -> bool {
        self.studies.as_ref().is_none_or(|studies| studies.iter().any(|study| study == study_id))
    }

    /// Returns whether an analysis is indexed.
    pub fn includes(&self, study_id: &str, state: AnalysisState, type_name: &str, type_version: u32) -> bool {
        self.states.contains(&state) && self.includes_study(study_id) && self.includes_type(type_name, type_version)
    }
}
