//! What was done and what was refused, one line of JSON each, in a file of the data folder: `audit.log`.
//!
//! A line says who, what, when and with which result; it never has a credential, a body, or the query of an address.
//! A file that has grown to its limit becomes `audit.log.1`, that one `audit.log.2`, and so on; the oldest goes.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use cantata_core::Timestamp;
use fs_err as fs;
use serde::Serialize;

const FILE: &str = "audit.log";

/// How large a file becomes, in bytes.
const LARGEST: u64 = 16 << 20;

/// How many full files are kept.
const KEPT: u32 = 9;

/// One request that is worth keeping.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AuditEntry<'a> {
    /// When it was answered.
    pub time: Timestamp,
    /// Who sent it: the name of a key or the subject of a token.
    pub who: &'a str,
    /// How that is known.
    pub how: &'a str,
    /// The method.
    pub method: &'a str,
    /// The path, without the query.
    pub path: &'a str,
    /// The study that was checked, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub study: Option<&'a str>,
    /// The status of the answer; none if the client left before it.
    pub status: Option<u16>,
    /// What became of it: `done`, `failed`, `denied` or `cut off`.
    pub result: &'a str,
    /// The number that the answer carries too.
    pub request_id: &'a str,
}

/// The file that entries go to.
pub struct AuditLog {
    folder: PathBuf,
    largest: u64,
    open: Mutex<Option<Open>>,
}

struct Open {
    file: fs::File,
    bytes: u64,
}

impl AuditLog {
    /// Keeps entries in a folder.
    pub fn in_folder(folder: &Path) -> Self {
        Self::with_limit(folder, LARGEST)
    }

    fn with_limit(folder: &Path, largest: u64) -> Self {
        Self { folder: folder.to_owned(), largest, open: Mutex::new(None) }
    }

    /// Keeps an entry. One that cannot be written is in the log of the server all the same.
    pub fn write(&self, entry: &AuditEntry<'_>) {
        let AuditEntry { who, how, method, path, study, status, result, .. } = entry;
        // The number of the request is in every line of the log that is about one.
        tracing::info!(target: "audit", who, how, method, path, study, status, result);
        let written = serde_json::to_vec(entry).map_err(io::Error::from).and_then(|mut line| {
            line.push(b'\n');
            self.append(&line)
        });
        if let Err(error) = written {
            tracing::error!(%error, "an entry of the audit log could not be written");
        }
    }

    fn append(&self, line: &[u8]) -> io::Result<()> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.as_ref().is_some_and(|open| open.bytes >= self.largest) {
            *open = None;
            self.rotate()?;
        }
        let mut current = match open.take() {
            Some(current) => current,
            None => self.begin()?,
        };
        // One call, so that a reader never sees a line without its end.
        current.file.write_all(line)?;
        current.bytes += line.len() as u64;
        *open = Some(current);
        Ok(())
    }

    fn begin(&self) -> io::Result<Open> {
        let mut options = fs::OpenOptions::new();
        options.create(true).append(true);
        #[cfg(unix)]
        fs_err::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(self.folder.join(FILE))?;
        let bytes = file.metadata()?.len();
        Ok(Open { file, bytes })
    }

    fn rotate(&self) -> io::Result<()> {
        let numbered = |number: u32| self.folder.join(format!("{FILE}.{number}"));
        for number in (1..KEPT).rev() {
            match fs::rename(numbered(number), numbered(number + 1)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        fs::rename(self.folder.join(FILE), numbered(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(path: &str) -> AuditEntry<'_> {
        AuditEntry {
            time: Timestamp::from_micros(0),
            who: "someone \"else\"\n",
            how: "key",
            method: "PUT",
            path,
            study: Some("ABC"),
            status: Some(200),
            result: "done",
            request_id: "r",
        }
    }

    #[test]
    fn an_entry_is_one_line_whatever_it_says() {
        let folder = tempfile::tempdir().unwrap();
        AuditLog::in_folder(folder.path()).write(&entry("/a"));
        AuditLog::in_folder(folder.path()).write(&entry("/b"));
        let text = fs::read_to_string(folder.path().join(FILE)).unwrap();
        let paths: Vec<String> = text
            .lines()
            .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["path"].as_str().unwrap().to_owned())
            .collect();
        assert_eq!(paths, ["/a", "/b"]);
    }

    #[test]
    fn full_files_are_kept_up_to_a_number() {
        let folder = tempfile::tempdir().unwrap();
        let log = AuditLog::with_limit(folder.path(), 1);
        for number in 0..15 {
            log.write(&entry(&format!("/{number}")));
        }
        let has = |name: &str, path: &str| {
            let text = fs::read_to_string(folder.path().join(name)).unwrap();
            text.lines().count() == 1 && text.contains(path)
        };
        assert!(has("audit.log", "\"/14\"") && has("audit.log.1", "\"/13\"") && has("audit.log.9", "\"/5\""));
        assert!(!folder.path().join("audit.log.10").try_exists().unwrap());
    }
}
