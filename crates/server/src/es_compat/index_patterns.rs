//! Patterns of indexes and aliases, as addresses list them: with commas between them and stars in them.

use cantata_engine::matching::{Matcher as _, WildcardPattern};
use cantata_engine::{Alias, IndexSummary};
use serde::Deserialize;

use super::error::EsError;
use super::{EsResult, EsState};

/// The variable segments of a path: lists of indexes and of aliases. Without a list, all are meant.
#[derive(Deserialize)]
pub(super) struct ListPath {
    pub(super) index: Option<String>,
    pub(super) name: Option<String>,
}

/// Names and patterns of names.
pub(super) struct IndexPatterns<'a>(Vec<&'a str>);

impl<'a> IndexPatterns<'a> {
    /// Reads a list; without one, everything is meant.
    pub(super) fn new(list: Option<&'a str>) -> Self {
        Self(list.unwrap_or("*").split(',').map(str::trim).collect())
    }

    /// Returns whether a name is among them.
    pub(super) fn matches(&self, name: &str) -> bool {
        self.0.iter().any(|pattern| is_everything(pattern) || WildcardPattern::case_sensitive(pattern).matches(name))
    }

    /// Returns those without an asterisk.
    fn plain(&self) -> impl Iterator<Item = &'a str> {
        self.0.iter().copied().filter(|name| !is_everything(name) && !name.contains('*'))
    }
}

/// Refuses a list that does not name each index, for what cannot be undone.
pub(super) fn refuse_patterns(list: &str) -> EsResult<()> {
    match list.split(',').any(|name| is_everything(name.trim()) || name.contains('*')) {
        true => Err(EsError::illegal("Wildcard expressions or all indices are not allowed; name each index")),
        false => Ok(()),
    }
}

fn is_everything(pattern: &str) -> bool {
    matches!(pattern, "_all" | "*")
}

impl EsState {
    /// Returns the indexes that a list means by their names or by those of their aliases.
    pub(super) async fn indexes(&self, list: Option<&str>) -> EsResult<Vec<IndexSummary>> {
        let (mut indexes, aliases) = (self.engine.indexes().await?, self.engine.aliases().await?);
        let names = IndexPatterns::new(list);
        let is_there = |name: &str| {
            indexes.iter().any(|index| index.name == name) || aliases.iter().any(|alias| alias.name == name)
        };
        if let Some(missing) = names.plain().find(|name| !is_there(name)) {
            return Err(EsError::missing_index(missing));
        }
        // A damaged index is an error where it is named, but does not take all others with it.
        let is_pattern = names.plain().next().is_none();
        indexes.retain(|index| {
            if is_pattern && index.problem.is_some() {
                return false;
            }
            let is_alias_meant = |alias: &Alias| alias.index == index.name && names.matches(&alias.name);
            names.matches(&index.name) || aliases.iter().any(is_alias_meant)
        });
        Ok(indexes)
    }

    /// Returns the name of the index that a name leads to; one that leads nowhere stays what it is.
    pub(super) async fn physical(&self, name: &str) -> EsResult<String> {
        let aliases = self.engine.aliases().await?;
        Ok(aliases.into_iter().find(|alias| alias.name == name).map_or_else(|| name.to_owned(), |alias| alias.index))
    }
}
