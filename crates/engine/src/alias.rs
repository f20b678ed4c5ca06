//! Other names of indexes.

use std::collections::{BTreeMap, BTreeSet};

use crate::EngineError;

/// A name that leads to an index.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Alias {
    /// The name.
    pub name: String,
    /// The index that it leads to.
    pub index: String,
}

/// A change of the aliases.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AliasChange {
    /// The alias leads to the index from now on; if it does already, nothing changes.
    Add {
        /// The name.
        alias: String,
        /// The index.
        index: String,
    },
    /// The alias does not lead to the index any more.
    Remove {
        /// The name.
        alias: String,
        /// The index.
        index: String,
    },
}

/// Returns what aliases become by changes, for an engine in which an alias leads to one index: the index of each.
///
/// # Errors
///
/// If an index is not there, an alias has the name of one, or an alias would lead to several.
pub fn changed_aliases(
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
                return Err(EngineError::Refused(format!(
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
            return Err(EngineError::Refused(format!(
                "the alias `{alias}` would lead to `{other}` and `{index}`; expected one index; remove it from the \
                 other one in the same request"
            )));
        }
    }
    Ok(changed)
}
