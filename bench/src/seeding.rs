//! Filling stores, and keeping the large one between runs.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use rusqlite::{Connection, OpenFlags};
use serde::Deserialize;

use crate::payloads::{batch_request, study_request};
use crate::server_process::ServerProcess;
use crate::threads::run_threads;
use crate::{Outcome, report};

/// Changes when a full store is filled in another way.
const FORMAT: &str = "1";

/// How many batches are under way at once.
const CONNECTIONS: usize = 4;

/// About how many files one batch has.
const FILES_PER_BATCH: usize = 2_000;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct BatchResult {
    analysis_id: Option<String>,
    message: Option<String>,
}

/// Submits this many analyses in batches and returns their ids.
pub(crate) fn fill(server: &ServerProcess, analyses: usize, files: usize) -> Outcome<Vec<String>> {
    let batch = (FILES_PER_BATCH / files).max(1);
    let taken = AtomicUsize::new(0);
    let submitted = run_threads(CONNECTIONS, |_| {
        let mut connection = server.connect()?;
        let mut ids: Vec<String> = Vec::new();
        loop {
            let start = taken.fetch_add(batch, Ordering::Relaxed);
            if start >= analyses {
                return Ok(ids);
            }
            let answer = connection.exchange(&batch_request(batch.min(analyses - start), files)?)?;
            for line in answer.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
                let result: BatchResult = serde_json::from_slice(line)?;
                ids.push(result.analysis_id.ok_or_else(|| result.message.unwrap_or_default())?);
            }
        }
    })?;
    let ids = submitted.concat();
    if ids.len() == analyses { Ok(ids) } else { Err(format!("{} of {analyses} were stored", ids.len()).into()) }
}

/// Returns a folder with a store of this many files, half of them in analyses of 100, half in analyses of one.
///
/// It is made when no run before has made one, or when the server's tables have changed since; `fresh` is a folder
/// that the server has just made. The folder is for copying: a change of it would spoil the next run.
pub(crate) fn full_store(cache: &Path, fresh: &Path, files: usize) -> Outcome<PathBuf> {
    let folder = cache.join(format!("full-{FORMAT}-{files}-{:016x}", layout_of(fresh)?));
    if folder.try_exists()? {
        return Ok(folder);
    }
    report::progress(&format!("filling a store with {files} files; it is kept for the next run"));
    let unfinished = folder.with_extension("unfinished");
    if unfinished.try_exists()? {
        fs_err::remove_dir_all(&unfinished)?;
    }
    let server = ServerProcess::cantata(&unfinished)?;
    server.connect()?.send(&study_request())?;
    fill(&server, files / 200, 100)?;
    fill(&server, files / 2, 1)?;
    server.stop()?;
    fs_err::rename(&unfinished, &folder)?;
    Ok(folder)
}

/// Returns a checksum of the table definitions of a store.
fn layout_of(folder: &Path) -> Outcome<u64> {
    let mut hasher = DefaultHasher::new();
    for name in ["metadata.db", "lookup.db"] {
        let connection = Connection::open_with_flags(folder.join(name), OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        let mut tables = connection.prepare("SELECT name, coalesce(sql, '') FROM sqlite_schema ORDER BY name")?;
        let rows = tables.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))?;
        rows.collect::<rusqlite::Result<Vec<_>>>()?.hash(&mut hasher);
    }
    Ok(hasher.finish())
}

/// Copies what is in a folder and waits until the copy is on disk, so that its writing disturbs no measurement.
pub(crate) fn copy_folder(from: &Path, to: &Path) -> Outcome<()> {
    let copied = Command::new("cp").args(["-r", "--reflink=auto"]).arg(from.join(".")).arg(to).status()?;
    if !copied.success() {
        return Err(
            format!("{} could not be copied to {}: cp ended with {copied}", from.display(), to.display()).into()
        );
    }
    for entry in fs_err::read_dir(to)? {
        fs_err::File::open(entry?.path())?.sync_all()?;
    }
    Ok(())
}
