//! Writing files so that they are there after a crash, or not at all.

use std::io::{self, Write};
use std::path::Path;

/// Writes a file and syncs it. Whoever refers to it must sync the folder first; see [`sync_folder`].
pub(crate) fn write_synced(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = fs_err::File::create(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Replaces a file as a whole: after a crash it is the old one or the new one.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let new = path.with_extension("new");
    write_synced(&new, bytes)?;
    fs_err::rename(&new, path)?;
    path.parent().map_or(Ok(()), sync_folder)
}

/// Makes the names of new files in a folder survive a crash.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    fs_err::File::open(folder)?.sync_all()
}
