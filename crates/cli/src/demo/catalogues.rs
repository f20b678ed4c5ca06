//! The two sample catalogues: their documents and their configuration files.

use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::sync::Arc;

use cantata_demo::catalogue::{DONOR_INDEX, Documents, FILE_INDEX, catalogue_files, mapping};
use cantata_engine::{EngineError, ImportChunk, IndexAdministration, SearchEngine};
use cantata_engine_embedded::EmbeddedEngine;
use cantata_search::ConfigSource;

use super::{embedded, failed, progress};
use crate::failure::Failure;
use crate::settings::Settings;

/// The same documents whenever they are made.
const SEED: u64 = 1;

/// How many files there are for each donor.
const FILES_OF_A_DONOR: u64 = 6;

/// How many documents are taken in at once.
const AT_ONCE: u64 = 20_000;

/// The folder of the configuration files, in the data folder. Whoever changes them sees the change at once.
const FOLDER: &str = "configs";

/// Fills the indexes that are not there yet.
pub(super) async fn fill(engine: Arc<EmbeddedEngine>, count: u64) -> Result<(), Failure> {
    for (index, count) in [(FILE_INDEX, count), (DONOR_INDEX, count.div_ceil(FILES_OF_A_DONOR))] {
        match engine.create_index(index, Some(&mapping(index))).await {
            Ok(()) => {}
            Err(EngineError::IndexExists(_)) => {
                progress(format_args!("keeping the documents in the index {index}; --fresh starts over"));
                continue;
            }
            Err(error) => return Err(failed(error)),
        }
        for start in (0..count).step_by(AT_ONCE as usize) {
            let end = (start + AT_ONCE).min(count);
            let all = if index == FILE_INDEX { Documents::new(SEED, count) } else { Documents::of_donors(SEED, count) };
            let chunk = tokio::task::spawn_blocking(move || chunk(all.slice(start..end), end));
            let chunk = chunk.await.map_err(failed)?.map_err(failed)?;
            let report = engine.import_chunk(index, chunk, None).await.map_err(failed)?;
            if let Some(refusal) = report.refused.first() {
                return Err(failed(&refusal.reason));
            }
            progress(format_args!("indexed {end} of {count} documents in {index}"));
        }
        engine.end_import(index, SOURCE).await.map_err(failed)?;
    }
    Ok(())
}

/// What the import of the sample documents is called.
const SOURCE: &str = "demo";

fn chunk(documents: Documents, end: u64) -> io::Result<ImportChunk> {
    let mut bytes = Vec::new();
    documents.write_to(&mut bytes)?;
    let mut chunk = ImportChunk { source: SOURCE.to_owned(), end, ..ImportChunk::default() };
    let mut start = 0;
    for (line, text) in (1..).zip(bytes.split_inclusive(|byte| *byte == b'\n')) {
        chunk.documents.push((line, start..start + text.len()));
        start += text.len();
    }
    chunk.bytes = bytes;
    Ok(chunk)
}

/// Writes the configuration files that are not there yet, and returns where they are.
pub(super) fn configs(settings: &Settings) -> Result<ConfigSource, Failure> {
    let folder = settings.store.data_dir.join(FOLDER);
    for (path, text) in catalogue_files() {
        write_new(&folder.join(path), text).map_err(failed)?;
    }
    Ok(settings.search.source_in(folder, embedded()))
}

fn write_new(path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs_err::create_dir_all(folder)?;
    }
    match fs_err::OpenOptions::new().write(true).create_new(true).open(path) {
        Ok(mut file) => file.write_all(text.as_bytes()),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}
