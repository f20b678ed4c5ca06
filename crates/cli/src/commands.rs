//! The commands that run a server or work on its data, one file each.

pub(crate) mod backup;
pub(crate) mod completions;
pub(crate) mod demo;
pub(crate) mod import;
pub(crate) mod import_song_db;
pub(crate) mod index;
pub(crate) mod key;
pub(crate) mod restore;
pub(crate) mod serve;
pub(crate) mod verify;
