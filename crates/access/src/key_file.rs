//! The file of keys that earlier versions had in the data folder, `keys.json`: read once, into the store.

use std::io;
use std::path::Path;

use cantata_durable_file as durable_file;
use serde::Deserialize;

use crate::{KeyError, KeyRecord, KeyRegistry};

const FILE: &str = "keys.json";

/// The name of the file once its keys are in the store.
const IMPORTED_FILE: &str = "keys.json.imported";

const VERSION: u32 = 1;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Content {
    /// Read before the rest.
    #[serde(rename = "version")]
    _version: u32,
    keys: Vec<KeyRecord>,
}

/// The member that every version has.
#[derive(Deserialize)]
struct Version {
    version: u32,
}

/// Reads the keys in the file of a data folder; a folder without one has none.
pub fn read_key_file(folder: &Path) -> Result<Vec<KeyRecord>, KeyError> {
    parse(&durable_file::read_or_default(&folder.join(FILE)).map_err(|error| read_error(&error))?)
}

/// Adds the keys in the file of a data folder to those of the store, and renames the file. A key that the store has already
/// stays as it is there: it may be revoked meanwhile.
pub async fn import_key_file(folder: &Path, keys: &KeyRegistry) -> Result<(), KeyError> {
    let path = folder.join(FILE);
    if !path.try_exists().map_err(|error| read_error(&error))? {
        return Ok(());
    }
    let records = read_key_file(folder)?;
    keys.import(&records).await?;
    tracing::info!(keys = records.len(), "the keys of keys.json are in the store now");
    // A file that stays is imported again, which changes nothing.
    if let Err(error) = durable_file::rename(&path, &folder.join(IMPORTED_FILE)) {
        tracing::warn!(%error, "keys.json cannot be renamed");
    }
    Ok(())
}

fn parse(bytes: &[u8]) -> Result<Vec<KeyRecord>, KeyError> {
    if bytes.is_empty() {
        return Ok(Vec::new());
    }
    let unreadable = |error: serde_json::Error| KeyError::Unusable(format!("{FILE} cannot be read: {error}"));
    // Another version may have other members.
    let Version { version } = serde_json::from_slice(bytes).map_err(unreadable)?;
    if version != VERSION {
        return Err(KeyError::Unusable(format!(
            "{FILE} has version {version}, and this version of Cantata reads {VERSION}; use the one that wrote it"
        )));
    }
    serde_json::from_slice::<Content>(bytes).map(|content| content.keys).map_err(unreadable)
}

/// Returns the error of a file that cannot be read, whatever the reason is.
fn read_error(error: &io::Error) -> KeyError {
    KeyError::Unusable(error.to_string())
}
