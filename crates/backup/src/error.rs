//! Why there is no backup, or why a file is none.

use std::io;

/// A reason.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// The machine stands in the way.
    #[error("{place}: {error}")]
    Io {
        /// What was being read or written.
        place: String,
        /// What the machine says.
        error: io::Error,
    },
    /// Something that belongs into a backup cannot be taken.
    #[error("{0}")]
    Source(String),
    /// The file is not what `cantata backup` writes.
    #[error("is no backup: {0}")]
    NotABackup(String),
    /// The file is a backup of a version that came later.
    #[error("has the form {found}, and this version reads {readable}; use the version of Cantata that wrote it")]
    TooNew {
        /// The form of the file.
        found: u32,
        /// The form that can be read.
        readable: u32,
    },
    /// The file was a backup once.
    #[error("is damaged: {0}")]
    Damaged(String),
}

impl BackupError {
    /// Makes the error for something that the machine refuses.
    pub fn io(place: impl Into<String>, error: io::Error) -> Self {
        Self::Io { place: place.into(), error }
    }
}
