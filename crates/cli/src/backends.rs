//! What commands work on: the store, the search engines, their indexes, and the source of backups.

mod backup_source;
pub(crate) mod engines;
mod indexes;
mod stores;

pub(crate) use self::backup_source::DataDirBackup;
pub(crate) use self::indexes::{IndexAccess, IndexAccessArguments, RemoteIndexes, explain, parse_mapping};
pub(crate) use self::stores::open_store;
