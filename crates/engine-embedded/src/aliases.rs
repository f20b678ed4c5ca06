//! Aliases of indexes, in one small file beside them that is replaced as a whole.
//!
//! An alias refers to one existing index, and never has the name of one. After a crash during the deletion of an index the
//! file may still refer to it; such an alias is dropped when the file is read. A damaged file is set aside: indexes
//! are then reachable by their own names, until their aliases are set again.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::path::Path;

use cantata_durable_file as durable_file;
use serde::{Deserialize, Serialize};

use crate::checked_json;

/// The name of the file; the name of an index never begins with a dot.
const FILE: &str = ".aliases.json";

/// What a damaged file of aliases is renamed to.
pub const DAMAGED_FILE: &str = ".aliases.json.damaged";

/// The indexes of aliases, by alias.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Aliases {
    pub(crate) aliases: BTreeMap<String, String>,
}

impl Aliases {
    /// Reads the aliases of a folder, given its indexes, and whether the file has others, which are dropped.
    pub(crate) fn read(folder: &Path, is_index: impl Fn(&str) -> bool) -> io::Result<(Self, bool)> {
        let path = folder.join(FILE);
        let read = durable_file::read_json_or_default(&path).and_then(|read: Self| {
            match checked_json::is_intact(&durable_file::read_or_default(&path)?) {
                true => Ok(read),
                false => Err(io::Error::new(ErrorKind::InvalidData, format!("the checksum of {FILE} is wrong"))),
            }
        });
        let mut read = match read {
            Err(error) if error.kind() == ErrorKind::InvalidData => {
                durable_file::rename(&path, &folder.join(DAMAGED_FILE))?;
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
    pub(crate) fn write(&self, folder: &Path) -> io::Result<()> {
        let (name, text) = self.to_file()?;
        durable_file::replace(&folder.join(name), &text)
    }

    /// Returns the name of the file and its content.
    pub(crate) fn to_file(&self) -> serde_json::Result<(&'static str, Vec<u8>)> {
        Ok((FILE, checked_json::to_vec(self)?))
    }

    /// Returns the index of an alias, or the name itself.
    pub(crate) fn resolve<'n>(&'n self, name: &'n str) -> &'n str {
        self.aliases.get(name).map_or(name, String::as_str)
    }
}
