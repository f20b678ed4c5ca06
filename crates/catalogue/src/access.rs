//! Access rules of a catalogue, and the view of it that they give an identity.
//!
//! ```text
//! access.json ──► AccessRules ── view(identity) ──► CatalogueView: visible records, hidden fields, suppression threshold
//! ```
//!
//! Access is denied unless a rule grants it: an identity that no rule matches sees no record, and a rule that cannot be
//! evaluated for an identity grants it nothing. A catalogue without rules is visible to everybody.

mod filter_template;
mod redaction;
mod validation;
mod view;

use cantata_access::{AuthMethod, Identity};
use cantata_mapping::RedactedFields;

pub use redaction::Redaction;
pub use view::{CatalogueView, VisibleRecords};

pub(crate) use filter_template::{FilterTemplate, TemplateError};

/// The scope of every client.
pub(crate) const EVERYBODY: &str = "*";

/// The rules of a catalogue.
#[derive(Debug, Clone, PartialEq)]
pub struct AccessRules {
    pub(crate) records: Vec<RecordRule>,
    pub(crate) fields: Vec<FieldRule>,
    pub(crate) suppress: Option<SuppressRule>,
}

/// The records that a scope grants.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RecordRule {
    pub(crate) scope: String,
    /// `None`: all records.
    pub(crate) filter: Option<FilterTemplate>,
    /// Its key in the files.
    pub(crate) key: String,
}

/// Fields that are hidden or masked.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FieldRule {
    /// The dotted paths, each with its key in the files.
    pub(crate) paths: Vec<(String, String)>,
    pub(crate) restriction: FieldRestriction,
    /// The scopes that are exempt.
    pub(crate) unless: Vec<String>,
}

/// How a field is restricted.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum FieldRestriction {
    Hide,
    /// Replaced by this text, or by nothing.
    Mask(Option<String>),
}

/// The suppression of small counts.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SuppressRule {
    /// The smallest count that is shown.
    pub(crate) threshold: u64,
    /// The scopes that are exempt.
    pub(crate) unless: Vec<String>,
}

impl AccessRules {
    /// Returns the view of an identity. On a server without authentication every identity counts as anonymous.
    pub fn view(&self, identity: &Identity) -> CatalogueView {
        let is_anonymous = matches!(identity.auth_method, AuthMethod::Anonymous | AuthMethod::Unchecked);
        let has = |scope: &str| !is_anonymous && identity.has_scope(scope);
        let has_one = |scopes: &[String]| scopes.iter().any(|scope| has(scope));
        let name = (!is_anonymous).then_some(identity.name.as_str());
        let applicable = self.records.iter().filter(|rule| rule.scope == EVERYBODY || has(&rule.scope));
        let mut records = VisibleRecords::none();
        for rule in applicable {
            match &rule.filter {
                None => records = VisibleRecords::All,
                Some(template) => records.add(template.fill(name, &identity.claims)),
            }
        }
        let mut hidden_fields = RedactedFields::default();
        for rule in self.fields.iter().filter(|rule| !has_one(&rule.unless)) {
            for (path, _) in &rule.paths {
                match &rule.restriction {
                    FieldRestriction::Hide => drop(hidden_fields.hidden.insert(path.clone())),
                    // Of two masks of one field, the one without a text wins.
                    FieldRestriction::Mask(text) => {
                        let mask = hidden_fields.masked.entry(path.clone()).or_insert_with(|| text.clone());
                        *mask = mask.take().filter(|_| text.is_some());
                    }
                }
            }
        }
        let suppression_threshold =
            self.suppress.as_ref().filter(|rule| !has_one(&rule.unless)).map(|rule| rule.threshold);
        CatalogueView::new(records, hidden_fields, suppression_threshold)
    }
}
