//! Administration of indexes: stats, backups, imports, verification.

use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use cantata_engine::{EngineError, ImportChunk, ImportOutcome, ImportReport, IndexMaintenance, IndexStats};
use cantata_mapping::IndexMapping;

use crate::engine::{EmbeddedEngine, folder_bytes, run_blocking};
use crate::index::{ImportOptions, ImportProgress, IndexFile, read_description};

/// What the manifest and the log of an index say about it.
#[derive(Debug, Clone)]
pub struct IndexDescription {
    /// The mapping.
    pub mapping: IndexMapping,
    /// How far the source of the documents has been read, if batches came with a position.
    pub position: Option<String>,
}

impl EmbeddedEngine {
    /// Returns the files of a backup of all indexes, while writes go on: the aliases are those of the beginning, and each
    /// index is a snapshot taken during the call. The files are in memory or mapped, and independent of later changes.
    ///
    /// # Errors
    ///
    /// If an index is damaged or cannot be used; a backup without it would be incomplete.
    pub fn backup_files(&self) -> Result<Vec<IndexFile>, EngineError> {
        loop {
            match self.try_backup() {
                // An index was deleted meanwhile; the aliases may have moved to another one before.
                Err(EngineError::IndexNotFound(_)) => {}
                files => return files,
            }
        }
    }

    fn try_backup(&self) -> Result<Vec<IndexFile>, EngineError> {
        let mut files = Vec::new();
        let registry = self.registry();
        for index in registry.indexes.into_values() {
            files.extend(index.map_err(|unopened| unopened.error)?.backup_files()?);
        }
        let (name, text) = registry.aliases.to_file().map_err(|error| EngineError::Failed(error.to_string()))?;
        files.push(IndexFile { path: name.to_owned(), content: text.into() });
        Ok(files)
    }

    /// Says what an index is, also if its segments are damaged.
    ///
    /// # Errors
    ///
    /// If there is none of this name, or its manifest or log cannot be read.
    pub fn describe(&self, name: &str) -> Result<IndexDescription, EngineError> {
        let registry = self.registry();
        let folder = match registry.indexes.get(name) {
            Some(Ok(index)) => index.folder(),
            Some(Err(unopened)) => unopened.folder.as_path(),
            None => return Err(EngineError::IndexNotFound(name.to_owned())),
        };
        let (mapping, position) = read_description(folder)
            .map_err(|error| EngineError::IndexDamaged { index: name.to_owned(), reason: error.chain() })?;
        Ok(IndexDescription { mapping, position })
    }

    /// Imports many documents. The chunks of a source must come in order.
    ///
    /// # Errors
    ///
    /// If there is no such index, or it cannot be written. What was reported as indexed is part of the index even then, and
    /// the import can continue from [`IndexMaintenance::import_position`].
    pub fn import(
        &self,
        name: &str,
        chunks: impl Iterator<Item = ImportChunk> + Send,
        id_field: Option<&str>,
        threads: usize,
        on_progress: &(dyn Fn(ImportProgress) + Sync),
    ) -> Result<(), EngineError> {
        let index = self.index(name)?;
        index.import(chunks, &ImportOptions { id_field, threads, on_progress })?;
        index.merge_files()
    }
}

#[async_trait]
impl IndexMaintenance for EmbeddedEngine {
    async fn stats(&self, index: &str) -> Result<IndexStats, EngineError> {
        let index = self.index(index)?;
        let snapshot = index.snapshot();
        let documents = snapshot.live_document_count() as u64;
        let with_deleted: usize = snapshot.segments.iter().map(|reader| reader.segment.document_count()).sum();
        Ok(IndexStats {
            name: index.name().to_owned(),
            documents,
            deleted: with_deleted as u64 - documents,
            segments: snapshot.segments.len(),
            bytes: folder_bytes(index.folder()),
            fields: snapshot.mapping.fields().filter(|field| field.kind.has_values()).count(),
        })
    }

    async fn compact(&self, index: &str) -> Result<(), EngineError> {
        let index = self.index(index)?;
        run_blocking(move || index.compact()).await
    }

    async fn verify(&self, index: &str) -> Result<Vec<String>, EngineError> {
        let index = match self.index(index) {
            // It is damaged so much that it is not read, or cannot be read now.
            Err(EngineError::IndexDamaged { reason, .. } | EngineError::IndexUnavailable { reason, .. }) => {
                return Ok(vec![reason]);
            }
            found => found?,
        };
        run_blocking(move || Ok(index.verify())).await
    }

    async fn import_chunk(&self, index: &str, chunk: ImportChunk, id_field: Option<String>) -> ImportOutcome {
        let (engine, index) = (self.clone(), index.to_owned());
        run_blocking(move || {
            let report = Mutex::new(ImportReport::default());
            let on_progress = |progress| {
                let mut report = report.lock().unwrap_or_else(PoisonError::into_inner);
                match progress {
                    ImportProgress::Rejected(rejected) => report.rejected.push(rejected),
                    ImportProgress::Indexed { documents, .. } => report.indexed += documents,
                }
            };
            engine.import(&index, std::iter::once(chunk), id_field.as_deref(), 1, &on_progress)?;
            Ok(report.into_inner().unwrap_or_else(PoisonError::into_inner))
        })
        .await
    }

    async fn import_position(&self, index: &str, source: &str) -> Result<u64, EngineError> {
        let (index, source) = (self.index(index)?, source.to_owned());
        run_blocking(move || index.import_position(&source)).await
    }

    async fn end_import(&self, index: &str, source: &str) -> Result<(), EngineError> {
        let (index, source) = (self.index(index)?, source.to_owned());
        run_blocking(move || index.end_import(&source)).await
    }
}
