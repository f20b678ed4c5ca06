//! Indexes that follow their sources, and jobs.

use utoipa::ToSchema;

/// How the index of a catalogue follows its source.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(crate) struct CatalogueIndexing {
    /// The catalogue.
    catalogue: String,
    /// Where its analyses come from: `here`, or `song`.
    source: String,
    /// What the catalogue searches: the name that leads to the index.
    alias: String,
    /// The index that it leads to; null while there is none.
    #[schema(required)]
    index: Option<String>,
    /// What is being done.
    status: IndexingStatus,
    /// How far the source was read; null before its first change.
    #[schema(required)]
    position: Option<String>,
    /// How many changes are still to come; null where that is not known.
    #[schema(required, minimum = 0)]
    behind: Option<u64>,
    /// The last failure, also if it is over; null if there was none.
    #[schema(required)]
    last_error: Option<IndexingProblem>,
    /// What the index cannot take on in place; a reindex would give it that.
    needs_reindex: Vec<String>,
    /// What is to be known of the mapping.
    notes: Vec<String>,
    /// The documents that could not be indexed, the latest first.
    set_aside: Vec<SetAsideDocument>,
    /// How many more of these there were.
    #[schema(minimum = 0)]
    set_aside_dropped: u64,
}

/// What the indexing of a catalogue is doing.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(crate) enum IndexingStatus {
    /// It has not begun yet.
    Starting,
    /// It takes in changes as they come.
    Following,
    /// Another server does.
    StandingBy,
    /// It cannot go on at the moment; it is tried again and again.
    Failing,
}

/// A failure, and when it was.
#[derive(ToSchema)]
pub(crate) struct IndexingProblem {
    /// What it was.
    message: String,
    /// When.
    at: String,
}

/// A document that could not be indexed.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(crate) struct SetAsideDocument {
    /// Its analysis.
    analysis_id: String,
    /// Its id; null if the analysis as a whole could not become documents.
    #[schema(required)]
    document_id: Option<String>,
    /// Why.
    reason: String,
    /// When that was found out.
    at: String,
}

/// Work on a catalogue that takes a while.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(crate) struct Job {
    /// Its number; later jobs have larger ones.
    #[schema(minimum = 1)]
    id: u64,
    /// What it does.
    kind: JobKind,
    /// The catalogue it works on.
    catalogue: String,
    /// Why it was begun; null if a client requested it.
    #[schema(required)]
    reason: Option<String>,
    /// How it is.
    status: JobStatus,
    /// The index that it makes.
    #[schema(required)]
    index: Option<String>,
    /// How many analyses are done.
    #[schema(minimum = 0)]
    done: u64,
    /// About how many there are.
    #[schema(minimum = 0)]
    total: u64,
    /// How many documents were rejected.
    #[schema(minimum = 0)]
    set_aside: u64,
    /// When it began.
    started_at: String,
    /// When it ended; null while it is under way.
    #[schema(required)]
    ended_at: Option<String>,
    /// Why it failed.
    #[schema(required)]
    problem: Option<String>,
}

/// What a job does.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(crate) enum JobKind {
    /// Rebuilds the index of a catalogue.
    Reindex,
}

/// How a job is.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(crate) enum JobStatus {
    /// It is under way.
    Running,
    /// It did what it should.
    Succeeded,
    /// It could not go on; everything is as before.
    Failed,
    /// It was cancelled; everything is as before.
    Cancelled,
    /// The server stopped meanwhile; everything is as before.
    Interrupted,
}
