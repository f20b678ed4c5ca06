//! The index generations of a catalogue: numbered indexes, one of which is behind the alias.
//!
//! The alias has the name that the catalogue searches. The previous generation is kept for a rollback. Through the alias
//! readers always find a complete index.

use std::sync::Arc;

use cantata_engine::{AliasChange, EngineError, SearchEngine};
use cantata_mapping::IndexMapping;
use serde_json::Value;

/// The key of `_meta` that marks indexes created here.
const META_KEY: &str = "cantata";

/// Returns whether an index is an index generation that was created here, by its name and its mapping.
pub fn is_index_generation(index: &str, mapping: &IndexMapping) -> bool {
    let has_number = index.rsplit_once('-').is_some_and(|(_, digits)| number(digits).is_some());
    has_number && is_own(mapping)
}

fn is_own(mapping: &IndexMapping) -> bool {
    mapping.meta().contains_key(META_KEY)
}

/// Returns the number of a generation.
fn number(digits: &str) -> Option<u64> {
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
}

/// The index generations of a catalogue.
#[derive(Clone)]
pub(crate) struct IndexGenerations {
    pub(crate) engine: Arc<dyn SearchEngine>,
    /// The name that the catalogue searches.
    pub(crate) alias: String,
}

impl IndexGenerations {
    /// Returns the index behind the alias.
    pub(crate) async fn current(&self) -> Result<Option<String>, EngineError> {
        let aliases = self.engine.aliases().await?;
        Ok(aliases.into_iter().find(|alias| alias.name == self.alias).map(|alias| alias.index))
    }

    /// Returns all generations with their numbers, the latest first.
    async fn list(&self) -> Result<Vec<(u64, String)>, EngineError> {
        let indexes = self.engine.indexes().await?.into_iter();
        let mut numbered: Vec<(u64, String)> =
            indexes.filter_map(|index| Some((self.number_of(&index.name)?, index.name))).collect();
        numbered.sort_unstable_by(|one, two| two.cmp(one));
        Ok(numbered)
    }

    fn number_of(&self, index: &str) -> Option<u64> {
        number(index.strip_prefix(&self.alias)?.strip_prefix('-')?)
    }

    /// Creates the next generation, which is not behind the alias yet.
    pub(crate) async fn create_next(&self, mapping: &Value) -> Result<String, EngineError> {
        let next = self.list().await?.first().map_or(1, |(number, _)| number + 1);
        let index = format!("{}-{next}", self.alias);
        self.engine.create_index(&index, Some(mapping)).await?;
        Ok(index)
    }

    /// Creates the first generation and the alias.
    pub(crate) async fn create_first(&self, mapping: &Value) -> Result<String, EngineError> {
        if self.engine.indexes().await?.iter().any(|index| index.name == self.alias) {
            let alias = &self.alias;
            return Err(EngineError::Rejected(format!(
                "`{alias}` is an index that is filled by other means; a catalogue with a source needs a name of its own: \
                 choose another esIndex, or delete that index"
            )));
        }
        let index = self.create_next(mapping).await?;
        if let Err(error) = self.switch_alias(None, &index).await {
            // It is not behind the alias, and the next attempt creates another.
            self.engine.delete_index(&index).await?;
            return Err(error);
        }
        Ok(index)
    }

    /// Moves the alias to another index.
    pub(crate) async fn switch_alias(&self, from: Option<&str>, to: &str) -> Result<(), EngineError> {
        let remove = from.map(|index| AliasChange::Remove { alias: self.alias.clone(), index: index.to_owned() });
        let add = AliasChange::Add { alias: self.alias.clone(), index: to.to_owned() };
        let changes: Vec<AliasChange> = remove.into_iter().chain([add]).collect();
        self.engine.change_aliases(&changes).await
    }

    /// Returns the index for a rollback: the latest other one that was in use.
    pub(crate) async fn previous(&self) -> Result<Option<String>, EngineError> {
        let current = self.current().await?;
        for (_, index) in self.list().await? {
            if Some(&index) == current.as_ref() {
                continue;
            }
            match self.engine.position(&index).await {
                // An incomplete one has no position.
                Ok(None) | Err(EngineError::IndexDamaged { .. }) => {}
                found => return Ok(found?.map(|_| index)),
            }
        }
        Ok(None)
    }

    /// Deletes all generations but these. An index that was not created here is left alone, whatever its name.
    pub(crate) async fn delete_except(&self, kept: &[Option<String>]) -> Result<(), EngineError> {
        for (_, index) in self.list().await? {
            if kept.iter().flatten().any(|one| *one == index) {
                continue;
            }
            let is_own = match self.engine.mapping(&index).await {
                Err(error @ EngineError::IndexDamaged { .. }) => {
                    tracing::warn!(%error, "whether an old index was created here cannot be said, so it stays");
                    false
                }
                mapping => is_own(mapping?.as_ref()),
            };
            if is_own {
                tracing::info!(index, "deleting an index that is not needed any more");
                self.engine.delete_index(&index).await?;
            }
        }
        Ok(())
    }

    /// Deletes an index that a job did not complete, if it exists.
    pub(crate) async fn delete_incomplete(&self, index: &str) -> Result<(), EngineError> {
        match self.engine.position(index).await {
            Ok(None) | Err(EngineError::IndexDamaged { .. }) if self.current().await?.as_deref() != Some(index) => {
                self.engine.delete_index(index).await
            }
            Ok(_) | Err(EngineError::IndexNotFound(_) | EngineError::IndexDamaged { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }
}
