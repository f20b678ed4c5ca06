//! Why a backup cannot be written or read.

use std::io;

/// An error of a backup.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// A file cannot be read or written.
    #[error("{path}")]
    Io {
        /// The file.
        path: String,
        /// The cause.
        source: io::Error,
    },
    /// Something that belongs into a backup cannot be captured.
    #[error("the data cannot be captured")]
    Capture(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The file is not what `cantata backup` writes.
    #[error("is no backup: {0}")]
    NotABackup(String),
    /// The file was written by a later version.
    #[error("has format version {found}, but this version reads {supported}; use the version of Cantata that wrote it")]
    TooNew {
        /// The format version of the file.
        found: u32,
        /// The format version that can be read.
        supported: u32,
    },
    /// The file is a backup, but not intact.
    #[error("is damaged: {0}")]
    Damaged(String),
}

impl BackupError {
    /// Creates the error for a file that cannot be read or written.
    pub fn io(path: impl Into<String>, source: io::Error) -> Self {
        Self::Io { path: path.into(), source }
    }
}
