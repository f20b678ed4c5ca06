//! Looking after indexes: figures, imports, checks.

use std::sync::Mutex;
use std::sync::PoisonError;

use async_trait::async_trait;
use cantata_engine::{EngineError, ImportChunk, ImportReport, IndexAdministration, IndexStats};

use crate::engine::{EmbeddedEngine, aside, bytes_of};
use crate::index::{ImportProgress, ImportRules, IndexFile};

impl EmbeddedEngine {
    /// Returns the figures of an index.
    ///
    /// # Errors
    ///
    /// If there is no such index.
    pub fn index_stats(&self, name: &str) -> Result<IndexStats, EngineError> {
        let index = self.index(name)?;
        let snapshot = index.snapshot();
        let documents = snapshot.documents() as u64;
        let all: usize = snapshot.views.iter().map(|view| view.segment.documents()).sum();
        Ok(IndexStats {
            name: index.name().to_owned(),
            documents,
            deleted: all as u64 - documents,
            segments: snapshot.views.len(),
            bytes: bytes_of(index.folder()),
            fields: snapshot.mapping.fields().filter(|field| field.kind.has_values()).count(),
        })
    }

    /// Returns the files of all indexes as they are now, while writing goes on: the aliases are those of the beginning,
    /// each index is as it was at one moment of the call. They are in memory or mapped into it, and stay what they are whatever becomes of the indexes.
    ///
    /// # Errors
    ///
    /// If an index is damaged or cannot be used; a copy without it would not be whole.
    pub fn backup_files(&self) -> Result<Vec<IndexFile>, EngineError> {
        let mut files = Vec::new();
        let contents = self.contents();
        for index in contents.indexes.into_values() {
            files.extend(index?.backup_files()?);
        }
        let (name, text) = contents.aliases.written().map_err(|error| EngineError::Failed(error.to_string()))?;
        files.push(IndexFile { path: name.to_owned(), content: text.into() });
        Ok(files)
    }

    /// Takes in many documents. The chunks of a source come in order; `tell` hears what happens.
    ///
    /// # Errors
    ///
    /// If there is no such index, it cannot be written, or a chunk cannot be read. What was told to be taken in is
    /// there even then, and the import can go on from [`IndexAdministration::import_position`].
    pub fn import(
        &self,
        name: &str,
        chunks: impl Iterator<Item = Result<ImportChunk, String>> + Send,
        id_field: Option<&str>,
        threads: usize,
        tell: &(dyn Fn(ImportProgress) + Sync),
    ) -> Result<(), EngineError> {
        let index = self.index(name)?;
        index.import(chunks, &ImportRules { id_field, threads, tell })?;
        while index.merge_some()? {}
        Ok(())
    }
}

#[async_trait]
impl IndexAdministration for EmbeddedEngine {
    async fn stats(&self, index: &str) -> Result<IndexStats, EngineError> {
        self.index_stats(index)
    }

    async fn compact(&self, index: &str) -> Result<(), EngineError> {
        let index = self.index(index)?;
        aside(move || index.compact()).await
    }

    async fn verify(&self, index: &str) -> Result<Vec<String>, EngineError> {
        let index = self.index(index)?;
        aside(move || Ok(index.verify())).await
    }

    async fn import_chunk(
        &self,
        index: &str,
        chunk: ImportChunk,
        id_field: Option<String>,
    ) -> Result<ImportReport, EngineError> {
        let (engine, index) = (self.clone(), index.to_owned());
        aside(move || {
            let report = Mutex::new(ImportReport::default());
            let tell = |progress| {
                let mut report = report.lock().unwrap_or_else(PoisonError::into_inner);
                match progress {
                    ImportProgress::Rejected(refusal) => report.refused.push(refusal),
                    ImportProgress::Indexed { documents, .. } => report.taken += documents,
                }
            };
            engine.import(&index, std::iter::once(Ok(chunk)), id_field.as_deref(), 1, &tell)?;
            Ok(report.into_inner().unwrap_or_else(PoisonError::into_inner))
        })
        .await
    }

    async fn import_position(&self, index: &str, source: &str) -> Result<u64, EngineError> {
        Ok(self.index(index)?.import_position(source))
    }

    async fn end_import(&self, index: &str, source: &str) -> Result<(), EngineError> {
        let (index, source) = (self.index(index)?, source.to_owned());
        aside(move || index.end_import(&source)).await
    }
}
