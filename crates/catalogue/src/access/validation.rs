//! Validation of access rules against the index: every name must be a field, or the rule would not restrict anything.

use cantata_mapping::{DynamicMapping, FieldKind, IndexMapping};

use super::AccessRules;
use crate::catalogue::Catalogue;
use crate::problem::ConfigProblem;

impl AccessRules {
    /// Resolves the names in filters to paths of the index.
    pub(crate) fn resolve_names(mut self, catalogue: &Catalogue) -> Self {
        for rule in &mut self.records {
            rule.filter = rule.filter.take().map(|filter| filter.map(|sqon| sqon.resolve_names(catalogue).normalise()));
        }
        self
    }

    /// Returns the problems of the rules with a catalogue without hidden fields; `file_of` gives the file of a key.
    pub(crate) fn problems(&self, catalogue: &Catalogue, file_of: impl Fn(&str) -> String) -> Vec<ConfigProblem> {
        let mut problems = Vec::new();
        for rule in &self.records {
            let Some(template) = &rule.filter else { continue };
            let sqon = template.without_tokens().resolve_names(catalogue);
            for error in sqon.validate(catalogue).err().into_iter().flatten() {
                let key = format!("{}.filter", rule.key);
                problems.push(ConfigProblem::error(
                    file_of(&key),
                    key,
                    error.to_string(),
                    "a filter that fits the index",
                ));
            }
        }
        for (path, key) in self.fields.iter().flat_map(|rule| &rule.paths) {
            if let Some((found, expected)) = path_problem(&catalogue.mapping, path) {
                problems.push(ConfigProblem::error(file_of(key), key, format!("{path:?}, {found}"), expected));
            }
        }
        problems
    }
}

/// Returns why a path cannot be restricted, and what could be.
fn path_problem(mapping: &IndexMapping, path: &str) -> Option<(&'static str, String)> {
    let field = "the dotted path of a field of the index".to_owned();
    if let Some(entry) = mapping.entry(path) {
        return match (&entry.kind, &entry.multi_field_of) {
            (_, Some(whole)) => Some(("a multi-field", format!("{whole:?}, the field whose values it has"))),
            (FieldKind::Alias { target }, None) => Some(("an alias", format!("{target:?}, the field it leads to"))),
            _ => None,
        };
    }
    let around = path.rmatch_indices('.').find_map(|(dot, _)| mapping.entry(&path[..dot]));
    // With `dynamic: false`, documents may have fields that the mapping does not list.
    match around {
        Some(around) if around.kind == FieldKind::Flattened => {
            Some(("a key in a flattened field", format!("{:?}, the flattened field itself", around.path)))
        }
        Some(around) if !around.enabled => None,
        around => {
            let container = around.map_or("", |around| around.path.as_str());
            let is_unseen = mapping.dynamic_at(container) == Some(DynamicMapping::Ignore)
                && around.is_none_or(|around| around.kind.is_container());
            (!is_unseen).then_some(("which the index does not have", field))
        }
    }
}
