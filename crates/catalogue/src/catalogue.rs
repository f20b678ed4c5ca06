//! A catalogue: the fields of its index with their display configuration, and the limits of requests.
//!
//! It is built from a configuration and a mapping and never changes; when one of the two does, another is built.

use std::collections::HashSet;
use std::sync::Arc;

use cantata_access::Identity;
use cantata_mapping::{IndexMapping, RedactedFields};

use crate::access::{AccessRules, CatalogueView, Redaction};
use crate::config::{CatalogueConfig, DownloadConfig, FeatureFlags, RequestLimits, SetsConfig};
use crate::display::DisplayConfig;
use crate::error::{CatalogueError, CatalogueErrorCode};
use crate::field_tree::{self, FieldLevel};
use crate::problem::ConfigProblem;

/// One index with its configuration.
#[derive(Debug, Clone)]
pub struct Catalogue {
    /// The name in paths.
    pub id: String,
    /// The name of the root field and of its type.
    pub document_type: String,
    /// The index or alias that is searched.
    pub index: String,
    /// A description for users.
    pub description: Option<String>,
    /// The mapping below the source prefix, without hidden fields.
    pub mapping: Arc<IndexMapping>,
    /// The mapping below the source prefix with all fields, for the filters of access rules.
    pub full_mapping: Arc<IndexMapping>,
    /// What is removed from documents; `None` if no field is hidden.
    pub redaction: Option<Arc<Redaction>>,
    /// The dotted path of the object in each document that is the record; empty if it is the document itself.
    pub source_prefix: String,
    /// The limits of a request.
    pub limits: RequestLimits,
    /// Which features are on.
    pub flags: FeatureFlags,
    /// The limits of downloads.
    pub downloads: DownloadConfig,
    /// Where saved sets are kept.
    pub sets: SetsConfig,
    /// The fields as GraphQL types.
    pub root: FieldLevel,
    /// The display configuration for portals.
    pub display: DisplayConfig,
    /// What in the configuration or the mapping is ignored or changed.
    pub warnings: Vec<ConfigProblem>,
    access: Option<AccessRules>,
}

impl Catalogue {
    /// Builds the catalogue of a configuration and the mapping of its index.
    ///
    /// # Errors
    ///
    /// If the mapping lacks the object of `nestingPrefix`, no GraphQL schema can be made, or the access rules do not fit
    /// the index; [`Catalogue::access_rule_problems`] has the details.
    pub fn build(config: &CatalogueConfig, mapping: &IndexMapping) -> Result<Self, CatalogueError> {
        let mut catalogue = Self::build_restricted(config, mapping, &RedactedFields::default())?;
        if let Some(rules) = &config.access {
            if !rules.problems(&catalogue, |key| config.file_of(key).to_owned()).is_empty() {
                let message = "The access rules do not fit the index; the log of the server says why.";
                return Err(CatalogueError::new(CatalogueErrorCode::SchemaBuildError, message));
            }
            catalogue.access = Some(rules.clone().resolve_names(&catalogue));
        }
        Ok(catalogue)
    }

    /// Builds the catalogue of a view with hidden fields.
    ///
    /// # Errors
    ///
    /// If no GraphQL schema can be made of the visible fields.
    pub fn build_restricted(
        config: &CatalogueConfig,
        mapping: &IndexMapping,
        hidden_fields: &RedactedFields,
    ) -> Result<Self, CatalogueError> {
        let source_prefix = config.nesting_prefix.clone().unwrap_or_default();
        let full_mapping = match source_prefix.as_str() {
            "" => mapping.clone(),
            prefix => mapping.without_prefix(prefix).map_err(|errors| {
                let reasons: Vec<String> = errors.iter().map(ToString::to_string).collect();
                let message = format!("The nesting prefix {prefix:?} does not fit: {}.", reasons.join("; "));
                CatalogueError::new(CatalogueErrorCode::NestingPrefixNotFound, message)
            })?,
        };
        let hidden_fields = full_mapping.expand_redactions(hidden_fields);
        let mapping = match hidden_fields.is_empty() {
            true => full_mapping.clone(),
            false => full_mapping.redacted(&hidden_fields).map_err(|_| {
                let message = "No fields are left that go together.";
                CatalogueError::new(CatalogueErrorCode::SchemaBuildError, message)
            })?,
        };
        let (completed, mut warnings) = config.with_mapping_meta(&full_mapping);
        let generated = config.missing_sections();
        let config = &completed.redacted(&hidden_fields, &full_mapping).mark_list_fields(&mapping);
        let arrays: HashSet<&str> = config.array_paths().collect();
        let tree = field_tree::build(&config.document_type, &mapping, &arrays)?;
        warnings.extend(tree.warnings);
        let display = DisplayConfig::build(config, generated, &mapping, &tree.root, &mut warnings);
        Ok(Self {
            id: config.id.clone(),
            document_type: config.document_type.clone(),
            index: config.index.clone(),
            description: config.description.clone(),
            mapping: Arc::new(mapping),
            redaction: Redaction::new(&hidden_fields, &full_mapping, &source_prefix).map(Arc::new),
            full_mapping: Arc::new(full_mapping),
            source_prefix,
            limits: config.limits,
            flags: config.flags,
            downloads: config.downloads.clone(),
            sets: config.sets.clone(),
            root: tree.root,
            display,
            warnings,
            access: None,
        })
    }

    /// Returns the problems of the access rules with the index.
    pub fn access_rule_problems(config: &CatalogueConfig, mapping: &IndexMapping) -> Vec<ConfigProblem> {
        let Some(rules) = &config.access else { return Vec::new() };
        match Self::build_restricted(config, mapping, &RedactedFields::default()) {
            Ok(catalogue) => rules.problems(&catalogue, |key| config.file_of(key).to_owned()),
            Err(_) => Vec::new(),
        }
    }

    /// Returns the view of an identity.
    pub fn view(&self, identity: &Identity) -> CatalogueView {
        self.access.as_ref().map_or_else(CatalogueView::without_rules, |rules| rules.view(identity))
    }
}
