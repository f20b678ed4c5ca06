//! `cantata import`: imports documents from files into an index.
//!
//! Files are read once, in order, in chunks; the index stores with each chunk how far its file was imported, so after an
//! interruption the same command resumes. A document that is rejected, or a file that cannot be read to its end, is
//! reported and stops nothing else.

mod chunks;
mod column_type;
mod files;
mod local;
mod number_fields;
mod remote;
mod report;
mod source;
mod table;
mod table_rows;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use cantata_mapping::IndexMapping;
use clap::Args;
use serde_json::Value;

use self::column_type::{ColumnType, column_type};
pub(crate) use self::files::sources;
use self::report::ImportLog;
pub(crate) use self::source::Source;
use crate::backends::{IndexAccess, IndexAccessArguments, explain, parse_mapping};
use crate::error::CliError;
use crate::terminal::print_note;

/// The arguments of `cantata import`.
#[derive(Debug, Args)]
pub(crate) struct ImportArguments {
    /// The index, created if it does not exist
    #[arg(long, value_name = "NAME")]
    index: String,
    /// A JSON file with the mapping of a new index; unset, fields are added from the documents
    #[arg(long, value_name = "FILE")]
    mapping: Option<PathBuf>,
    /// The field with the id of documents without `_id`; unset, ids are generated
    #[arg(long, value_name = "FIELD")]
    id: Option<String>,
    /// The type of a column: boolean, long, double, date, keyword or text; unset, it follows from all its cells
    #[arg(long = "type", value_name = "COLUMN=TYPE", value_parser = column_type)]
    types: Vec<(String, ColumnType)>,
    /// JSON, NDJSON, CSV or TSV files, gzipped or not, XLSX or Parquet files; `-` is standard input, of JSON
    #[arg(value_name = "FILES", required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) indexes: IndexAccessArguments,
}

/// A prepared import.
struct Import<'a> {
    index: &'a str,
    id_field: Option<&'a str>,
    sources: Vec<Source>,
    /// The position that an earlier import reached, for each source.
    positions: Vec<u64>,
    report: ImportLog,
}

/// Imports files; the exit code says whether every document was imported.
pub(crate) async fn import(arguments: &ImportArguments) -> Result<ExitCode, CliError> {
    let mut sources = sources(&arguments.files)?;
    let mapping = arguments.mapping.as_deref().map(read_mapping).transpose()?;
    let table_mapping = table::examine(&mut sources, &arguments.types)?;
    let mapping = mapping.or(table_mapping);
    let indexes = IndexAccess::open(&arguments.indexes, true)?;
    let name = &arguments.index;
    let present = indexes.mapping(name).await?;
    let is_new = present.is_none();
    match present {
        None => {
            let mapping = match arguments.mapping {
                Some(_) => mapping,
                None => number_fields::with_doubles(mapping, &sources),
            };
            indexes.create(name, mapping.as_ref()).await?;
        }
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
    let report = ImportLog::new(&sources);
    let import = Import { index: name, id_field: arguments.id.as_deref(), sources, positions, report };
    let imported = match &indexes {
        IndexAccess::Local(engine) => local::run(&import, engine),
        IndexAccess::Remote(client) => remote::run(&import, client).await,
    };
    import.report.clear_progress();
    if let Err(error) = imported {
        return Err(CliError::failed(format!(
            "{}; {} documents are in the index; the same command resumes",
            explain(&error),
            import.report.imported()
        )));
    }
    for source in import.sources.iter().filter(|source| !import.report.can_resume(source)) {
        indexes.administration().end_import(name, &source.key).await?;
    }
    let code = import.report.summary(name);
    if is_new && import.report.has_failures() && import.report.imported() == 0 {
        indexes.delete(name).await?;
        print_note(format_args!("{name}: nothing was imported, so the new index is deleted"));
    }
    Ok(code)
}

fn read_mapping(file: &Path) -> Result<Value, CliError> {
    let unusable = |reason: String| CliError::setting(format!("the mapping {}: {reason}", file.display()));
    let text = fs_err::read(file).map_err(|error| unusable(error.to_string()))?;
    let mapping: Value = serde_json::from_slice(&text).map_err(|error| unusable(format!("is not JSON: {error}")))?;
    parse_mapping(&mapping).map_err(|problems| unusable(problems.to_string()))?;
    Ok(mapping)
}

/// Rejects a mapping that contradicts that of the index. It may lack fields that were added from documents.
fn require_same(name: &str, present: &Arc<IndexMapping>, given: &Value, file: &Path) -> Result<(), CliError> {
    let given = parse_mapping(given).map_err(|problems| CliError::setting(problems.to_string()))?;
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
    Err(CliError::setting(format!(
        "index `{name}` exists with another mapping than {}: {differences}; import without --mapping, or into another \
         index, or delete this one first: cantata index delete {name}",
        file.display()
    )))
}
