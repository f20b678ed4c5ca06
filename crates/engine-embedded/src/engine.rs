//! The engine: the indexes of a data folder.
//!
//! One process at a time may have the folder open; a lock file sees to that.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::Duration;

use async_trait::async_trait;
use cantata_durable_file as durable_file;
use cantata_engine::{
    Alias, AliasChange, Answer, BatchReport, Document, EngineError, ExportPage, ExportRequest, Exporting, IndexSummary,
    Operation, Plan, SearchEngine, changed_aliases,
};
use cantata_mapping::IndexMapping;
use serde_json::Value;
use tokio::task::spawn_blocking;

use crate::aliases::Aliases;
use crate::index::{Index, size_of};
use crate::search::{self, Export};
use crate::turns::{Asker, Turns};

/// The name of the lock file.
const LOCK: &str = "lock";

/// What the name of a folder begins with whose index was deleted.
const DELETED: &str = ".deleted-";

/// What the name of a folder begins with whose index is being made.
const UNFINISHED: &str = ".unfinished-";

/// How long nothing is written before segments are put together, if they can wait.
const TIDIED_AFTER: Duration = Duration::from_millis(200);

/// Batches of fewer bytes of JSON that do not wait for the disk are written in order: none holds up another one for long.
const WRITTEN_IN_ORDER: usize = 4 << 20;

/// How often is looked whether anything is being written.
const IDLE_POLL_INTERVAL: Duration = Duration::from_millis(2);

/// The longest name of an index.
const LONGEST_NAME: usize = 200;

/// The embedded engine.
#[derive(Clone)]
pub struct EmbeddedEngine(Arc<Inner>);

struct Inner {
    folder: PathBuf,
    contents: RwLock<Contents>,
    turns: Turns,
    /// Held by everything that writes, also where nobody waits for it any more.
    work: Arc<()>,
    /// Unlocked when the engine goes.
    _lock: fs_err::File,
}

/// What is in the folder.
#[derive(Clone)]
pub(crate) struct Contents {
    pub(crate) indexes: BTreeMap<String, Entry>,
    pub(crate) aliases: Aliases,
}

/// An index, or why it cannot be used.
pub(crate) type Entry = Result<Arc<Index>, EngineError>;

/// Why a data folder cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Another process has it open.
    #[error("the search folder {0} is in use by another process")]
    InUse(PathBuf),
    /// The file system does not let us.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

impl EmbeddedEngine {
    /// Opens the indexes of a folder, which is made if it is not there. An index that cannot be opened does not keep
    /// the others from being used.
    ///
    /// # Errors
    ///
    /// If the folder cannot be used, or is in use by another process.
    pub fn open(folder: &Path) -> Result<Self, OpenError> {
        fs_err::create_dir_all(folder)?;
        let lock = fs_err::OpenOptions::new().create(true).truncate(false).write(true).open(folder.join(LOCK))?;
        if lock.file().try_lock().is_err() {
            return Err(OpenError::InUse(folder.to_owned()));
        }
        let mut indexes = BTreeMap::new();
        for entry in fs_err::read_dir(folder)? {
            let entry = entry?;
            let name = entry.file_name().into_string().unwrap_or_default();
            if name.starts_with(DELETED) || name.starts_with(UNFINISHED) {
                fs_err::remove_dir_all(entry.path())?;
                continue;
            }
            if entry.file_type()?.is_dir() && check_name(&name).is_ok() {
                let index = Index::open(&name, entry.path()).map(Arc::new);
                if let Err(error) = &index {
                    tracing::error!(index = name, %error, "an index cannot be used");
                }
                indexes.insert(name, index);
            }
        }
        let aliases = Aliases::read(folder, |name| indexes.contains_key(name))?;
        Ok(Self(Arc::new(Inner {
            folder: folder.to_owned(),
            contents: RwLock::new(Contents { indexes, aliases }),
            turns: Turns::default(),
            work: Arc::default(),
            _lock: lock,
        })))
    }

    pub(crate) fn index(&self, name: &str) -> Result<Arc<Index>, EngineError> {
        let Contents { indexes, aliases } = &*self.read();
        let entry = indexes.get(aliases.resolved(name)).cloned();
        entry.unwrap_or_else(|| Err(EngineError::IndexNotFound(name.to_owned())))
    }

    /// Returns the indexes and aliases of this moment.
    pub(crate) fn contents(&self) -> Contents {
        self.read().clone()
    }

    fn read(&self) -> RwLockReadGuard<'_, Contents> {
        self.0.contents.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self) -> RwLockWriteGuard<'_, Contents> {
        self.0.contents.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes an index.
    ///
    /// # Errors
    ///
    /// If it is there already, or its name or mapping cannot be used.
    pub fn create(&self, name: &str, mapping: Option<&Value>) -> Result<(), EngineError> {
        check_name(name)?;
        let mut contents = self.change();
        if contents.indexes.contains_key(name) {
            return Err(EngineError::IndexExists(name.to_owned()));
        }
        if contents.aliases.aliases.contains_key(name) {
            return Err(EngineError::Refused(format!("`{name}` is an alias; expected a name that no alias has")));
        }
        let unfinished = self.0.folder.join(format!("{UNFINISHED}{name}"));
        let index = Index::create(name, self.0.folder.join(name), &unfinished, mapping)?;
        contents.indexes.insert(name.to_owned(), Ok(Arc::new(index)));
        Ok(())
    }

    /// Removes an index with everything in it, and the aliases that lead to it.
    ///
    /// # Errors
    ///
    /// If there is none of this name, or its files cannot be removed.
    pub fn delete(&self, name: &str) -> Result<(), EngineError> {
        let mut contents = self.change();
        if let Some(index) = contents.aliases.aliases.get(name) {
            return Err(EngineError::Refused(format!(
                "`{name}` is an alias of `{index}`; expected the name of an index"
            )));
        }
        if !contents.indexes.contains_key(name) {
            return Err(EngineError::IndexNotFound(name.to_owned()));
        }
        // Once it has another name it is no index any more, so a crash in between leaves nothing half there.
        let folder = self.0.folder.join(name);
        let gone = self.0.folder.join(format!("{DELETED}{name}"));
        let failed = |error: std::io::Error| EngineError::Failed(error.to_string());
        durable_file::rename(&folder, &gone).map_err(failed)?;
        contents.indexes.remove(name);
        let before = contents.aliases.aliases.len();
        contents.aliases.aliases.retain(|_, index| index != name);
        if contents.aliases.aliases.len() < before {
            contents.aliases.write(&self.0.folder).map_err(failed)?;
        }
        drop(contents);
        fs_err::remove_dir_all(&gone).map_err(failed)
    }

    /// Changes aliases.
    fn change_aliases_now(&self, changes: &[AliasChange]) -> Result<(), EngineError> {
        for change in changes {
            if let AliasChange::Add { alias, .. } = change {
                check_name(alias)?;
            }
        }
        let mut contents = self.change();
        let aliases = changed_aliases(&contents.aliases.aliases, changes, |name| contents.indexes.contains_key(name))?;
        let aliases = Aliases { aliases };
        if aliases != contents.aliases {
            aliases.write(&self.0.folder).map_err(|error| EngineError::Failed(error.to_string()))?;
            contents.aliases = aliases;
        }
        Ok(())
    }

    async fn write_now(
        &self,
        index: &str,
        batch: Vec<Operation>,
        position: Option<String>,
    ) -> Result<BatchReport, EngineError> {
        let index = self.index(index)?;
        let report = {
            let (index, work) = (Arc::clone(&index), Arc::clone(&self.0.work));
            let is_soon_done = position.is_some() && batch.iter().map(size_of).sum::<usize>() < WRITTEN_IN_ORDER;
            let write = move || {
                let _work = work;
                index.write(&batch, position.as_deref())
            };
            let written = if is_soon_done { cantata_background::run_in_order(write) } else { spawn_blocking(write) };
            written.await.unwrap_or_else(|_| Err(ended_unexpectedly()))?
        };
        if index.wants_tidying() {
            let (work, engine) = (Arc::clone(&self.0.work), Arc::downgrade(&self.0));
            tokio::spawn(async move {
                while !index.rests_or_is_crowded(TIDIED_AFTER).await && engine.strong_count() > 0 {}
                // The folder of an engine that is gone may be open again.
                let Some(engine) = engine.upgrade() else { return };
                // Nobody waits for this; a failure is told in the log and tried again after the next write.
                let told = |index: &Index, error| tracing::error!(index = index.name(), %error, "segments cannot be put together");
                cantata_background::run_soon(move || match index.tidy_memory() {
                    Ok(()) => drop(cantata_background::run(move || {
                        let _open = (work, engine);
                        index.tidy_files().unwrap_or_else(|error| told(&index, error));
                    })),
                    Err(error) => told(&index, error),
                });
            });
        }
        Ok(report)
    }

    /// Waits until nothing is written or merged any more. Whoever opens the folder again in the same process must wait for
    /// this first: dropping the engine ends nothing that is under way.
    pub async fn wait_until_idle(&self) {
        while Arc::strong_count(&self.0.work) > 1 {
            tokio::time::sleep(IDLE_POLL_INTERVAL).await;
        }
    }

    /// Writes a batch.
    ///
    /// # Errors
    ///
    /// If there is no such index, or it cannot be written.
    pub fn write_batch(&self, name: &str, batch: &[Operation]) -> Result<BatchReport, EngineError> {
        let index = self.index(name)?;
        let report = index.write(batch, None)?;
        index.tidy_memory()?;
        index.tidy_files()?;
        Ok(report)
    }
}

/// Returns the size of the files of a folder.
pub(crate) fn bytes_of(folder: &Path) -> u64 {
    let Ok(entries) = fs_err::read_dir(folder) else { return 0 };
    entries.flatten().filter_map(|entry| entry.metadata().ok()).map(|metadata| metadata.len()).sum()
}

fn check_name(name: &str) -> Result<(), EngineError> {
    let is_fine = !name.is_empty()
        && name.len() <= LONGEST_NAME
        && name != LOCK
        && name.starts_with(|letter: char| letter.is_ascii_alphanumeric())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'));
    if is_fine {
        return Ok(());
    }
    Err(EngineError::Refused(format!(
        "{name:?} cannot be the name of an index; expected 1 to {LONGEST_NAME} letters, digits, `_`, `-` and `.`, the \
         first of them a letter or digit, and not `{LOCK}`"
    )))
}

/// Runs something that takes a while away from the threads that serve requests.
pub(crate) async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, EngineError> + Send + 'static,
) -> Result<T, EngineError> {
    spawn_blocking(work).await.unwrap_or_else(|_| Err(ended_unexpectedly()))
}

fn ended_unexpectedly() -> EngineError {
    EngineError::Failed("a request ended unexpectedly".to_owned())
}

#[async_trait]
impl SearchEngine for EmbeddedEngine {
    async fn mapping(&self, index: &str) -> Result<Arc<IndexMapping>, EngineError> {
        Ok(Arc::clone(&self.index(index)?.snapshot().mapping))
    }

    async fn search(&self, index: &str, plan: Arc<Plan>) -> Result<Answer, EngineError> {
        let snapshot = self.index(index)?.snapshot();
        let turn = self.0.turns.take().await?;
        let asker = Asker::default();
        let interest = asker.interest();
        aside(move || {
            // The turn ends with the search, also where nobody waits for it any more.
            let _turn = turn;
            search::run(&snapshot, &plan, &interest)
        })
        .await
    }

    async fn export(&self, index: &str, request: ExportRequest) -> Result<Box<dyn Exporting>, EngineError> {
        let snapshot = self.index(index)?.snapshot();
        let export = aside(move || Ok(Export::new(snapshot, request))).await?;
        Ok(Box::new(RunningExport { total: export.left(), export: Some(export) }))
    }

    async fn document(&self, index: &str, id: &str) -> Result<Option<Document>, EngineError> {
        let snapshot = self.index(index)?.snapshot();
        let Some(place) = snapshot.place_of(id) else { return Ok(None) };
        aside(move || Ok(search::documents_of(&snapshot, &[place])?.pop())).await
    }

    async fn has_documents(&self, index: &str, ids: &[&str]) -> Result<Vec<bool>, EngineError> {
        let snapshot = self.index(index)?.snapshot();
        Ok(ids.iter().map(|id| snapshot.place_of(id).is_some()).collect())
    }

    async fn create_index(&self, index: &str, mapping: Option<&Value>) -> Result<(), EngineError> {
        self.create(index, mapping)
    }

    async fn delete_index(&self, index: &str) -> Result<(), EngineError> {
        self.delete(index)
    }

    async fn indexes(&self) -> Result<Vec<IndexSummary>, EngineError> {
        let contents = self.contents();
        let summaries = contents.indexes.values().flatten().map(|index| IndexSummary {
            name: index.name().to_owned(),
            documents: index.snapshot().documents() as u64,
            bytes: bytes_of(index.folder()),
        });
        Ok(summaries.collect())
    }

    async fn write(&self, index: &str, batch: Vec<Operation>) -> Result<BatchReport, EngineError> {
        self.write_now(index, batch, None).await
    }

    async fn fill(&self, index: &str, documents: Vec<Operation>) -> Result<BatchReport, EngineError> {
        let (index, work) = (self.index(index)?, Arc::clone(&self.0.work));
        let filled = cantata_background::run(move || {
            let _work = work;
            let report = index.fill(&documents)?;
            // Whoever fills an index need not be faster than it is put in order; searches have the other processors.
            while index.merge_some()? {}
            Ok(report)
        });
        filled.await.unwrap_or_else(|_| Err(ended_unexpectedly()))
    }

    async fn write_at(&self, index: &str, batch: Vec<Operation>, position: &str) -> Result<BatchReport, EngineError> {
        self.write_now(index, batch, Some(position.to_owned())).await
    }

    async fn position(&self, index: &str) -> Result<Option<String>, EngineError> {
        let index = self.index(index)?;
        aside(move || Ok(index.position())).await
    }

    async fn extend_mapping(&self, index: &str, mapping: &Value) -> Result<(), EngineError> {
        let (index, mapping) = (self.index(index)?, mapping.clone());
        aside(move || index.extend_mapping(&mapping)).await
    }

    async fn aliases(&self) -> Result<Vec<Alias>, EngineError> {
        let alias = |(name, index): (&String, &String)| Alias { name: name.clone(), index: index.clone() };
        Ok(self.read().aliases.aliases.iter().map(alias).collect())
    }

    async fn change_aliases(&self, changes: &[AliasChange]) -> Result<(), EngineError> {
        let (engine, changes) = (self.clone(), changes.to_vec());
        aside(move || engine.change_aliases_now(&changes)).await
    }
}

/// An export that is asked page by page.
struct RunningExport {
    total: u64,
    /// Away while a page is made.
    export: Option<Export>,
}

#[async_trait]
impl Exporting for RunningExport {
    fn total(&self) -> u64 {
        self.total
    }

    async fn next(&mut self) -> Result<Option<ExportPage>, EngineError> {
        let Some(mut export) = self.export.take() else { return Ok(None) };
        let (export, hits) = aside(move || {
            let hits = export.next()?;
            Ok((export, hits))
        })
        .await?;
        self.export = Some(export);
        Ok((!hits.is_empty()).then_some(ExportPage { hits }))
    }
}
