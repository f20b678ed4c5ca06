//! `cantata import`: documents out of files into an index.
//!
//! Files are read once, in order, a chunk at a time; each chunk is part of the index before the import counts it as
//! taken, and the index remembers how far each file came. Interrupted at any moment, the same command goes on from
//! there. A document that cannot be taken is told of and stops nothing; a file that cannot be read to its end is told
//! of and does not stop the other files.

mod chunks;
mod files;
mod local;
mod progress;
mod remote;
mod report;
mod scanner;
mod source;
mod split;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use cantata_mapping::IndexMapping;
use clap::Args;
use serde_json::Value;

pub(crate) use self::files::sources;
use self::report::Report;
pub(crate) use self::source::Source;
pub(crate) use self::split::{Broken, LONGEST_DOCUMENT, Part, Splitter};
use crate::failure::Failure;
use crate::indexes::{Indexes, IndexesArguments, explain};

/// What `cantata import` is told.
#[derive(Debug, Args)]
pub(crate) struct ImportArguments {
    /// The index; it is made if it is not there
    #[arg(long, value_name = "NAME")]
    index: String,
    /// A JSON file with the mapping for a new index; unset, the documents bring the fields
    #[arg(long, value_name = "FILE")]
    mapping: Option<PathBuf>,
    /// The field that is the id of documents without `_id`; unset, they get one
    #[arg(long, value_name = "FIELD")]
    id: Option<String>,
    /// JSON or NDJSON, gzipped or not; `-` is standard input
    #[arg(value_name = "FILES", required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) indexes: IndexesArguments,
}

/// What an import is about, once its arguments have been looked at.
struct Import<'a> {
    index: &'a str,
    id_field: Option<&'a str>,
    sources: Vec<Source>,
    /// For each source how far an earlier import came.
    positions: Vec<u64>,
    report: Report,
}

/// Takes files into an index; the exit code says whether everything in them was taken.
pub(crate) async fn import(arguments: &ImportArguments) -> Result<ExitCode, Failure> {
    let sources = sources(&arguments.files)?;
    let mapping = arguments.mapping.as_deref().map(read_mapping).transpose()?;
    let indexes = Indexes::reach(&arguments.indexes, true)?;
    let name = &arguments.index;
    match indexes.mapping(name).await? {
        None => indexes.create(name, mapping.as_ref()).await?,
        Some(present) => {
            if let (Some(given), Some(file)) = (&mapping, &arguments.mapping) {
                require_same(name, &present, given, file)?;
            }
        }
    }
    let mut positions = Vec::new();
    for source in &sources {
        positions.push(indexes.administration().import_position(name, &source.key).await?);
    }
    let report = Report::new(&sources);
    let import = Import { index: name, id_field: arguments.id.as_deref(), sources, positions, report };
    let imported = match &indexes {
        Indexes::Local(engine) => local::run(&import, engine),
        Indexes::Remote(client) => remote::run(&import, client).await,
    };
    import.report.finish_progress();
    if let Err(error) = imported {
        return Err(Failure::Start(format!(
            "{}; {} documents are in the index; the same command goes on from there",
            explain(&error),
            import.report.taken()
        )));
    }
    for source in import.sources.iter().filter(|source| !import.report.can_go_on(source)) {
        indexes.administration().end_import(name, &source.key).await?;
    }
    Ok(import.report.summary(name))
}

fn read_mapping(file: &Path) -> Result<Value, Failure> {
    let unusable = |reason: String| Failure::setting(format!("the mapping {}: {reason}", file.display()));
    let text = fs_err::read(file).map_err(|error| unusable(error.to_string()))?;
    let mapping: Value = serde_json::from_slice(&text).map_err(|error| unusable(format!("is not JSON: {error}")))?;
    parsed(&mapping).map_err(unusable)?;
    Ok(mapping)
}

fn parsed(mapping: &Value) -> Result<IndexMapping, String> {
    IndexMapping::parse(mapping).map_err(|errors| errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
}

/// Refuses a mapping that says something else than the index. Fields that documents brought may be missing in it.
fn require_same(name: &str, present: &Arc<IndexMapping>, given: &Value, file: &Path) -> Result<(), Failure> {
    let given = parsed(given).map_err(Failure::setting)?;
    let mut merged = IndexMapping::clone(present);
    let differences = match merged.merge(&given) {
        Ok(()) if merged.raw() == present.raw() => return Ok(()),
        Ok(()) => {
            let is_new = |path: &&str| present.entry(path).is_none();
            let new: Vec<&str> = given.fields().map(|field| field.path.as_str()).filter(is_new).collect();
            if new.is_empty() { "attributes differ".to_owned() } else { format!("the index lacks {}", new.join(", ")) }
        }
        Err(errors) => errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "),
    };
    Err(Failure::setting(format!(
        "index `{name}` is there with another mapping than {}: {differences}; import without --mapping, or into \
         another index, or delete this one first: cantata index delete {name}",
        file.display()
    )))
}
