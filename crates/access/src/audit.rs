//! The audit log: one line of JSON for each change and each denied request, in `audit.log` in the data folder.
//!
//! A line never has a credential, a body, or the query of a URL. A full file is rotated to `audit.log.1`, that one to
//! `audit.log.2`, and so on; the oldest is deleted.
//!
//! An entry that cannot be written is counted, and the server goes on. Where the log is required, a change first has an
//! entry that it has begun, on disk, and is refused without one. Entries that wait for the disk at the same time share
//! a sync, which no thread of requests waits for.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use cantata_core::{LogInterval, Timestamp};
use cantata_durable_file as durable_file;
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
    /// Whether it asked what a change would do, and so changed nothing.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
    /// The request ID, which is a header of the response too.
    pub request_id: &'a str,
}

/// The audit log of a data folder.
pub struct AuditLog {
    folder: PathBuf,
    max_bytes: u64,
    is_required: bool,
    files: Mutex<LogFiles>,
    /// Locked while files are synced.
    synced: Arc<tokio::sync::Mutex<SyncedEntries>>,
    /// Whether a file was created or renamed, and the folder was not synced since.
    has_new_names: Arc<AtomicBool>,
    lost: AtomicU64,
    failures: LogInterval,
}

/// The files that entries are appended to.
#[derive(Default)]
struct LogFiles {
    open: Option<AuditFile>,
    /// Those that were rotated since the last sync, where the log is required.
    rotated: Vec<fs::File>,
    /// How many entries were appended since the start.
    appended: u64,
}

/// Which of the appended entries are on disk. An entry is counted by how many were appended with it.
#[derive(Default)]
struct SyncedEntries {
    /// Everything up to this was synced.
    synced: u64,
    /// The last sync that failed went up to this. Nothing before it is called synced any more: once a sync has failed,
    /// a later one says nothing about the same bytes.
    failed: u64,
}

struct AuditFile {
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
            files: Mutex::default(),
            synced: Arc::default(),
            // A process before this one may have created the file.
            has_new_names: Arc::new(AtomicBool::new(true)),
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
    pub async fn write_begun(&self, entry: &AuditEntry<'_>) -> io::Result<()> {
        let written = match self.append(entry) {
            Ok(position) => self.sync(position).await,
            Err(error) => Err(error),
        };
        written.inspect_err(|error| self.report(error))
    }

    /// Writes an entry, here and to the log of the server.
    pub fn write(&self, entry: &AuditEntry<'_>) {
        let AuditEntry { principal: who, auth_method: how, method, path, study, status, result, dry_run, .. } = entry;
        let dry_run = dry_run.then_some(true);
        // The log formatter adds the request ID.
        tracing::info!(target: "audit", who, how, method, path, study, status, result, dry_run);
        if let Err(error) = self.append(entry) {
            self.report(&error);
        }
    }

    fn report(&self, error: &io::Error) {
        self.lost.fetch_add(1, Ordering::Relaxed);
        if let Some(left_out) = self.failures.admit() {
            tracing::error!(%error, left_out, "an audit entry could not be written");
        }
    }

    /// Appends an entry, and returns how many there are with it.
    fn append(&self, entry: &AuditEntry<'_>) -> io::Result<u64> {
        let mut line = serde_json::to_vec(entry)?;
        line.push(b'\n');
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(full) = files.open.take_if(|open| open.bytes >= self.max_bytes) {
            self.rotate()?;
            if self.is_required {
                files.rotated.push(full.file);
                // Older ones are deleted.
                let excess = files.rotated.len().saturating_sub(MAX_ROTATED_FILES as usize);
                files.rotated.drain(..excess);
            }
        }
        let mut current = match files.open.take() {
            Some(current) => current,
            None => self.open_file()?,
        };
        // A single write, so that a reader never sees half a line.
        if let Err(error) = current.file.write_all(&line) {
            // A part of a line would spoil the next one.
            let _ = current.file.set_len(current.bytes);
            return Err(error);
        }
        current.bytes += line.len() as u64;
        files.open = Some(current);
        files.appended += 1;
        Ok(files.appended)
    }

    /// Returns once an appended entry is on disk. The first of those that wait syncs for all.
    async fn sync(&self, position: u64) -> io::Result<()> {
        let mut entries = Arc::clone(&self.synced).lock_owned().await;
        if position <= entries.failed {
            return Err(io::Error::other("the entries written with this one could not be synced"));
        }
        if position <= entries.synced {
            return Ok(());
        }
        let (unsynced, appended) = self.unsynced()?;
        // The lock goes with the work: should the request be cancelled, the outcome is still known to the others.
        let (folder, has_new_names) = (self.folder.clone(), Arc::clone(&self.has_new_names));
        let work = move || {
            let synced = unsynced.iter().try_for_each(fs::File::sync_data);
            let synced = synced.and_then(|()| sync_names(&folder, &has_new_names));
            match synced {
                Ok(()) => entries.synced = appended,
                Err(_) => entries.failed = appended,
            }
            synced
        };
        tokio::task::spawn_blocking(work).await.map_err(io::Error::other)?
    }

    /// Returns the files that have entries to sync, and how many entries there are.
    fn unsynced(&self) -> io::Result<(Vec<fs::File>, u64)> {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let current = match &files.open {
            Some(open) => open.file.try_clone()?,
            // Closed because of an error, but it may have entries from before.
            None => self.open_file()?.file,
        };
        let mut unsynced = std::mem::take(&mut files.rotated);
        unsynced.push(current);
        Ok((unsynced, files.appended))
    }

    fn open_file(&self) -> io::Result<AuditFile> {
        let mut options = fs::OpenOptions::new();
        options.create(true).append(true);
        #[cfg(unix)]
        fs_err::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(self.folder.join(FILE))?;
        let bytes = file.metadata()?.len();
        if bytes == 0 {
            self.has_new_names.store(true, Ordering::Relaxed);
        }
        Ok(AuditFile { file, bytes })
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

/// Syncs the folder if files of it were created or renamed: without their names their entries would be lost, too.
fn sync_names(folder: &Path, has_new_names: &AtomicBool) -> io::Result<()> {
    if !has_new_names.swap(false, Ordering::Relaxed) {
        return Ok(());
    }
    durable_file::sync_folder(folder).inspect_err(|_| has_new_names.store(true, Ordering::Relaxed))
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
            dry_run: false,
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

    #[tokio::test]
    async fn changes_that_begin_together_are_all_on_disk_across_rotations() {
        let folder = tempfile::tempdir().unwrap();
        let log = Arc::new(AuditLog::with_limit(folder.path(), 600).required(true));
        let begin = |number: usize| {
            let log = Arc::clone(&log);
            tokio::spawn(async move { log.write_begun(&entry(&format!("/{number}"))).await })
        };
        let begun: Vec<_> = (0..20).map(begin).collect();
        for begun in begun {
            begun.await.unwrap().unwrap();
        }
        let files = fs::read_dir(folder.path()).unwrap().map(|file| fs::read_to_string(file.unwrap().path()).unwrap());
        let files: Vec<String> = files.collect();
        assert!(files.len() > 1, "one file has everything");
        assert_eq!(files.iter().map(|text| text.lines().count()).sum::<usize>(), 20);
        let entries = log.synced.lock().await;
        assert_eq!((entries.synced, entries.failed), (20, 0));
        assert!(log.files.lock().unwrap().rotated.is_empty());
        assert!(!log.has_new_names.load(Ordering::Relaxed), "the names of the files are not on disk");
    }

    #[test]
    fn the_folder_is_synced_after_a_file_was_created_or_renamed() {
        let folder = tempfile::tempdir().unwrap();
        let log = AuditLog::with_limit(folder.path(), 1);
        for _ in 0..2 {
            log.write(&entry("/a"));
            assert!(log.has_new_names.load(Ordering::Relaxed));
            sync_names(&folder.path().join("missing"), &log.has_new_names).unwrap_err();
            assert!(log.has_new_names.load(Ordering::Relaxed), "a sync that failed is tried again");
            sync_names(folder.path(), &log.has_new_names).unwrap();
            assert!(!log.has_new_names.load(Ordering::Relaxed));
        }
    }

    #[tokio::test]
    async fn what_a_failed_sync_was_for_is_not_synced_by_the_next_one() {
        let folder = tempfile::tempdir().unwrap();
        let log = AuditLog::in_folder(folder.path()).required(true);
        let position = log.append(&entry("/a")).unwrap();
        log.synced.lock().await.failed = position;
        log.write_begun(&entry("/b")).await.unwrap();
        assert!(log.sync(position).await.is_err());
    }

    #[tokio::test]
    async fn an_entry_that_cannot_be_written_is_counted_and_the_next_one_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let log = AuditLog::in_folder(folder.path()).required(true);
        fs::create_dir(folder.path().join(FILE)).unwrap();
        log.write(&entry("/a"));
        assert!(log.write_begun(&entry("/b")).await.is_err());
        assert_eq!(log.lost_count(), 2);
        fs::remove_dir(folder.path().join(FILE)).unwrap();
        log.write_begun(&entry("/c")).await.unwrap();
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
