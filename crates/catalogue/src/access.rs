//! What somebody may see of a catalogue: the rules of its configuration, and the view that follows for one identity.
//!
//! ```text
//! access.json ──► AccessRules ── view(identity) ──► View: which records, which fields, which counts
//! ```
//!
//! Everything is closed until a rule opens it: an identity that no rule speaks of sees no record, and a rule that cannot
//! be understood for somebody gives that one nothing. Where a catalogue has no rules, everybody sees everything.

mod fit;
mod redaction;
mod template;
mod view;

use cantata_access::{AuthMethod, Identity};
use cantata_mapping::Covers;

pub use redaction::Redaction;
pub use view::{Records, View};

pub(crate) use template::Template;

/// The scope that stands for everybody.
pub(crate) const EVERYBODY: &str = "*";

/// The rules of a catalogue.
#[derive(Debug, Clone, PartialEq)]
pub struct AccessRules {
    pub(crate) records: Vec<RecordRule>,
    pub(crate) fields: Vec<FieldRule>,
    pub(crate) suppress: Option<SuppressRule>,
}

/// Which records a scope opens.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RecordRule {
    pub(crate) scope: String,
    /// Nothing stands for all records.
    pub(crate) filter: Option<Template>,
    /// Where it stands in the files.
    pub(crate) key: String,
}

/// Fields that are covered.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FieldRule {
    /// The dotted paths, each with where it stands in the files.
    pub(crate) paths: Vec<(String, String)>,
    pub(crate) cover: Cover,
    /// The scopes of those who see them all the same.
    pub(crate) unless: Vec<String>,
}

/// What is done to a field.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Cover {
    Hide,
    /// Shown with this text, or with nothing.
    Mask(Option<String>),
}

/// How small a count may be.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SuppressRule {
    /// The least count that is shown.
    pub(crate) below: u64,
    /// The scopes of those who see every count.
    pub(crate) unless: Vec<String>,
}

impl AccessRules {
    /// Returns what an identity may see. One that was not checked is nobody: a server that asks for no credentials
    /// shows what everybody may see.
    pub fn view(&self, identity: &Identity) -> View {
        let is_nobody = matches!(identity.auth_method, AuthMethod::Anonymous | AuthMethod::Unchecked);
        let has = |scope: &str| !is_nobody && identity.has_scope(scope);
        let has_one = |scopes: &[String]| scopes.iter().any(|scope| has(scope));
        let name = (!is_nobody).then_some(identity.name.as_str());
        let applicable = self.records.iter().filter(|rule| rule.scope == EVERYBODY || has(&rule.scope));
        let mut records = Records::none();
        for rule in applicable {
            match &rule.filter {
                None => records = Records::All,
                Some(template) => records.add(template.fill(name, &identity.claims)),
            }
        }
        let mut covers = Covers::default();
        for rule in self.fields.iter().filter(|rule| !has_one(&rule.unless)) {
            for (path, _) in &rule.paths {
                match &rule.cover {
                    Cover::Hide => drop(covers.hidden.insert(path.clone())),
                    // Of two masks of one field, the one that shows nothing holds.
                    Cover::Mask(text) => {
                        let mask = covers.masked.entry(path.clone()).or_insert_with(|| text.clone());
                        *mask = mask.take().filter(|_| text.is_some());
                    }
                }
            }
        }
        let below = self.suppress.as_ref().filter(|rule| !has_one(&rule.unless)).map(|rule| rule.below);
        View::new(records, covers, below)
    }
}
