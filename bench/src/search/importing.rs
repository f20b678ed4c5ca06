//! Importing the documents, as users do it: `cantata import` on the data folder of a stopped server.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant, UNIX_EPOCH};

use cantata_demo::catalogue::{FILE_INDEX, mapping};
use walkdir::WalkDir;

use super::SearchBench;
use crate::process_memory::PeakMemory;
use crate::server_process::cantata;
use crate::{Outcome, report};

/// The folder of the indexes in a data folder.
pub(super) const SEARCH_FOLDER: &str = "search";

/// The file that says which program filled a data folder.
const MADE_BY: &str = "made-by";

/// What an import took.
pub(super) struct Import {
    pub(super) elapsed: Duration,
    pub(super) memory: PeakMemory,
}

/// Imports the documents into an emptied data folder.
pub(super) fn import(bench: &SearchBench) -> Outcome<Import> {
    let folder = bench.data_folder();
    if folder.try_exists()? {
        fs_err::remove_dir_all(&folder)?;
    }
    fs_err::create_dir_all(&folder)?;
    let imported = import_file(bench, &folder, &bench.corpus.path)?;
    fs_err::write(folder.join(MADE_BY), program_mark()?)?;
    Ok(imported)
}

/// Imports the documents of a file into a data folder.
pub(super) fn import_file(bench: &SearchBench, folder: &Path, file: &Path) -> Outcome<Import> {
    let scratch = bench.workspace.new_folder()?;
    let mapping_file = scratch.path().join("mapping.json");
    fs_err::write(&mapping_file, mapping(FILE_INDEX).to_string())?;
    let mut command = cantata(folder)?;
    command.args(["import", "--index", FILE_INDEX, "--mapping"]).arg(&mapping_file).arg(file);
    bench.limit_memory(&mut command);
    let begun = Instant::now();
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    let ((ended, elapsed), memory) = PeakMemory::during(child.id(), || (child.wait(), begun.elapsed()));
    let ended = ended?;
    if !ended.success() {
        return Err(format!("the import ended with {ended}").into());
    }
    Ok(Import { elapsed, memory })
}

/// Returns the data folder, filled by the program as it is now.
pub(super) fn imported(bench: &SearchBench) -> Outcome<PathBuf> {
    let folder = bench.data_folder();
    let made_by = fs_err::read_to_string(folder.join(MADE_BY)).unwrap_or_default();
    if made_by != program_mark()? {
        report::progress(&format!("importing {} documents", bench.corpus.documents));
        import(bench)?;
    }
    Ok(folder)
}

/// Merges the segments into one, as for an index that is only read. The other benchmarks measure what an import leaves, so
/// they import again.
pub(super) fn compact(bench: &SearchBench) -> Outcome<()> {
    fs_err::remove_file(bench.data_folder().join(MADE_BY))?;
    let mut command = cantata(&bench.data_folder())?;
    let ended = command.args(["index", "compact", FILE_INDEX]).stdout(Stdio::null()).stderr(Stdio::null()).status()?;
    if !ended.success() {
        return Err(format!("merging the segments ended with {ended}").into());
    }
    Ok(())
}

/// Returns how many megabytes the index takes.
pub(super) fn megabytes_on_disk(bench: &SearchBench) -> Outcome<f64> {
    megabytes_in(&bench.data_folder())
}

/// Returns how many megabytes the indexes of a data folder take.
pub(super) fn megabytes_in(folder: &Path) -> Outcome<f64> {
    let mut bytes = 0;
    for entry in WalkDir::new(folder.join(SEARCH_FOLDER)) {
        let metadata = entry?.metadata()?;
        bytes += if metadata.is_file() { metadata.len() } else { 0 };
    }
    Ok(bytes as f64 / 1e6)
}

/// Reads the files of a folder, so that the page cache holds them.
pub(super) fn read_files(folder: &Path) -> Outcome<()> {
    for entry in WalkDir::new(folder) {
        let entry = entry?;
        if entry.file_type().is_file() {
            io::copy(&mut fs_err::File::open(entry.path())?, &mut io::sink())?;
        }
    }
    Ok(())
}

/// Returns what changes with a new build of the program, which may write other files.
fn program_mark() -> Outcome<String> {
    let metadata = fs_err::metadata(std::env::current_exe()?.with_file_name("cantata"))?;
    let modified = metadata.modified()?.duration_since(UNIX_EPOCH)?;
    Ok(format!("{} {}", metadata.len(), modified.as_nanos()))
}
