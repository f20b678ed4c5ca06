//! Where the documents of a catalogue come from, if they are made of analyses: of which ones, and in which shape.
//!
//! A catalogue without a source has an index that somebody else fills. What is said here is complete and checked: paths
//! are parsed, an override is a mapping. Nothing here reads an analysis; the crate that follows them does.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use cantata_core::AnalysisState;
use serde_json::{Map, Value};
use serde_json_path::JsonPath;

use crate::secret::Secret;

/// What `source.json` says.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SourceConfig {
    /// The server that has the analyses.
    pub origin: SourceOrigin,
    /// The studies whose analyses are taken; nothing: all.
    pub studies: Option<Vec<String>>,
    /// The states in which analyses are taken.
    pub states: Vec<AnalysisState>,
    /// The types that are taken; nothing: all.
    pub analysis_types: Option<Vec<TypeSelection>>,
    /// What a document is.
    pub document: DocumentShape,
    /// The properties that are laid over the derived ones, as in an index mapping.
    pub mapping: Option<Map<String, Value>>,
}

/// The server that has the analyses.
#[derive(Debug, Clone, PartialEq)]
pub enum SourceOrigin {
    /// This one.
    Here,
    /// A SONG server.
    Song(Box<SongOrigin>),
}

/// How a SONG server is followed.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SongOrigin {
    /// Its address, which can hold a password.
    pub url: Secret,
    /// What it is told of who asks.
    pub token: Option<Secret>,
    /// How long is waited until it is asked again what has changed.
    pub poll: Duration,
    /// The topic that tells what has changed; nothing: the server is asked.
    pub kafka: Option<SongTopic>,
}

/// The topic to which a SONG server sends its events.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SongTopic {
    /// The brokers to ask first, each as `host:port`.
    pub brokers: Vec<Secret>,
    /// The topic.
    pub topic: String,
    /// Whether connections are encrypted.
    pub uses_tls: bool,
    /// A PEM file of certificates that are trusted beside those of the system.
    pub ca_certificate: Option<PathBuf>,
    /// Who this server is to the brokers; nothing: they do not ask.
    pub credentials: Option<TopicCredentials>,
}

/// Who this server is to the brokers.
#[derive(Debug, Clone, PartialEq)]
pub struct TopicCredentials {
    /// How the password is shown to be known: one of [`TopicCredentials::MECHANISMS`].
    pub mechanism: &'static str,
    /// The user.
    pub user: Secret,
    /// The password.
    pub password: Secret,
}

impl TopicCredentials {
    /// The ways in which a password is shown to be known, as brokers call them.
    pub const MECHANISMS: [&'static str; 3] = ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"];
}

/// One analysis type that is taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypeSelection {
    /// Its name.
    pub name: String,
    /// The versions that are taken; nothing: all.
    pub versions: Option<Vec<u32>>,
}

/// What a document is.
#[derive(Debug, Clone, PartialEq)]
pub enum DocumentShape {
    /// A file, with its analysis.
    FileCentric,
    /// An analysis, with its files.
    AnalysisCentric,
    /// What paths find in an analysis.
    Paths(Box<DocumentPaths>),
}

/// Documents as what paths find in an analysis.
#[derive(Debug, Clone, PartialEq)]
pub struct DocumentPaths {
    /// What there is a document for; nothing: the analysis.
    pub each: Option<JsonPath>,
    /// The id of the document.
    pub id: ValuePath,
    /// The fields of the document by their dotted paths; none lies in another.
    pub fields: BTreeMap<String, ValuePath>,
}

/// A path that begins at the analysis (`$.studyId`) or at what there is a document for (`@.fileName`).
#[derive(Debug, Clone, PartialEq)]
pub struct ValuePath {
    /// Whether it begins at what there is a document for.
    pub is_relative: bool,
    /// The path from there on.
    pub path: JsonPath,
}

impl ValuePath {
    /// Reads a path.
    ///
    /// # Errors
    ///
    /// Why it is none.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let (is_relative, standard) = match text.strip_prefix('@') {
            Some(rest) => (true, format!("${rest}")),
            None => (false, text.to_owned()),
        };
        let path = JsonPath::parse(&standard).map_err(|error| error.to_string())?;
        Ok(Self { is_relative, path })
    }
}

impl SourceConfig {
    /// Returns whether analyses of a version of a type are taken.
    pub fn takes_type(&self, name: &str, version: u32) -> bool {
        self.analysis_types.as_ref().is_none_or(|types| {
            types.iter().any(|selection| {
                selection.name == name && selection.versions.as_ref().is_none_or(|versions| versions.contains(&version))
            })
        })
    }

    /// Returns whether analyses of a study are taken.
    pub fn takes_study(&self, study_id: &str) -> bool {
        self.studies.as_ref().is_none_or(|studies| studies.iter().any(|study| study == study_id))
    }

    /// Returns whether an analysis is taken.
    pub fn takes(&self, study_id: &str, state: AnalysisState, type_name: &str, type_version: u32) -> bool {
        self.states.contains(&state) && self.takes_study(study_id) && self.takes_type(type_name, type_version)
    }
}
