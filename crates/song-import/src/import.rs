//! The import from its beginning to its end: studies, types, analyses, then everything read back and compared.

use cantata_core::AnalysisId;
use cantata_store::Store;
use futures_util::future::try_join_all;
use tokio_postgres::Client;

use crate::ImportError;
use crate::convert;
use crate::read_back::{Seen, count_stored, count_study};
use crate::report::{Comparison, Kind, Refusal, Report, Side};
use crate::rows::AnalysisRows;
use crate::source::Source;
use crate::types::{Types, parts};
use crate::writing::{Outcome, carry_out, task};

/// How many analyses are on their way into the store at once. They share its commits.
const AT_ONCE: usize = 64;

/// Kinds of records in `info` that are taken with what they belong to.
const INFOS: [&str; 2] = ["Study", "File"];
const INFOS_OF_SAMPLES: [&str; 3] = ["Donor", "Specimen", "Sample"];

/// Takes over the database behind a connection. `tell` hears of analyses that were dealt with, and how many there are.
///
/// # Errors
///
/// If the database is not SONG's, or either side fails. What is stored by then stays, and another import goes on.
pub async fn import(
    client: &mut Client,
    store: &dyn Store,
    tell: &mut (dyn FnMut(u64, u64) + Send),
) -> Result<Report, ImportError> {
    let source = Source::open(client).await?;
    let is_before_5_3 = source.layout.is_before_5_3();
    let report =
        Report { is_before_5_3, new: 0, updated: 0, unchanged: 0, comparisons: vec![], refused: vec![], notes: vec![] };
    let mut import = Import {
        store,
        report,
        types: Types::default(),
        there: Side::default(),
        here: Side::default(),
        folded: 0,
        untyped: 0,
    };
    import.studies(&source).await?;
    import.types(&source).await?;
    import.analyses(&source, tell).await?;
    import.homeless(&source).await?;
    import.notes(&source).await?;
    for kind in Kind::ALL {
        let in_song = source.count(kind.table()).await?;
        import.compare(kind, in_song);
    }
    Ok(import.report)
}

struct Import<'a> {
    store: &'a dyn Store,
    report: Report,
    types: Types,
    there: Side,
    here: Side,
    /// How many analyses have samples that come from tables of their own.
    folded: u64,
    /// How many files have no data type.
    untyped: u64,
}

impl Import<'_> {
    fn refuse(&mut self, kind: Kind, id: impl Into<String>, reason: impl Into<String>) {
        self.report.refused.push(Refusal { kind, id: id.into(), reason: reason.into() });
    }

    async fn studies(&mut self, source: &Source<'_>) -> Result<(), ImportError> {
        for row in source.studies().await? {
            let id = row.id.clone();
            let study = match convert::study(row) {
                Ok(study) => study,
                Err(reason) => {
                    self.refuse(Kind::Study, id, reason);
                    continue;
                }
            };
            self.store.create_study(study.clone()).await?;
            let Some(here) = self.store.study(&id).await? else { continue };
            // What holds nothing is left out of the wire form, so that is what counts.
            if serde_json::to_value(&here).ok() == serde_json::to_value(&study).ok() {
                count_study(&mut self.there, &study);
                count_study(&mut self.here, &here);
            } else {
                self.refuse(Kind::Study, id, "it is here with another content, and stays as it is");
            }
        }
        Ok(())
    }

    async fn types(&mut self, source: &Source<'_>) -> Result<(), ImportError> {
        for row in source.types().await? {
            let shown = format!("{}:{}", row.name.as_deref().unwrap_or_default(), row.version);
            match self.types.take(row, self.store).await? {
                Err(reason) => self.refuse(Kind::AnalysisType, shown, reason),
                Ok(there) => {
                    let Some(here) = self.store.analysis_type(&there.id.name, Some(there.id.version)).await? else {
                        continue;
                    };
                    self.there.of(Kind::AnalysisType).add(&parts(&there).each_ref().map(String::as_str));
                    self.here.of(Kind::AnalysisType).add(&parts(&here).each_ref().map(String::as_str));
                    if here.created_at != there.created_at {
                        self.report.notes.push(format!(
                            "analysis type {shown} was registered here at {} and in SONG at {}",
                            here.created_at, there.created_at
                        ));
                    }
                }
            }
        }
        Ok(())
    }

    async fn analyses(
        &mut self,
        source: &Source<'_>,
        tell: &mut (dyn FnMut(u64, u64) + Send),
    ) -> Result<(), ImportError> {
        let total = source.count(Kind::Analysis.table()).await?;
        let analyses = source.analyses().await?;
        let mut done = 0;
        loop {
            let page = source.page(&analyses).await?;
            if page.is_empty() {
                return Ok(());
            }
            let mut page = page.into_iter();
            while page.len() > 0 {
                let together: Vec<AnalysisRows> = page.by_ref().take(AT_ONCE).collect();
                done += together.len() as u64;
                self.write(together).await?;
                tell(done, total);
            }
        }
    }

    /// Writes some analyses and reads them back.
    async fn write(&mut self, together: Vec<AnalysisRows>) -> Result<(), ImportError> {
        let mut converted = Vec::new();
        for rows in together {
            let seen = Seen::of(&rows);
            let type_of = |row| self.types.taken.get(&row).cloned();
            match convert::analysis(rows, self.report.is_before_5_3, type_of) {
                Ok(made) => converted.push((seen, made)),
                Err(reason) => self.refuse_whole(&seen, &reason),
            }
        }
        let tasks = try_join_all(converted.iter().map(|(_, made)| task(self.store, &made.analysis))).await?;
        let outcomes = try_join_all(tasks.into_iter().map(|task| carry_out(self.store, task))).await?;
        let mut taken: Vec<AnalysisId> = Vec::new();
        for ((seen, made), outcome) in converted.into_iter().zip(outcomes) {
            match outcome {
                Outcome::New => self.report.new += 1,
                Outcome::Updated => self.report.updated += 1,
                Outcome::Unchanged => self.report.unchanged += 1,
                Outcome::Refused(reason) => {
                    self.refuse_whole(&seen, &reason);
                    continue;
                }
            }
            seen.count(&mut self.there, &made.analysis);
            self.folded += u64::from(made.has_folded_samples);
            self.untyped += made.analysis.files.iter().filter(|file| file.data_type.is_empty()).count() as u64;
            taken.push(made.analysis.analysis_id);
        }
        Ok(count_stored(self.store, &mut self.here, &taken).await?)
    }

    /// Refuses an analysis and everything that belongs to it.
    fn refuse_whole(&mut self, seen: &Seen, reason: &str) {
        let [id, ..] = &seen.analysis;
        self.refuse(Kind::Analysis, id, reason);
        let with_it = format!("its analysis '{id}' is not taken");
        for [file, ..] in &seen.files {
            self.refuse(Kind::File, file, &with_it);
        }
        for [change, ..] in &seen.states {
            self.refuse(Kind::StateChange, change, &with_it);
        }
    }

    /// Refuses what belongs to no analysis.
    async fn homeless(&mut self, source: &Source<'_>) -> Result<(), ImportError> {
        for kind in [Kind::File, Kind::StateChange] {
            for (id, analysis_id) in source.homeless(kind.table()).await? {
                let analysis_id = analysis_id.unwrap_or_default();
                self.refuse(kind, id, format!("its analysis '{analysis_id}' is not in the database"));
            }
        }
        Ok(())
    }

    async fn notes(&mut self, source: &Source<'_>) -> Result<(), ImportError> {
        let is_before_5_3 = self.report.is_before_5_3;
        let notes = &mut self.report.notes;
        if self.folded > 0 && !is_before_5_3 {
            notes.push(format!(
                "{} analyses had samples in tables that SONG 5.3.0 does not read any more; they are part of their data now",
                self.folded
            ));
        }
        if self.untyped > 0 {
            notes.push(format!("{} files have no dataType; it is an empty text here", self.untyped));
        }
        for (kind, count) in source.info_kinds().await? {
            let is_taken = INFOS.contains(&kind.as_str())
                || source.layout.has_samples() && INFOS_OF_SAMPLES.contains(&kind.as_str());
            if !is_taken {
                notes.push(format!(
                    "{count} info records of the kind {kind} are shown by no version of SONG and left out"
                ));
            }
        }
        Ok(())
    }

    fn compare(&mut self, kind: Kind, in_song: u64) {
        let refused = self.report.refused.iter().filter(|refusal| refusal.kind == kind).count() as u64;
        let (there, here) = (*self.there.of(kind), *self.here.of(kind));
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
