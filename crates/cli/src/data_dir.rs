//! The layout of the data folder.

mod companions;
mod server_file;

use std::path::Path;

pub(crate) use self::companions::{ensure_metadata_is_not_behind, ensure_metadata_is_not_lost};
pub(crate) use self::server_file::ServerFile;
use crate::error::CliError;

/// The folder of the embedded search engine.
pub(crate) const SEARCH_FOLDER: &str = "search";

/// The folder of indexing state that is not part of an index.
pub(crate) const INDEXING_FOLDER: &str = "indexing";

/// The folder of catalogue configurations that a data folder may have.
pub(crate) const CONFIGS_FOLDER: &str = "configs";

/// Rejects a data folder in which a restore is not finished.
pub(crate) fn ensure_not_restoring(folder: &Path) -> Result<(), CliError> {
    match cantata_backup::is_half_restored(folder) {
        Ok(false) => Ok(()),
        Ok(true) => Err(CliError::failed(format!(
            "the data folder {} is half restored; wait for `cantata restore`, or empty the folder and restore again",
            folder.display()
        ))),
        Err(error) => Err(unusable(folder, error)),
    }
}

/// Creates the error of a data folder that cannot be used.
pub(crate) fn unusable(folder: &Path, cause: impl std::error::Error + Send + Sync + 'static) -> CliError {
    CliError::caused(format!("the data folder {} cannot be used", folder.display()), cause)
        .with_hint("DATA_DIR names the data folder")
}
