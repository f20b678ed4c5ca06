//! Backup archives: everything that a server keeps in its data folder, in one file.
//!
//! The file is a gzipped tar archive that ordinary tools can read. Its first entry is the [`Manifest`], which lists every
//! other entry in order, with size and SHA-256 checksum. So a reader knows what must follow before it writes anything, and
//! rejects whatever differs from the manifest. A checksum of the whole file is its trailer.
//!
//! [`PreparedBackup`] writes the archive, [`BackupReader`] reads it. A [`BackupSource`] decides what belongs into a backup and
//! how it is copied while the server keeps writing. An [`UnfinishedBackup`] is the file until it is complete, and a
//! [`Restore`] leads from an archive to a data folder; both can be interrupted at any moment.

mod error;
mod manifest;
mod reader;
mod restore;
mod trailer;
mod unfinished;
mod writer;

pub use error::BackupError;
pub use manifest::{FORMAT_VERSION, FileRecord, Manifest};
pub use reader::BackupReader;
pub use restore::{Restore, RestoreError, is_half_restored};
pub use unfinished::UnfinishedBackup;
pub use writer::{BackupFile, FileContent, PreparedBackup};

/// Copies the data of a server while it keeps serving.
pub trait BackupSource: Send + Sync {
    /// Captures everything that was acknowledged before the call. This can take minutes.
    ///
    /// # Errors
    ///
    /// If something cannot be read, or is damaged.
    fn capture(&self) -> Result<PreparedBackup, BackupError>;
}
