//! What commands work on: the store, the search engines, their indexes, the API keys, and the source of
//! backups.

mod backup_source;
pub(crate) mod engines;
mod indexes;
mod keys;
mod stores;

pub(crate) use self::backup_source::DataDirBackup;
pub(crate) use self::indexes::{IndexAccess, IndexAccessArguments, RemoteIndexes, explain, parse_mapping};
pub(crate) use self::keys::KeyAccess;
pub(crate) use self::stores::{StoreAccessArguments, open_store};
