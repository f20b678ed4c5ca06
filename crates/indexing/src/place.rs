//! Where the documents of a catalogue are: an alias, and the index that it leads to.
//!
//! The alias has the name that the catalogue searches; the indexes behind it are numbered. The alias leads to one, and
//! one that it led to before is kept to go back to. Whoever reads through the alias always finds a whole index.

use std::sync::Arc;

use cantata_engine::{AliasChange, EngineError, SearchEngine};
use serde_json::Value;

/// The key of `_meta` that every index has which is made here.
const OWN: &str = "cantata";

/// The place of the documents of a catalogue.
#[derive(Clone)]
pub(crate) struct Place {
    pub(crate) engine: Arc<dyn SearchEngine>,
    /// The name that the catalogue searches.
    pub(crate) alias: String,
}

impl Place {
    /// Returns the index that the alias leads to.
    pub(crate) async fn current(&self) -> Result<Option<String>, EngineError> {
        let aliases = self.engine.aliases().await?;
        Ok(aliases.into_iter().find(|alias| alias.name == self.alias).map(|alias| alias.index))
    }

    /// Returns the numbered indexes, the latest first.
    pub(crate) async fn all(&self) -> Result<Vec<(u64, String)>, EngineError> {
        let indexes = self.engine.indexes().await?.into_iter();
        let mut numbered: Vec<(u64, String)> =
            indexes.filter_map(|index| Some((self.number_of(&index.name)?, index.name))).collect();
        numbered.sort_unstable_by(|one, two| two.cmp(one));
        Ok(numbered)
    }

    fn number_of(&self, index: &str) -> Option<u64> {
        let digits = index.strip_prefix(&self.alias)?.strip_prefix('-')?;
        digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
    }

    /// Makes the next numbered index, to which nothing leads yet.
    pub(crate) async fn make(&self, mapping: &Value) -> Result<String, EngineError> {
        let next = self.all().await?.first().map_or(1, |(number, _)| number + 1);
        let index = format!("{}-{next}", self.alias);
        self.engine.create_index(&index, Some(mapping)).await?;
        Ok(index)
    }

    /// Makes the first index and lets the alias lead to it.
    pub(crate) async fn begin(&self, mapping: &Value) -> Result<String, EngineError> {
        if self.engine.indexes().await?.iter().any(|index| index.name == self.alias) {
            let alias = &self.alias;
            return Err(EngineError::Refused(format!(
                "`{alias}` is an index that somebody else fills; a catalogue with a source needs a name of its own: \
                 choose another esIndex, or delete that index"
            )));
        }
        let index = self.make(mapping).await?;
        if let Err(error) = self.switch(None, &index).await {
            // Nothing leads to it, and the next attempt makes another.
            self.engine.delete_index(&index).await?;
            return Err(error);
        }
        Ok(index)
    }

    /// Lets the alias lead to another index.
    pub(crate) async fn switch(&self, from: Option<&str>, to: &str) -> Result<(), EngineError> {
        let remove = from.map(|index| AliasChange::Remove { alias: self.alias.clone(), index: index.to_owned() });
        let add = AliasChange::Add { alias: self.alias.clone(), index: to.to_owned() };
        let changes: Vec<AliasChange> = remove.into_iter().chain([add]).collect();
        self.engine.change_aliases(&changes).await
    }

    /// Returns the index to go back to: the latest other one that was in use.
    pub(crate) async fn previous(&self) -> Result<Option<String>, EngineError> {
        let current = self.current().await?;
        for (_, index) in self.all().await? {
            // One that was left half made has no position.
            if Some(&index) != current.as_ref() && self.engine.position(&index).await?.is_some() {
                return Ok(Some(index));
            }
        }
        Ok(None)
    }

    /// Removes the numbered indexes that are not to be kept. One that somebody else made stays, whatever its name.
    pub(crate) async fn keep_only(&self, kept: &[Option<String>]) -> Result<(), EngineError> {
        for (_, index) in self.all().await? {
            let is_kept = kept.iter().flatten().any(|one| *one == index);
            if !is_kept && self.engine.mapping(&index).await?.meta().contains_key(OWN) {
                tracing::info!(index, "an index that is not needed any more is removed");
                self.engine.delete_index(&index).await?;
            }
        }
        Ok(())
    }

    /// Removes an index that a job did not finish, if it is there.
    pub(crate) async fn remove_half_made(&self, index: &str) -> Result<(), EngineError> {
        match self.engine.position(index).await {
            Ok(None) if self.current().await?.as_deref() != Some(index) => self.engine.delete_index(index).await,
            Ok(_) | Err(EngineError::IndexNotFound(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }
}
