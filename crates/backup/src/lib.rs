//! A backup: everything that a server keeps in its data folder, in one file.
//!
//! The file is a gzipped tar archive that ordinary tools can look into. Its first entry is the [`Manifest`], which
//! names every other entry in order, with its size and SHA-256 checksum. So a reader knows what must follow before it
//! writes anything, and whatever is not exactly as the manifest says is refused: a backup is whole, or it is none. A
//! checksum of the whole file stands at its end.
//!
//! [`Prepared`] writes the file, [`Backup`] reads it. What belongs into a backup, and how it is copied while a server
//! goes on writing, is the affair of a [`BackupSource`].

mod error;
mod manifest;
mod reading;
mod seal;
mod writing;

pub use error::BackupError;
pub use manifest::{FORMAT, FileRecord, Manifest};
pub use reading::Backup;
pub use writing::{BackupFile, Content, Prepared};

/// Copies what a server keeps while it goes on serving.
pub trait BackupSource: Send + Sync {
    /// Takes everything as it is now; what was acknowledged before the call is part of it. Takes a while.
    ///
    /// # Errors
    ///
    /// If something cannot be read, or is damaged: a backup without it would be none.
    fn capture(&self) -> Result<Prepared, BackupError>;
}
