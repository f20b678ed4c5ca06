//! State that is kept between runs, in small JSON files of the data folder. It is of use but not needed: a file that
//! cannot be read counts as empty.

use std::io;
use std::path::Path;

use cantata_durable_file as durable_file;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Reads a file that [`write()`] has written.
pub(crate) fn read<T: DeserializeOwned + Default>(path: &Path) -> T {
    durable_file::read_json_or_default(path).unwrap_or_else(|error| {
        tracing::warn!(file = %path.display(), %error, "a state file cannot be read; its content is ignored");
        T::default()
    })
}

/// Replaces a file and creates its folder if needed.
pub(crate) fn write(path: &Path, value: &impl Serialize) -> io::Result<()> {
    durable_file::create_folder(durable_file::parent(path))?;
    durable_file::replace_private(path, &serde_json::to_vec(value)?)
}
