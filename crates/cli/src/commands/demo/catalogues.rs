//! The configuration files of the two sample catalogues.

use std::io::{self, ErrorKind, Write};
use std::path::Path;

use cantata_search::ConfigSource;

use super::network::DemoNodes;
use super::{embedded, failed};
use crate::data_dir::CONFIGS_FOLDER;
use crate::error::CliError;
use crate::settings::Settings;

/// The sample catalogues and their document types.
const CATALOGUES: [(&str, &str); 2] = [("analyses", "analysis"), ("files", "file")];

/// Writes the missing configuration files, or all of them on a fresh start, and returns their folder. The addresses of
/// nodes differ at every start, so their file is always written.
pub(super) fn configs(
    settings: &Settings,
    is_fresh: bool,
    nodes: Option<&DemoNodes>,
) -> Result<ConfigSource, CliError> {
    let folder = settings.store.data_dir.join(CONFIGS_FOLDER);
    for (path, text) in cantata_demo::configs() {
        write(&folder.join(path), text, is_fresh).map_err(failed)?;
    }
    for (nodes, (catalogue, document_type)) in nodes.into_iter().flat_map(|nodes| CATALOGUES.map(|one| (nodes, one))) {
        let network = nodes.config(catalogue, document_type).to_string();
        write(&folder.join(catalogue).join("network.json"), &network, true).map_err(failed)?;
    }
    Ok(settings.search.source_in(folder, embedded()))
}

/// Writes a file; an existing one is replaced only if `replace` is set.
fn write(path: &Path, text: &str, replace: bool) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs_err::create_dir_all(folder)?;
    }
    let mut options = fs_err::OpenOptions::new();
    options.write(true).truncate(replace).create(replace).create_new(!replace);
    match options.open(path) {
        Ok(mut file) => file.write_all(text.as_bytes()),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}
