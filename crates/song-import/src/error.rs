//! Errors of an import. What is stored by then stays, and the next import continues from there.

use cantata_store::StoreError;

/// Why an import cannot continue.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The database does not look like that of a SONG server.
    #[error("this is no database of SONG 4.1 or later: {0}")]
    NotSong(String),
    /// The database fails.
    #[error("the SONG database cannot be read")]
    SongDatabase(#[from] tokio_postgres::Error),
    /// The store fails.
    #[error("what was read cannot be stored")]
    Store(#[from] StoreError),
}

/// Why a row cannot be imported exactly as it is; part of the report.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct RowError(String);

impl<T: Into<String>> From<T> for RowError {
    fn from(reason: T) -> Self {
        Self(reason.into())
    }
}
