//! Small files of the data folder, each replaced as a whole.

use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Reads a file that [`write()`] has written; a file that is not there or not readable is as good as an empty one.
pub(crate) fn read<T: DeserializeOwned + Default>(path: &Path) -> T {
    let text = match std::fs::read(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return T::default(),
        Err(error) => {
            tracing::warn!(file = %path.display(), %error, "a file cannot be read; what it tells is left out");
            return T::default();
        }
    };
    serde_json::from_slice(&text).unwrap_or_else(|error| {
        tracing::warn!(file = %path.display(), %error, "a file cannot be read; what it tells is left out");
        T::default()
    })
}

/// Replaces a file, whose folder is made if it is not there.
pub(crate) fn write(path: &Path, value: &impl Serialize) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    serde_json::to_writer(&mut file, value)?;
    file.flush()?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}
