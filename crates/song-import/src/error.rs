//! Why an import cannot go on. What is stored by then stays, and the next import goes on from there.

use std::error::Error;

use cantata_store::StoreError;

/// A reason.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The database does not look like that of a SONG server.
    #[error("this is no database of SONG 4.1 or later: {0}")]
    NotSong(String),
    /// The database fails.
    #[error("the SONG database cannot be read: {0}")]
    Source(String),
    /// The store fails.
    #[error("what was read cannot be stored: {0}")]
    Store(#[from] StoreError),
}

impl From<tokio_postgres::Error> for ImportError {
    fn from(error: tokio_postgres::Error) -> Self {
        // The error itself says only what was being done; its source says why that failed.
        let cause = error.source().map(|cause| format!(": {cause}")).unwrap_or_default();
        Self::Source(format!("{error}{cause}"))
    }
}
