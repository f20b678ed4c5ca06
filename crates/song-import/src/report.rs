//! The report of an import: rejected records, and the comparison of both databases.

use std::fmt::{self, Display};

use serde::Serialize;

use crate::record_digest::RecordDigest;

/// A kind of record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum RecordKind {
    /// A study.
    Study,
    /// A version of an analysis type.
    AnalysisType,
    /// An analysis.
    Analysis,
    /// A file of an analysis.
    File,
    /// A change of the state of an analysis.
    StateChange,
}

impl RecordKind {
    /// Every kind.
    pub const ALL: [RecordKind; 5] = [Self::Study, Self::AnalysisType, Self::Analysis, Self::File, Self::StateChange];

    /// Returns the table of the kind.
    pub(crate) fn table(self) -> &'static str {
        match self {
            Self::Study => "study",
            Self::AnalysisType => "analysis_schema",
            Self::Analysis => "analysis",
            Self::File => "file",
            Self::StateChange => "analysis_state_change",
        }
    }
}

impl Display for RecordKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Study => "study",
            Self::AnalysisType => "analysis type",
            Self::Analysis => "analysis",
            Self::File => "file",
            Self::StateChange => "state change",
        })
    }
}

/// A row that was not imported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RejectedRecord {
    /// What it is.
    pub kind: RecordKind,
    /// Its id in SONG; of an analysis type its name and version.
    pub id: String,
    /// Why.
    pub reason: String,
}

impl Display for RejectedRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: {}", self.kind, self.id, self.reason)
    }
}

/// The comparison of SONG and the store for a kind of record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Comparison {
    /// What is compared.
    pub kind: RecordKind,
    /// How many rows the table in SONG has.
    pub in_song: u64,
    /// How many of them were rejected.
    pub refused: u64,
    /// How many of the others are here, read back from the store.
    pub here: u64,
    /// The checksum of the rows that were not rejected.
    pub checksum_in_song: String,
    /// The checksum of what is here.
    pub checksum_here: String,
    /// Whether every row was imported or rejected, and every imported row is the same on both sides.
    pub is_same: bool,
}

/// The result of an import.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ImportReport {
    /// Whether the database is of a version before 5.3.0.
    pub is_before_5_3: bool,
    /// How many analyses were not here before.
    pub new: u64,
    /// How many analyses were here with another content.
    pub updated: u64,
    /// How many analyses were here as they are.
    pub unchanged: u64,
    /// Both sides, kind by kind.
    pub comparisons: Vec<Comparison>,
    /// What was rejected.
    pub refused: Vec<RejectedRecord>,
    /// What else there is to know.
    pub notes: Vec<String>,
}

impl ImportReport {
    /// Says whether everything was imported, and is here as it was there.
    pub fn is_complete(&self) -> bool {
        self.refused.is_empty() && self.comparisons.iter().all(|comparison| comparison.is_same)
    }
}

impl Display for ImportReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "analyses: {} new, {} updated, {} unchanged", self.new, self.updated, self.unchanged)?;
        writeln!(
            f,
            "{:<13}  {:>9}  {:>9}  {:>9}  {:<32}  checksum here",
            "", "in SONG", "refused", "here", "checksum in SONG"
        )?;
        for compared in &self.comparisons {
            let Comparison { kind, in_song, refused, here, checksum_in_song, checksum_here, is_same } = compared;
            let verdict = if *is_same { "same" } else { "DIFFERENT" };
            writeln!(
                f,
                "{kind:<13}  {in_song:>9}  {refused:>9}  {here:>9}  {checksum_in_song}  {checksum_here}  {verdict}"
            )?;
        }
        self.notes.iter().try_for_each(|note| writeln!(f, "note: {note}"))?;
        self.refused.iter().try_for_each(|rejected| writeln!(f, "rejected: {rejected}"))?;
        f.write_str(if self.is_complete() { "everything was imported" } else { "NOT everything was imported" })
    }
}

/// The digests of one database, by kind in the order of [`RecordKind::ALL`].
#[derive(Debug, Clone, Default)]
pub(crate) struct DigestsByKind([RecordDigest; RecordKind::ALL.len()]);

impl DigestsByKind {
    pub(crate) fn of(&mut self, kind: RecordKind) -> &mut RecordDigest {
        &mut self.0[kind as usize]
    }
}
