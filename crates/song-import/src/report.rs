//! What an import tells when it is done: what was refused, and how both sides compare.

use std::fmt::{self, Display};

use serde::Serialize;

use crate::tally::Tally;

/// What there is in both places.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Kind {
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

impl Kind {
    /// Every kind.
    pub const ALL: [Kind; 5] = [Self::Study, Self::AnalysisType, Self::Analysis, Self::File, Self::StateChange];

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

impl Display for Kind {
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

/// A row that was not taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Refusal {
    /// What it is.
    pub kind: Kind,
    /// Its id in SONG; of an analysis type its name and version.
    pub id: String,
    /// Why.
    pub reason: String,
}

impl Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: {}", self.kind, self.id, self.reason)
    }
}

/// How the two sides of a kind compare.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Comparison {
    /// What is compared.
    pub kind: Kind,
    /// How many rows the table in SONG has.
    pub in_song: u64,
    /// How many of them were refused.
    pub refused: u64,
    /// How many of the others are here, read back from the store.
    pub here: u64,
    /// The checksum of the rows that were not refused.
    pub checksum_in_song: String,
    /// The checksum of what is here.
    pub checksum_here: String,
    /// Whether every row was taken or refused, and what was taken is here as it was there.
    pub is_same: bool,
}

/// What became of an import.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
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
    /// What was not taken.
    pub refused: Vec<Refusal>,
    /// What else there is to know.
    pub notes: Vec<String>,
}

impl Report {
    /// Says whether everything was taken, and is here as it was there.
    pub fn is_complete(&self) -> bool {
        self.refused.is_empty() && self.comparisons.iter().all(|comparison| comparison.is_same)
    }
}

impl Display for Report {
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
        self.refused.iter().try_for_each(|refusal| writeln!(f, "not taken: {refusal}"))?;
        f.write_str(if self.is_complete() { "everything was taken" } else { "NOT everything was taken" })
    }
}

/// The tallies of one side, by kind.
#[derive(Debug, Clone, Default)]
pub(crate) struct Side([Tally; Kind::ALL.len()]);

impl Side {
    pub(crate) fn of(&mut self, kind: Kind) -> &mut Tally {
        match (&mut self.0, kind) {
            ([tally, ..], Kind::Study)
            | ([_, tally, ..], Kind::AnalysisType)
            | ([_, _, tally, ..], Kind::Analysis)
            | ([_, _, _, tally, _], Kind::File)
            | ([_, _, _, _, tally], Kind::StateChange) => tally,
        }
    }
}
