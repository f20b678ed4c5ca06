//! The configuration files of the two sample catalogues.

use std::io::{self, ErrorKind, Write};
use std::path::Path;

use cantata_search::ConfigSource;

use super::{embedded, failed};
use crate::failure::Failure;
use crate::settings::Settings;

/// The folder of the configuration files, in the data folder. Whoever changes them sees the change at once.
const FOLDER: &str = "configs";

/// Writes the configuration files that are not there yet, or all of them if everything starts over, and returns where
/// they are.
pub(super) fn configs(settings: &Settings, is_fresh: bool) -> Result<ConfigSource, Failure> {
    let folder = settings.store.data_dir.join(FOLDER);
    for (path, text) in cantata_demo::configs() {
        write(&folder.join(path), text, is_fresh).map_err(failed)?;
    }
    Ok(settings.search.source_in(folder, embedded()))
}

/// Writes a file; one that is there is replaced only if told so.
fn write(path: &Path, text: &str, replaces: bool) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs_err::create_dir_all(folder)?;
    }
    let mut options = fs_err::OpenOptions::new();
    options.write(true).truncate(replaces).create(replaces).create_new(!replaces);
    match options.open(path) {
        Ok(mut file) => file.write_all(text.as_bytes()),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}
