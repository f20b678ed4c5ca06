//! The audit log: one line of JSON for each change and each denied request, in `audit.log` in the data folder.
//!
//! A line never has a credential, a body, or the query of a URL. A full file is rotated to `audit.log.1`, that one to
//! `audit.log.2`, and so on; the oldest is deleted.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use cantata_core::Timestamp;
use fs_err as fs;
use serde::Serialize;

const FILE: &str = "audit.log";

/// The size at which the file is rotated.
const MAX_FILE_BYTES: u64 = 16 << 20;

/// The number of rotated files that are kept.
const MAX_ROTATED_FILES: u32 = 9;

/// An audited request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AuditEntry<'a> {
    /// The time of the response.
    pub time: Timestamp,
    /// The name of the key or the subject of the token.
    #[serde(rename = "who")]
    pub principal: &'a str,
    /// How the client was authenticated.
    #[serde(rename = "how")]
    pub auth_method: &'a str,
    /// The method.
    pub method: &'a str,
    /// The path, without the query.
    pub path: &'a str,
    /// The study of the request, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub study: Option<&'a str>,
    /// The status of the response; none if the client disconnected before.
    pub status: Option<u16>,
    /// The outcome: `done`, `failed`, `denied` or `cut off`.
    pub result: &'a str,
    /// The request ID, which is a header of the response too.
    pub request_id: &'a str,
}

/// The audit log of a data folder.
pub struct AuditLog {
    folder: PathBuf,
    max_bytes: u64,
    open: Mutex<Option<OpenFile>>,
}

struct OpenFile {
    file: fs::File,
    bytes: u64,
}

impl AuditLog {
    /// Opens the log of a folder; the file is created with the first entry.
    pub fn in_folder(folder: &Path) -> Self {
        Self::with_limit(folder, MAX_FILE_BYTES)
    }

    fn with_limit(folder: &Path, max_bytes: u64) -> Self {
        Self { folder: folder.to_owned(), max_bytes, open: Mutex::new(None) }
    }

    /// Writes an entry, here and to the log of the server.
    pub fn write(&self, entry: &AuditEntry<'_>) {
        let AuditEntry { principal: who, auth_method: how, method, path, study, status, result, .. } = entry;
        // The log formatter adds the request ID.
        tracing::info!(target: "audit", who, how, method, path, study, status, result);
        let written = serde_json::to_vec(entry).map_err(io::Error::from).and_then(|mut line| {
            line.push(b'\n');
            self.append(&line)
        });
        if let Err(error) = written {
            tracing::error!(%error, "an audit entry could not be written");
        }
    }

    fn append(&self, line: &[u8]) -> io::Result<()> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.as_ref().is_some_and(|open| open.bytes >= self.max_bytes) {
            *open = None;
            self.rotate()?;
        }
        let mut current = match open.take() {
            Some(current) => current,
            None => self.open_file()?,
        };
        // A single write, so that a reader never sees half a line.
        current.file.write_all(line)?;
        current.bytes += line.len() as u64;
        *open = Some(current);
        Ok(())
    }

    fn open_file(&self) -> io::Result<OpenFile> {
        let mut options = fs::OpenOptions::new();
        options.create(true).append(true);
        #[cfg(unix)]
        fs_err::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(self.folder.join(FILE))?;
        let bytes = file.metadata()?.len();
        Ok(OpenFile { file, bytes })
    }

    fn rotate(&self) -> io::Result<()> {
        let numbered = |number: u32| self.folder.join(format!("{FILE}.{number}"));
        for number in (1..MAX_ROTATED_FILES).rev() {
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
            principal: "someone \"else\"\n",
            auth_method: "key",
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
