//! Whether the rules fit the index: every name in them must be a field, or what they close would stay open.

use cantata_mapping::{Dynamic, FieldKind, IndexMapping};

use super::AccessRules;
use crate::catalogue::Catalogue;
use crate::problem::ConfigProblem;

impl AccessRules {
    /// Returns the rules with the names of the index itself.
    pub(crate) fn resolved(mut self, catalogue: &Catalogue) -> Self {
        for rule in &mut self.records {
            rule.filter = rule.filter.take().map(|filter| filter.map(|sqon| sqon.resolve_names(catalogue).normalise()));
        }
        self
    }

    /// Returns what in the rules does not fit the fields of a catalogue that hides none; the caller knows the file of
    /// a key.
    pub(crate) fn misfits(&self, catalogue: &Catalogue, file_of: impl Fn(&str) -> String) -> Vec<ConfigProblem> {
        let mut misfits = Vec::new();
        for rule in &self.records {
            let Some(template) = &rule.filter else { continue };
            let sqon = template.without_tokens().resolve_names(catalogue);
            for error in sqon.validate(catalogue).err().into_iter().flatten() {
                let key = format!("{}.filter", rule.key);
                misfits.push(ConfigProblem::error(
                    file_of(&key),
                    key,
                    error.to_string(),
                    "a filter that fits the index",
                ));
            }
        }
        for (path, key) in self.fields.iter().flat_map(|rule| &rule.paths) {
            if let Some((found, expected)) = misfit(&catalogue.mapping, path) {
                misfits.push(ConfigProblem::error(file_of(key), key, format!("{path:?}, {found}"), expected));
            }
        }
        misfits
    }
}

/// Returns why a path cannot be covered, and what could.
fn misfit(mapping: &IndexMapping, path: &str) -> Option<(&'static str, String)> {
    let field = "the dotted path of a field of the index".to_owned();
    if let Some(entry) = mapping.entry(path) {
        return match (&entry.kind, &entry.multi_field_of) {
            (_, Some(whole)) => Some(("a multi-field", format!("{whole:?}, the field whose values it has"))),
            (FieldKind::Alias { target }, None) => Some(("an alias", format!("{target:?}, the field it leads to"))),
            _ => None,
        };
    }
    let around = path.rmatch_indices('.').find_map(|(dot, _)| mapping.entry(&path[..dot]));
    // What the index does not list is in documents all the same where it takes in anything unseen.
    match around {
        Some(around) if around.kind == FieldKind::Flattened => {
            Some(("a key in a flattened field", format!("{:?}, the flattened field itself", around.path)))
        }
        Some(around) if !around.enabled => None,
        around => {
            let container = around.map_or("", |around| around.path.as_str());
            let is_unseen = mapping.dynamic_at(container) == Some(Dynamic::Ignore)
                && around.is_none_or(|around| around.kind.is_container());
            (!is_unseen).then_some(("which the index does not have", field))
        }
    }
}
