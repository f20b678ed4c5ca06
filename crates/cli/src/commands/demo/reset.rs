//! Deletes the data of a server in a data folder, and nothing else.

use std::fs::TryLockError;
use std::io::{self, ErrorKind};
use std::path::Path;

use crate::data_dir::{INDEXING_FOLDER, SEARCH_FOLDER};
use crate::error::CliError;

/// The file that a running server locks.
const LOCK_FILE: &str = "store.lock";
const DATABASES: [&str; 2] = ["metadata.db", "lookup.db"];
/// The suffixes of the files of a SQLite database.
const DATABASE_SUFFIXES: [&str; 4] = ["", "-wal", "-shm", "-journal"];

/// Deletes the databases and indexes in a folder that no server uses.
///
/// The lock file stays: a server that starts at this moment could otherwise lock an unlinked file.
pub(super) fn clear(folder: &Path) -> Result<(), CliError> {
    let failed =
        |error: io::Error| CliError::caused(format!("the data folder {} cannot be emptied", folder.display()), error);
    let lock = match fs_err::File::open(folder.join(LOCK_FILE)) {
        Ok(lock) => lock.into_parts().0,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(failed(error)),
    };
    match lock.try_lock() {
        Ok(()) => delete_databases(folder).map_err(failed),
        Err(TryLockError::WouldBlock) => Err(CliError::failed(format!(
            "the data folder {} cannot be emptied: another running server uses it; stop it, or choose another folder \
                 with DATA_DIR",
            folder.display()
        ))),
        Err(TryLockError::Error(error)) => Err(failed(error)),
    }
}

fn delete_databases(folder: &Path) -> io::Result<()> {
    for part in [SEARCH_FOLDER, INDEXING_FOLDER] {
        match fs_err::remove_dir_all(folder.join(part)) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    for database in DATABASES {
        for suffix in DATABASE_SUFFIXES {
            match fs_err::remove_file(folder.join(format!("{database}{suffix}"))) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
    }
    Ok(())
}
