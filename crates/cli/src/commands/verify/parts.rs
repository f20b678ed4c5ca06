//! The parts of a data folder, each with how it is checked and what repairs it.

use std::fmt;
use std::io::{self, ErrorKind};
use std::path::Path;

use cantata_access::read_key_file;
use cantata_core::error_chain;
use cantata_engine::{EngineError, IndexAdmin, IndexMaintenance, IndexReader, IndexWriter};
use cantata_engine_embedded::{DAMAGED_ALIASES_FILE, EmbeddedEngine, IndexDescription};
use cantata_indexing::is_index_generation;
use cantata_store_sqlite::{METADATA_FILE, check_database, check_lookup, remove_lookup};
use serde::Serialize;
use serde_json::Value;

use crate::data_dir::{INDEXING_FOLDER, SEARCH_FOLDER, ensure_metadata_is_not_lost, unusable};
use crate::error::CliError;

/// What to do about metadata, which exists once.
const RESTORE: &str = "restore the data folder from a backup with `cantata restore`";

/// A part of a data folder.
#[derive(Debug, Serialize)]
pub(super) struct CheckedPart {
    name: String,
    problems: Vec<String>,
    /// What to do about the problems.
    #[serde(skip_serializing_if = "Option::is_none")]
    remedy: Option<String>,
    #[serde(rename = "repaired")]
    pub(super) is_repaired: bool,
}

impl CheckedPart {
    fn new(name: impl Into<String>, problems: Vec<String>, remedy: impl Into<String>) -> Self {
        let remedy = (!problems.is_empty()).then(|| remedy.into());
        Self { name: name.into(), problems, remedy, is_repaired: false }
    }

    /// Repairs the part if that is wanted and there is something to repair; a failure is one more problem.
    fn repaired<E: std::error::Error>(mut self, is_wanted: bool, repair: impl FnOnce() -> Result<(), E>) -> Self {
        if is_wanted && !self.is_sound() {
            match repair() {
                Ok(()) => self.is_repaired = true,
                Err(error) => self.problems.push(format!("it cannot be repaired: {}", error_chain(&error))),
            }
        }
        self
    }

    /// Returns whether nothing is wrong with it.
    pub(super) fn is_sound(&self) -> bool {
        self.problems.is_empty()
    }
}

impl fmt::Display for CheckedPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_sound() {
            return write!(f, "{}: sound", self.name);
        }
        write!(f, "{}: damaged", self.name)?;
        for problem in &self.problems {
            write!(f, "\n  {problem}")?;
        }
        match (&self.remedy, self.is_repaired) {
            (_, true) => write!(f, "\n  repaired: it was removed"),
            (Some(remedy), false) => write!(f, "\n  {remedy}"),
            (None, false) => Ok(()),
        }
    }
}

/// Checks the metadata: it is there if what belongs to it is, and every row of it is as it was written.
pub(super) fn check_metadata(folder: &Path) -> CheckedPart {
    let problems = match ensure_metadata_is_not_lost(folder) {
        Err(error) => vec![error_chain(&error)],
        Ok(()) if !folder.join(METADATA_FILE).is_file() => Vec::new(),
        Ok(()) => check_database(folder).unwrap_or_else(|error| vec![error_chain(&error)]),
    };
    CheckedPart::new(METADATA_FILE, problems, RESTORE)
}

/// Returns the number of the last event of the metadata, if there is any metadata.
pub(super) fn last_event(folder: &Path) -> Result<Option<u64>, CliError> {
    if !folder.join(METADATA_FILE).is_file() {
        return Ok(None);
    }
    cantata_store_sqlite::last_event(folder).map(Some).map_err(|error| unusable(folder, error))
}

/// Checks the file look-up, which is derived from the metadata.
pub(super) fn check_lookup_database(folder: &Path, repairs: bool) -> CheckedPart {
    let problems = check_lookup(folder).unwrap_or_else(|error| vec![error_chain(&error)]);
    let remedy = "delete lookup.db, or repair it with --repair; it is derived from metadata.db";
    CheckedPart::new("lookup.db", problems, remedy).repaired(repairs, || remove_lookup(folder))
}

/// Checks each index: its files, its documents, and that it is not ahead of the metadata that it follows.
pub(super) async fn check_indexes(
    engine: &EmbeddedEngine,
    latest_event: Option<u64>,
    repairs: bool,
) -> Result<Vec<CheckedPart>, CliError> {
    let mut parts = Vec::new();
    for index in engine.indexes().await? {
        let name = index.name;
        let label = format!("index {name}");
        let position = match index.problem {
            Some(_) => None,
            None => engine.position(&name).await.ok().flatten(),
        };
        let event = position.as_ref().and_then(|position| position.parse::<u64>().ok());
        if let (Some(event), Some(latest)) = (event, latest_event)
            && event > latest
        {
            let problem = format!("it has event {event}, but {METADATA_FILE} ends with event {latest}");
            let remedy = format!(
                "{RESTORE}; or, if this {METADATA_FILE} is the right one, remove it with `cantata index delete {name} --yes`"
            );
            parts.push(CheckedPart::new(label, vec![problem], remedy));
            continue;
        }
        let problems = match index.problem {
            Some(problem) => vec![problem],
            None => engine.verify(&name).await?,
        };
        if let Err(EngineError::IndexUnavailable { .. }) = engine.mapping(&name).await {
            // It may be sound.
            parts.push(CheckedPart::new(label, problems, "correct what keeps it from being read, and verify it again"));
            continue;
        }
        let is_derived = engine.describe(&name).is_ok_and(|index| is_derived(&name, &index));
        let remedy = match is_derived {
            true => "repair it with --repair; the next start builds it again from its source".to_owned(),
            false => format!(
                "{RESTORE}, or remove it with `cantata index delete {name} --yes` and import its documents again"
            ),
        };
        parts.push(CheckedPart::new(label, problems, remedy).repaired(repairs && is_derived, || engine.delete(&name)));
    }
    Ok(parts)
}

/// Returns whether an index is built again from its source when it is gone. Documents of an import have no other copy, so its
/// name does not count alone: an index generation has the mapping of the indexing, and a position in its source.
fn is_derived(name: &str, index: &IndexDescription) -> bool {
    is_index_generation(name, &index.mapping) && index.position.is_some()
}

/// Checks the aliases of indexes. The engine that was opened has set a damaged file aside.
pub(super) fn check_aliases(folder: &Path) -> CheckedPart {
    let kept = format!("{SEARCH_FOLDER}/{DAMAGED_ALIASES_FILE}");
    let is_damaged = folder.join(&kept).is_file();
    let problems = is_damaged.then(|| format!("the file was damaged, and is kept as {kept}")).into_iter().collect();
    CheckedPart::new("aliases of indexes", problems, format!("{RESTORE}, or set the aliases again and delete {kept}"))
}

/// Checks the file of API keys that an earlier version has left; the keys themselves are in the metadata.
pub(super) fn check_keys(folder: &Path) -> CheckedPart {
    let problems = match read_key_file(folder) {
        Ok(_) => Vec::new(),
        Err(error) => vec![error_chain(&error)],
    };
    CheckedPart::new("keys.json", problems, "put it back from a backup, or delete it and create the keys again")
}

/// Checks the state of indexing, which is of use but not needed.
pub(super) fn check_indexing(folder: &Path, repairs: bool) -> Result<Vec<CheckedPart>, CliError> {
    let failed = |error: io::Error| unusable(folder, error);
    let mut parts = Vec::new();
    for name in names_in(&folder.join(INDEXING_FOLDER)).map_err(failed)? {
        let path = folder.join(INDEXING_FOLDER).join(&name);
        let read = serde_json::from_slice::<Value>(&fs_err::read(&path).map_err(failed)?);
        let problems = read.err().map(|error| error.to_string()).into_iter().collect();
        let remedy = "delete it, or repair it with --repair; the next start begins with an empty one";
        let part = CheckedPart::new(format!("{INDEXING_FOLDER}/{name}"), problems, remedy);
        parts.push(part.repaired(repairs, || fs_err::remove_file(&path)));
    }
    Ok(parts)
}

/// Finds files that an interrupted process has left behind, except a rebuild of the lookup database: the next start removes
/// it by itself.
pub(super) fn check_leftovers(folder: &Path, repairs: bool) -> Result<Vec<CheckedPart>, CliError> {
    let names = names_in(folder).map_err(|error| unusable(folder, error))?;
    let is_leftover = |name: &String| {
        name.starts_with(".backup-") || (name.ends_with(".unfinished") && name != "lookup.db.unfinished")
    };
    let parts = names.into_iter().filter(is_leftover).map(|name| {
        let path = folder.join(&name);
        let problems = vec!["an interrupted process has left it behind".to_owned()];
        CheckedPart::new(name, problems, "delete it, or repair it with --repair")
            .repaired(repairs, || fs_err::remove_file(&path))
    });
    Ok(parts.collect())
}

/// Returns the names of the files of a folder, in order; one that does not exist has none.
fn names_in(folder: &Path) -> io::Result<Vec<String>> {
    let entries = match fs_err::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            names.extend(entry.file_name().into_string());
        }
    }
    names.sort_unstable();
    Ok(names)
}
