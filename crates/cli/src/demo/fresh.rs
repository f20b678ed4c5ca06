//! Starting over: deletes what the store made in the data folder, and nothing else that may be there.

use std::fs::TryLockError;
use std::io::{self, ErrorKind};
use std::path::Path;

use crate::failure::Failure;
use crate::indexing::INDEXING_FOLDER;
use crate::serve::SEARCH_FOLDER;

/// Marks the folder as in use, for as long as a server holds it.
const LOCK: &str = "store.lock";
const DATABASES: [&str; 2] = ["metadata.db", "lookup.db"];
/// What SQLite adds to the name of a database for the files it keeps beside it.
const SUFFIXES: [&str; 4] = ["", "-wal", "-shm", "-journal"];

/// Deletes the databases and indexes in a folder that no server uses.
///
/// The lock file stays: were it deleted, a server that starts at this moment could lock a file that is gone.
pub(super) fn clear(folder: &Path) -> Result<(), Failure> {
    let failed =
        |reason: String| Failure::Start(format!("the data folder {} cannot be emptied: {reason}", folder.display()));
    let lock = match fs_err::File::open(folder.join(LOCK)) {
        Ok(lock) => lock.into_parts().0,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(failed(error.to_string())),
    };
    match lock.try_lock() {
        Ok(()) => delete_databases(folder).map_err(|error| failed(error.to_string())),
        Err(TryLockError::WouldBlock) => {
            Err(failed("another running server uses it; stop it, or choose another folder with DATA_DIR".to_owned()))
        }
        Err(TryLockError::Error(error)) => Err(failed(error.to_string())),
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
        for suffix in SUFFIXES {
            match fs_err::remove_file(folder.join(format!("{database}{suffix}"))) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
    }
    Ok(())
}
