//! The engine: the indexes of a data folder.
//!
//! One process at a time may have the folder open; a lock file sees to that.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use async_trait::async_trait;
use cantata_engine::{
    Answer, BatchReport, Document, EngineError, ExportPage, ExportRequest, Exporting, IndexSummary, Operation, Plan,
    SearchEngine,
};
use cantata_mapping::IndexMapping;
use serde_json::Value;

use crate::index::Index;
use crate::search::{self, Export};
use crate::turns::{Asker, Turns};

/// The name of the lock file.
const LOCK: &str = "lock";

/// What the name of a folder begins with whose index was deleted.
const DELETED: &str = ".deleted-";

/// What the name of a folder begins with whose index is being made.
const UNFINISHED: &str = ".unfinished-";

/// The longest name of an index.
const LONGEST_NAME: usize = 200;

/// The embedded engine.
#[derive(Clone)]
pub struct EmbeddedEngine(Arc<Inner>);

struct Inner {
    folder: PathBuf,
    indexes: RwLock<BTreeMap<String, Entry>>,
    turns: Turns,
    /// Unlocked when the engine goes.
    _lock: fs_err::File,
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
        Ok(Self(Arc::new(Inner {
            folder: folder.to_owned(),
            indexes: RwLock::new(indexes),
            turns: Turns::default(),
            _lock: lock,
        })))
    }

    pub(crate) fn index(&self, name: &str) -> Result<Arc<Index>, EngineError> {
        let indexes = self.0.indexes.read().unwrap_or_else(PoisonError::into_inner);
        indexes.get(name).cloned().unwrap_or_else(|| Err(EngineError::IndexNotFound(name.to_owned())))
    }

    /// Returns all indexes, by name, each or why it cannot be used.
    pub(crate) fn all(&self) -> Vec<Entry> {
        self.0.indexes.read().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }

    /// Makes an index.
    ///
    /// # Errors
    ///
    /// If it is there already, or its name or mapping cannot be used.
    pub fn create(&self, name: &str, mapping: Option<&Value>) -> Result<(), EngineError> {
        check_name(name)?;
        let mut indexes = self.0.indexes.write().unwrap_or_else(PoisonError::into_inner);
        if indexes.contains_key(name) {
            return Err(EngineError::IndexExists(name.to_owned()));
        }
        let unfinished = self.0.folder.join(format!("{UNFINISHED}{name}"));
        let index = Index::create(name, self.0.folder.join(name), &unfinished, mapping)?;
        indexes.insert(name.to_owned(), Ok(Arc::new(index)));
        Ok(())
    }

    /// Removes an index with everything in it.
    ///
    /// # Errors
    ///
    /// If there is none of this name, or its files cannot be removed.
    pub fn delete(&self, name: &str) -> Result<(), EngineError> {
        let mut indexes = self.0.indexes.write().unwrap_or_else(PoisonError::into_inner);
        if !indexes.contains_key(name) {
            return Err(EngineError::IndexNotFound(name.to_owned()));
        }
        // Once it has another name it is no index any more, so a crash in between leaves nothing half there.
        let folder = self.0.folder.join(name);
        let gone = self.0.folder.join(format!("{DELETED}{name}"));
        let removed = fs_err::rename(&folder, &gone).and_then(|()| fs_err::remove_dir_all(&gone));
        removed.map_err(|error| EngineError::Failed(error.to_string()))?;
        indexes.remove(name);
        Ok(())
    }

    /// Writes a batch.
    ///
    /// # Errors
    ///
    /// If there is no such index, or it cannot be written.
    pub fn write_batch(&self, name: &str, batch: &[Operation]) -> Result<BatchReport, EngineError> {
        let index = self.index(name)?;
        let report = index.write(batch)?;
        while index.merge_some()? {}
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
        && name.starts_with(|letter: char| letter.is_ascii_alphanumeric())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'));
    if is_fine {
        return Ok(());
    }
    Err(EngineError::Refused(format!(
        "{name:?} cannot be the name of an index; expected 1 to {LONGEST_NAME} letters, digits, `_`, `-` and `.`, the \
         first of them a letter or digit"
    )))
}

/// Runs something that takes a while away from the threads that serve requests.
pub(crate) async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, EngineError> + Send + 'static,
) -> Result<T, EngineError> {
    tokio::task::spawn_blocking(work)
        .await
        .unwrap_or_else(|_| Err(EngineError::Failed("a request ended unexpectedly".to_owned())))
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
        let mut views = snapshot.views.iter().enumerate();
        let Some(place) = views.find_map(|(segment, view)| Some((segment, view.row_of(id)?))) else { return Ok(None) };
        aside(move || Ok(search::documents_of(&snapshot, &[place])?.pop())).await
    }

    async fn create_index(&self, index: &str, mapping: Option<&Value>) -> Result<(), EngineError> {
        self.create(index, mapping)
    }

    async fn delete_index(&self, index: &str) -> Result<(), EngineError> {
        self.delete(index)
    }

    async fn indexes(&self) -> Result<Vec<IndexSummary>, EngineError> {
        let indexes = self.0.indexes.read().unwrap_or_else(PoisonError::into_inner);
        let summaries = indexes.values().flatten().map(|index| IndexSummary {
            name: index.name().to_owned(),
            documents: index.snapshot().documents() as u64,
            bytes: bytes_of(index.folder()),
        });
        Ok(summaries.collect())
    }

    async fn write(&self, index: &str, batch: Vec<Operation>) -> Result<BatchReport, EngineError> {
        let index = self.index(index)?;
        let report = {
            let index = Arc::clone(&index);
            aside(move || index.write(&batch)).await?
        };
        // Nobody waits for merging; a failure is told in the log and tried again with the next write.
        tokio::task::spawn_blocking(move || {
            while index.merge_some().unwrap_or_else(|error| {
                tracing::error!(index = index.name(), %error, "segments cannot be merged");
                false
            }) {}
        });
        Ok(report)
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
