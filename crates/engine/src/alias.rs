//! Aliases of indexes.

use std::collections::{BTreeMap, BTreeSet};

use crate::EngineError;

/// An alias of an index.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Alias {
    /// The name.
    pub name: String,
    /// The index that it points to.
    pub index: String,
}

/// A change of the aliases.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AliasChange {
    /// Points the alias to the index; if it does already, nothing changes.
    Add {
        /// The name.
        alias: String,
        /// The index.
        index: String,
    },
    /// Removes the index from the alias.
    Remove {
        /// The name.
        alias: String,
        /// The index.
        index: String,
    },
}

/// Applies changes to aliases, for an engine in which an alias points to one index; returns the index of each.
///
/// # Errors
///
/// If an index does not exist, an alias has the name of one, or an alias would point to several.
pub fn apply_alias_changes(
    aliases: &BTreeMap<String, String>,
    changes: &[AliasChange],
    is_index: impl Fn(&str) -> bool,
) -> Result<BTreeMap<String, String>, EngineError> {
    let mut pairs: BTreeSet<(&str, &str)> =
        aliases.iter().map(|(name, index)| (name.as_str(), index.as_str())).collect();
    for change in changes {
        let (AliasChange::Add { alias, index } | AliasChange::Remove { alias, index }) = change;
        if !is_index(index) {
            return Err(EngineError::IndexNotFound(index.clone()));
        }
        match change {
            AliasChange::Add { .. } if is_index(alias) => {
                return Err(EngineError::Rejected(format!(
                    "the alias `{alias}` has the name of an index; expected a name that no index has"
                )));
            }
            AliasChange::Add { .. } => drop(pairs.insert((alias, index))),
            AliasChange::Remove { .. } => drop(pairs.remove(&(alias.as_str(), index.as_str()))),
        }
    }
    let mut changed = BTreeMap::new();
    for (alias, index) in pairs {
        if let Some(other) = changed.insert(alias.to_owned(), index.to_owned()) {
            return Err(EngineError::Rejected(format!(
                "the alias `{alias}` would lead to `{other}` and `{index}`; expected one index; remove it from the \
                 other one in the same request"
            )));
        }
    }
    Ok(changed)
}
