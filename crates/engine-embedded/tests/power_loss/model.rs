//! What the indexes of a folder may hold after a power loss.

use std::collections::BTreeMap;

/// The documents of an index, by id, and the position of its source.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct IndexState {
    pub(crate) documents: BTreeMap<String, u64>,
    pub(crate) position: Option<String>,
}

/// A state of an index; nothing if there is none of this name.
pub(crate) type MaybeIndex = Option<IndexState>;

/// The states that an index may have on the disk, from the last one that was made durable to the current one.
#[derive(Debug, Default)]
pub(crate) struct Model {
    indexes: BTreeMap<String, Vec<MaybeIndex>>,
    aliases: Vec<BTreeMap<String, String>>,
}

impl Model {
    /// Returns the current state of an index.
    pub(crate) fn current(&self, name: &str) -> MaybeIndex {
        self.indexes.get(name).and_then(|states| states.last().cloned()).flatten()
    }

    /// Returns the current aliases.
    pub(crate) fn aliases(&self) -> BTreeMap<String, String> {
        self.aliases.last().cloned().unwrap_or_default()
    }

    /// Notes a state that is durable: no earlier one may come back.
    pub(crate) fn set_durable(&mut self, name: &str, state: MaybeIndex) {
        self.indexes.insert(name.to_owned(), vec![state]);
    }

    /// Notes a state that the disk may have, or the one before.
    pub(crate) fn add_possible(&mut self, name: &str, state: MaybeIndex) {
        self.indexes.entry(name.to_owned()).or_insert_with(|| vec![None]).push(state);
    }

    pub(crate) fn set_durable_aliases(&mut self, aliases: BTreeMap<String, String>) {
        self.aliases = vec![aliases];
    }

    pub(crate) fn add_possible_aliases(&mut self, aliases: BTreeMap<String, String>) {
        if self.aliases.is_empty() {
            self.aliases.push(BTreeMap::new());
        }
        self.aliases.push(aliases);
    }

    /// Compares what an open engine shows with the current state. What it shows need not be durable yet.
    pub(crate) fn check_current(
        &self,
        found: &BTreeMap<String, IndexState>,
        aliases: &BTreeMap<String, String>,
    ) -> Result<(), String> {
        for name in self.indexes.keys() {
            let (found, expected) = (found.get(name).cloned(), self.current(name));
            if found != expected {
                return Err(format!("index `{name}` has {found:?}; expected {expected:?}"));
            }
        }
        if aliases == &self.aliases() {
            Ok(())
        } else {
            Err(format!("the aliases are {aliases:?}; expected {:?}", self.aliases()))
        }
    }

    /// Compares what was found after opening the engine with what may be there, and continues from it.
    pub(crate) fn check(
        &mut self,
        found: &BTreeMap<String, IndexState>,
        aliases: BTreeMap<String, String>,
    ) -> Result<(), String> {
        if let Some(unknown) = found.keys().find(|name| !self.indexes.contains_key(*name)) {
            return Err(format!("there is an index `{unknown}` that was never created"));
        }
        for (name, possible) in &mut self.indexes {
            let found = found.get(name).cloned();
            if !possible.contains(&found) {
                return Err(format!("index `{name}` has {found:?}; expected one of {possible:?}"));
            }
            *possible = vec![found];
        }
        // An alias goes with its index.
        let is_there = |index: &String| found.contains_key(index);
        let is_possible = |possible: &BTreeMap<String, String>| {
            possible.iter().filter(|(_, index)| is_there(index)).eq(aliases.iter())
        };
        if !self.aliases.is_empty() && !self.aliases.iter().any(is_possible) {
            return Err(format!("the aliases are {aliases:?}; expected one of {:?}", self.aliases));
        }
        self.aliases = vec![aliases];
        Ok(())
    }
}
