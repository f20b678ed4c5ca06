//! Aliases of indexes, in one small file beside them that is replaced as a whole.
//!
//! An alias refers to one existing index, and never has the name of one. After a crash during the deletion of an index the
//! file may still refer to it; such an alias is dropped when the file is read. A file that is no JSON is set aside: indexes
//! are then reachable by their own names, until their aliases are set again.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;

use cantata_durable_file as durable_file;
use serde::{Deserialize, Serialize};

/// The name of the file; the name of an index never begins with a dot.
const FILE: &str = ".aliases.json";

/// What a file that cannot be read is renamed to.
const DAMAGED_FILE: &str = ".aliases.json.damaged";

/// The indexes of aliases, by alias.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Aliases {
    pub(crate) aliases: BTreeMap<String, String>,
}

impl Aliases {
    /// Reads the aliases of a folder, given its indexes, and whether the file has others, which are dropped.
    pub(crate) fn read(folder: &Path, is_index: impl Fn(&str) -> bool) -> std::io::Result<(Self, bool)> {
        let mut read: Self = match durable_file::read_json_or_default(&folder.join(FILE)) {
            Err(error) if error.kind() == ErrorKind::InvalidData => {
                durable_file::rename(&folder.join(FILE), &folder.join(DAMAGED_FILE))?;
                tracing::error!(
                    %error,
                    kept_as = DAMAGED_FILE,
                    "the aliases of indexes are damaged; indexes are reachable by their own names, set their aliases again"
                );
                Self::default()
            }
            read => read?,
        };
        let count = read.aliases.len();
        read.aliases.retain(|alias, index| {
            let is_kept = is_index(index) && !is_index(alias);
            if !is_kept {
                tracing::warn!(
                    alias,
                    index,
                    "dropping an alias whose index does not exist, or that has the name of an index"
                );
            }
            is_kept
        });
        let has_stale = read.aliases.len() < count;
        Ok((read, has_stale))
    }

    /// Writes the aliases; when this returns, they survive a crash.
    pub(crate) fn write(&self, folder: &Path) -> std::io::Result<()> {
        let (name, text) = self.to_file()?;
        durable_file::replace(&folder.join(name), &text)
    }

    /// Returns the name of the file and its content.
    pub(crate) fn to_file(&self) -> serde_json::Result<(&'static str, Vec<u8>)> {
        Ok((FILE, serde_json::to_vec_pretty(self)?))
    }

    /// Returns the index of an alias, or the name itself.
    pub(crate) fn resolve<'n>(&'n self, name: &'n str) -> &'n str {
        self.aliases.get(name).map_or(name, String::as_str)
    }
}
