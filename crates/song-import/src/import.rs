//! The import: studies, types, analyses, then everything read back and compared.

use std::fmt::Display;

use cantata_core::AnalysisId;
use cantata_schema::describe_foreign_schema;
use cantata_store::Store;
use futures_util::future::try_join_all;
use tokio_postgres::Client;

use crate::ImportError;
use crate::convert;
use crate::report::{Comparison, DigestsByKind, ImportReport, RecordKind, RejectedRecord};
use crate::rows::AnalysisRows;
use crate::song_database::SongDatabase;
use crate::store_writer::{WriteOutcome, execute_write, plan_write};
use crate::types::{TypeImporter, stored_version};
use crate::verification::{SongRecord, digest_stored, digest_study, digest_type};

/// How many analyses are written concurrently; they share group commits.
const MAX_CONCURRENT_WRITES: usize = 64;

/// Kinds of records in `info` that are imported with their owner.
const INFO_KINDS: [&str; 2] = ["Study", "File"];
const SAMPLE_INFO_KINDS: [&str; 3] = ["Donor", "Specimen", "Sample"];

/// Imports the database behind a connection. `progress` is called with the numbers of analyses done and of all.
///
/// # Errors
///
/// If the database is not SONG's, or either database fails. What is stored by then stays, and the next import continues.
pub async fn import(
    client: &mut Client,
    store: &dyn Store,
    progress: &mut (dyn FnMut(u64, u64) + Send),
) -> Result<ImportReport, ImportError> {
    let source = SongDatabase::open(client).await?;
    let is_before_5_3 = source.schema.is_before_5_3();
    let mut import = Import {
        store,
        report: ImportReport { is_before_5_3, ..ImportReport::default() },
        types: TypeImporter::default(),
        song_digests: DigestsByKind::default(),
        store_digests: DigestsByKind::default(),
        folded_analyses: 0,
        untyped_files: 0,
    };
    import.import_studies(&source).await?;
    import.import_types(&source).await?;
    import.import_analyses(&source, progress).await?;
    import.reject_orphans(&source).await?;
    import.add_notes(&source).await?;
    for kind in RecordKind::ALL {
        let in_song = source.count(kind.table()).await?;
        import.compare(kind, in_song);
    }
    Ok(import.report)
}

/// An import in progress.
struct Import<'a> {
    store: &'a dyn Store,
    report: ImportReport,
    types: TypeImporter,
    song_digests: DigestsByKind,
    store_digests: DigestsByKind,
    /// How many analyses have samples that come from tables of their own.
    folded_analyses: u64,
    /// How many files have no data type.
    untyped_files: u64,
}

impl Import<'_> {
    fn reject(&mut self, kind: RecordKind, id: impl Into<String>, reason: &dyn Display) {
        self.report.refused.push(RejectedRecord { kind, id: id.into(), reason: reason.to_string() });
    }

    async fn import_studies(&mut self, source: &SongDatabase<'_>) -> Result<(), ImportError> {
        for row in source.studies().await? {
            let id = row.id.clone();
            let study = match convert::study(row) {
                Ok(study) => study,
                Err(reason) => {
                    self.reject(RecordKind::Study, id, &reason);
                    continue;
                }
            };
            self.store.create_study(study.clone()).await?;
            let Some(here) = self.store.study(&id).await? else { continue };
            // Empty members are left out of the JSON form, so that is compared.
            if serde_json::to_value(&here).ok() == serde_json::to_value(&study).ok() {
                digest_study(&mut self.song_digests, &study);
                digest_study(&mut self.store_digests, &here);
            } else {
                self.reject(RecordKind::Study, id, &"it is here with another content, and stays as it is");
            }
        }
        Ok(())
    }

    async fn import_types(&mut self, source: &SongDatabase<'_>) -> Result<(), ImportError> {
        for row in source.types().await? {
            let name = format!("{}:{}", row.name.as_deref().unwrap_or_default(), row.version);
            match self.types.import(row, self.store).await? {
                Err(reason) => self.reject(RecordKind::AnalysisType, name, &reason),
                Ok(there) => {
                    let Some(here) = stored_version(self.store, &there.id).await? else { continue };
                    let of_schema = describe_foreign_schema(&there.schema);
                    self.report.notes.extend(of_schema.iter().map(|note| format!("analysis type {name}: {note}")));
                    self.report.notes.append(&mut self.types.notes);
                    digest_type(&mut self.song_digests, &there);
                    digest_type(&mut self.store_digests, &here);
                    if here.created_at != there.created_at {
                        self.report.notes.push(format!(
                            "analysis type {name} was registered here at {} and in SONG at {}",
                            here.created_at, there.created_at
                        ));
                    }
                }
            }
        }
        Ok(())
    }

    async fn import_analyses(
        &mut self,
        source: &SongDatabase<'_>,
        progress: &mut (dyn FnMut(u64, u64) + Send),
    ) -> Result<(), ImportError> {
        let total = source.count(RecordKind::Analysis.table()).await?;
        let analyses = source.analyses().await?;
        let mut done = 0;
        loop {
            let page = source.page(&analyses).await?;
            if page.is_empty() {
                return Ok(());
            }
            let mut page = page.into_iter();
            while page.len() > 0 {
                let batch: Vec<AnalysisRows> = page.by_ref().take(MAX_CONCURRENT_WRITES).collect();
                done += batch.len() as u64;
                self.write(batch).await?;
                progress(done, total);
            }
        }
    }

    /// Writes some analyses and reads them back.
    async fn write(&mut self, batch: Vec<AnalysisRows>) -> Result<(), ImportError> {
        let mut converted = Vec::new();
        for rows in batch {
            let record = SongRecord::of(&rows);
            let type_of = |row| self.types.imported.get(&row).cloned();
            match convert::analysis(rows, type_of) {
                Ok(made) => converted.push((record, made)),
                Err(reason) => self.reject_analysis(&record, &reason),
            }
        }
        let tasks = try_join_all(converted.iter().map(|(_, made)| plan_write(self.store, &made.analysis))).await?;
        let outcomes = try_join_all(tasks.into_iter().map(|task| execute_write(self.store, task))).await?;
        let mut taken: Vec<AnalysisId> = Vec::new();
        for ((record, made), outcome) in converted.into_iter().zip(outcomes) {
            match outcome {
                WriteOutcome::New => self.report.new += 1,
                WriteOutcome::Updated => self.report.updated += 1,
                WriteOutcome::Unchanged => self.report.unchanged += 1,
                WriteOutcome::Rejected(reason) => {
                    self.reject_analysis(&record, &reason);
                    continue;
                }
            }
            record.count(&mut self.song_digests, &made.analysis);
            self.folded_analyses += u64::from(made.has_folded_samples);
            self.untyped_files += made.analysis.files.iter().filter(|file| file.data_type.is_empty()).count() as u64;
            taken.push(made.analysis.analysis_id);
        }
        Ok(digest_stored(self.store, &mut self.store_digests, &taken).await?)
    }

    /// Rejects an analysis and everything that belongs to it.
    fn reject_analysis(&mut self, record: &SongRecord, reason: &dyn Display) {
        let [id, ..] = &record.analysis;
        self.reject(RecordKind::Analysis, id, reason);
        let with_it = format!("its analysis '{id}' is not imported");
        for [file, ..] in &record.files {
            self.reject(RecordKind::File, file, &with_it);
        }
        for [change, ..] in &record.states {
            self.reject(RecordKind::StateChange, change, &with_it);
        }
    }

    /// Rejects rows that belong to no analysis.
    async fn reject_orphans(&mut self, source: &SongDatabase<'_>) -> Result<(), ImportError> {
        for kind in [RecordKind::File, RecordKind::StateChange] {
            for (id, analysis_id) in source.orphans(kind.table()).await? {
                let analysis_id = analysis_id.unwrap_or_default();
                self.reject(kind, id, &format!("its analysis '{analysis_id}' is not in the database"));
            }
        }
        Ok(())
    }

    async fn add_notes(&mut self, source: &SongDatabase<'_>) -> Result<(), ImportError> {
        let is_before_5_3 = self.report.is_before_5_3;
        let notes = &mut self.report.notes;
        if self.folded_analyses > 0 && !is_before_5_3 {
            notes.push(format!(
                "{} analyses had samples in tables that SONG 5.3.0 does not read any more; they are part of their data now",
                self.folded_analyses
            ));
        }
        if self.untyped_files > 0 {
            notes.push(format!("{} files have no dataType; it is an empty text here", self.untyped_files));
        }
        for (kind, count) in source.info_kinds().await? {
            let is_imported = INFO_KINDS.contains(&kind.as_str())
                || source.schema.has_samples() && SAMPLE_INFO_KINDS.contains(&kind.as_str());
            if !is_imported {
                notes.push(format!(
                    "{count} info records of the kind {kind} are shown by no version of SONG and left out"
                ));
            }
        }
        Ok(())
    }

    fn compare(&mut self, kind: RecordKind, in_song: u64) {
        let refused = self.report.refused.iter().filter(|rejected| rejected.kind == kind).count() as u64;
        let (there, here) = (*self.song_digests.of(kind), *self.store_digests.of(kind));
        self.report.comparisons.push(Comparison {
            kind,
            in_song,
            refused,
            here: here.count,
            checksum_in_song: there.checksum(),
            checksum_here: here.checksum(),
            is_same: there == here && there.count + refused == in_song,
        });
    }
}
