//! A catalogue that is ready to be served: the fields that its index has, what the configuration says of them, and
//! what requests may ask for.
//!
//! It is built once from a configuration and a mapping and never changes; when one of the two does, another is built.

use std::collections::HashSet;
use std::sync::Arc;

use cantata_access::Identity;
use cantata_mapping::{Covers, IndexMapping};

use crate::access::{AccessRules, Redaction, View};
use crate::config::{CatalogueConfig, Downloads, Flags, Limits, Sets};
use crate::display::Display;
use crate::error::{CatalogueError, ErrorCode};
use crate::field_tree::{self, Level};
use crate::problem::ConfigProblem;

/// One index with its configuration.
#[derive(Debug, Clone)]
pub struct Catalogue {
    /// The name in addresses.
    pub id: String,
    /// The name of the root field and of its type.
    pub document_type: String,
    /// The index or alias that is searched.
    pub index: String,
    /// What it is, for people.
    pub description: Option<String>,
    /// The mapping, counted from the source prefix, without what cannot be seen.
    pub mapping: Arc<IndexMapping>,
    /// The whole mapping, counted alike, for what is searched on behalf of the rules.
    pub whole_mapping: Arc<IndexMapping>,
    /// What is taken out of documents before they are shown.
    pub redaction: Option<Arc<Redaction>>,
    /// The dotted path of the object in each document that holds everything; empty if there is none.
    pub source_prefix: String,
    /// What a request may ask for.
    pub limits: Limits,
    /// What is switched on and off.
    pub flags: Flags,
    /// How much an export gives.
    pub downloads: Downloads,
    /// Where saved sets are kept.
    pub sets: Sets,
    /// The fields as GraphQL shows them.
    pub root: Level,
    /// What portals are told of the fields.
    pub display: Display,
    /// What in the configuration or the mapping is left out or taken otherwise than written.
    pub warnings: Vec<ConfigProblem>,
    access: Option<AccessRules>,
}

impl Catalogue {
    /// Brings a configuration and the mapping of its index together.
    ///
    /// # Errors
    ///
    /// If the mapping lacks the object that `nestingPrefix` names, no GraphQL schema can be made, or the access rules do
    /// not fit the index; [`Catalogue::access_misfits`] says why they do not.
    pub fn build(config: &CatalogueConfig, mapping: &IndexMapping) -> Result<Self, CatalogueError> {
        let mut catalogue = Self::build_covered(config, mapping, &Covers::default())?;
        if let Some(rules) = &config.access {
            if !rules.misfits(&catalogue, |key| config.file_of(key).to_owned()).is_empty() {
                let message = "The access rules do not fit the index; the log of the server says why.";
                return Err(CatalogueError::new(ErrorCode::SchemaBuildError, message));
            }
            catalogue.access = Some(rules.clone().resolved(&catalogue));
        }
        Ok(catalogue)
    }

    /// Brings them together for those who do not see every field.
    ///
    /// # Errors
    ///
    /// If no GraphQL schema can be made of what is left.
    pub fn build_covered(
        config: &CatalogueConfig,
        mapping: &IndexMapping,
        covers: &Covers,
    ) -> Result<Self, CatalogueError> {
        let source_prefix = config.nesting_prefix.clone().unwrap_or_default();
        let whole_mapping = match source_prefix.as_str() {
            "" => mapping.clone(),
            prefix => mapping.without_prefix(prefix).map_err(|errors| {
                let reasons: Vec<String> = errors.iter().map(ToString::to_string).collect();
                let message = format!("The nesting prefix {prefix:?} does not fit: {}.", reasons.join("; "));
                CatalogueError::new(ErrorCode::NestingPrefixNotFound, message)
            })?,
        };
        let covers = whole_mapping.covers(covers);
        let mapping = match covers.is_empty() {
            true => whole_mapping.clone(),
            false => whole_mapping.redacted(&covers).map_err(|_| {
                let message = "No fields are left that go together.";
                CatalogueError::new(ErrorCode::SchemaBuildError, message)
            })?,
        };
        let (completed, mut warnings) = config.completed(&whole_mapping);
        let generated = config.missing_sections();
        let config = &completed.seen(&covers, &whole_mapping);
        let arrays: HashSet<&str> = config.array_paths().collect();
        let tree = field_tree::build(&config.document_type, &mapping, &arrays)
            .map_err(|message| CatalogueError::new(ErrorCode::SchemaBuildError, message))?;
        warnings.extend(tree.warnings);
        let display = Display::build(config, generated, &mapping, &tree.root, &mut warnings);
        Ok(Self {
            id: config.id.clone(),
            document_type: config.document_type.clone(),
            index: config.index.clone(),
            description: config.description.clone(),
            mapping: Arc::new(mapping),
            redaction: Redaction::new(&covers, &whole_mapping, &source_prefix).map(Arc::new),
            whole_mapping: Arc::new(whole_mapping),
            source_prefix,
            limits: config.limits,
            flags: config.flags,
            downloads: config.downloads,
            sets: config.sets.clone(),
            root: tree.root,
            display,
            warnings,
            access: None,
        })
    }

    /// Returns what in the access rules does not fit the index.
    pub fn access_misfits(config: &CatalogueConfig, mapping: &IndexMapping) -> Vec<ConfigProblem> {
        let Some(rules) = &config.access else { return Vec::new() };
        match Self::build_covered(config, mapping, &Covers::default()) {
            Ok(catalogue) => rules.misfits(&catalogue, |key| config.file_of(key).to_owned()),
            Err(_) => Vec::new(),
        }
    }

    /// Returns what an identity may see of the whole catalogue.
    pub fn view(&self, identity: &Identity) -> View {
        self.access.as_ref().map_or_else(View::unruled, |rules| rules.view(identity))
    }
}
