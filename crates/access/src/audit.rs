//! The audit log: one line of JSON for each change and each denied request, in `audit.log` in the data folder.
//!
//! A line never has a credential, a body, or the query of a URL. A full file is rotated to `audit.log.1`, that one to
//! `audit.log.2`, and so on; the oldest is deleted.
//!
//! An entry that cannot be written is counted, and the server goes on. Where the log is required, a change first has an
//! entry that it has begun, on disk, and is refused without one.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use cantata_core::{LogInterval, Timestamp};
use fs_err as fs;
use serde::Serialize;

const FILE: &str = "audit.log";

/// The size at which the file is rotated.
const MAX_FILE_BYTES: u64 = 16 << 20;

/// How often entries that could not be written are logged.
const LOG_INTERVAL: Duration = Duration::from_secs(10);

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
    /// The outcome: `begun`, `done`, `failed`, `denied` or `cut off`.
    pub result: &'a str,
    /// The request ID, which is a header of the response too.
    pub request_id: &'a str,
}

/// The audit log of a data folder.
pub struct AuditLog {
    folder: PathBuf,
    max_bytes: u64,
    is_required: bool,
    open: Mutex<Option<OpenFile>>,
    lost: AtomicU64,
    failures: LogInterval,
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
        Self {
            folder: folder.to_owned(),
            max_bytes,
            is_required: false,
            open: Mutex::new(None),
            lost: AtomicU64::new(0),
            failures: LogInterval::new(LOG_INTERVAL),
        }
    }

    /// Decides whether a change that cannot be written here is refused.
    #[must_use]
    pub fn required(self, is_required: bool) -> Self {
        Self { is_required, ..self }
    }

    /// Returns whether a change that cannot be written here is refused.
    pub fn is_required(&self) -> bool {
        self.is_required
    }

    /// Returns how many entries could not be written.
    pub fn lost_count(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }

    /// Writes the entry of a change that is about to be made, and returns once it is on disk.
    ///
    /// # Errors
    ///
    /// If it could not be written; the change must not be made.
    pub fn write_begun(&self, entry: &AuditEntry<'_>) -> io::Result<()> {
        self.append(entry, true).inspect_err(|error| self.report(error))
    }

    /// Writes an entry, here and to the log of the server.
    pub fn write(&self, entry: &AuditEntry<'_>) {
        let AuditEntry { principal: who, auth_method: how, method, path, study, status, result, .. } = entry;
        // The log formatter adds the request ID.
        tracing::info!(target: "audit", who, how, method, path, study, status, result);
        if let Err(error) = self.append(entry, false) {
            self.report(&error);
        }
    }

    fn report(&self, error: &io::Error) {
        self.lost.fetch_add(1, Ordering::Relaxed);
        if let Some(left_out) = self.failures.admit() {
            tracing::error!(%error, left_out, "an audit entry could not be written");
        }
    }

    fn append(&self, entry: &AuditEntry<'_>, is_synced: bool) -> io::Result<()> {
        let mut line = serde_json::to_vec(entry)?;
        line.push(b'\n');
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
        let written = match current.file.write_all(&line) {
            Ok(()) if is_synced => current.file.sync_data(),
            written => written,
        };
        if let Err(error) = written {
            // A part of a line would spoil the next one.
            let _ = current.file.set_len(current.bytes);
            return Err(error);
        }
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
    fn an_entry_that_cannot_be_written_is_counted_and_the_next_one_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let log = AuditLog::in_folder(folder.path()).required(true);
        fs::create_dir(folder.path().join(FILE)).unwrap();
        log.write(&entry("/a"));
        assert!(log.write_begun(&entry("/b")).is_err());
        assert_eq!(log.lost_count(), 2);
        fs::remove_dir(folder.path().join(FILE)).unwrap();
        log.write_begun(&entry("/c")).unwrap();
        assert_eq!(log.lost_count(), 2);
        assert_eq!(fs::read_to_string(folder.path().join(FILE)).unwrap().lines().count(), 1);
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
