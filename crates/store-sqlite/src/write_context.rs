//! What the jobs of the writer thread read and write.

use cantata_core::{AnalysisId, AnalysisState};
use cantata_store::StoredAnalysis;
use rusqlite::Connection;

use crate::lookup::LookupWriter;

/// The connection of the writer, and what its open transaction has changed.
pub(crate) struct WriteContext {
    pub(crate) connection: Connection,
    pub(crate) lookup: LookupWriter,
    /// The number of the last event written, committed or not.
    pub(crate) last_event: u64,
    /// The analyses that the open transaction has changed.
    pub(crate) changed: Vec<AnalysisId>,
    /// Those that it has inserted and that are to be cached.
    pub(crate) inserted: Vec<(AnalysisId, StoredAnalysis)>,
    /// Its changes of the numbers of analyses, written once for all jobs.
    pub(crate) state_counts: Vec<StateCountChange>,
}

/// A study, a state, and by how much the number of its analyses in the state changes.
pub(crate) type StateCountChange = (i64, AnalysisState, i64);
