//! `cantata query`: pages of records of a catalogue, or facets, also of its network.

mod facets;
mod network;
mod records;

use std::process::ExitCode;

use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use super::catalogue::Catalogue;
use super::download::FileDownload;
use super::filter::FilterArguments;
use crate::client::arguments::ServerArguments;
use crate::client::server::ServerClient;
use crate::error::CliError;
use crate::terminal::{Output, Table, cell_text};

/// How many records, or values of a facet, are shown unless asked otherwise.
const DEFAULT_LIMIT: u64 = 20;

/// The arguments of `cantata query`.
#[derive(Debug, Args)]
pub(crate) struct QueryArguments {
    #[command(flatten)]
    records: RecordArguments,
    /// The maximum number of records, or of values of a facet; 0: all; unset, 20, but all in parquet, arrow and xlsx
    #[arg(long, value_name = "NUMBER")]
    limit: Option<u64>,
    /// The output format
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = QueryFormat::Table)]
    format: QueryFormat,
    /// Counts the values of a field instead of listing records; repeat it for several
    #[arg(long = "facet", value_name = "FIELD")]
    facets: Vec<String>,
    /// Shows only the number of records
    #[arg(long, conflicts_with = "facets")]
    count: bool,
    /// Lists the fields of the catalogue instead of searching it
    #[arg(long, conflicts_with_all = ["facets", "count"])]
    fields: bool,
    /// Asks the network of the catalogue: records of each node, and counts of all with --facet
    #[arg(long, conflicts_with_all = ["count", "fields", "columns", "sort"])]
    network: bool,
    #[command(flatten)]
    server: ServerArguments,
}

/// Which records of a catalogue, and their columns and order.
#[derive(Debug, Args)]
pub(super) struct RecordArguments {
    /// The catalogue: its id or its document type
    #[arg(value_name = "CATALOGUE")]
    pub(super) catalogue: String,
    #[command(flatten)]
    pub(super) filter: FilterArguments,
    /// The columns, separated by commas; unset, the default columns of the portal
    #[arg(long, value_name = "FIELDS", value_delimiter = ',')]
    columns: Vec<String>,
    /// The sort fields, separated by commas, with optional order such as `size:desc`
    #[arg(long, value_name = "FIELDS", value_delimiter = ',')]
    sort: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum QueryFormat {
    /// An aligned table
    Table,
    /// Tab-separated values with a header
    Tsv,
    /// A JSON array
    Json,
    /// One JSON object per line
    Jsonl,
    /// A Parquet file
    Parquet,
    /// An Arrow stream
    Arrow,
    /// An XLSX file
    Xlsx,
}

/// What is asked of a catalogue.
#[derive(Clone, Copy)]
struct CatalogueQuery<'a> {
    server: &'a ServerClient,
    catalogue: &'a Catalogue,
    filter: &'a Value,
    arguments: &'a QueryArguments,
}

impl QueryFormat {
    /// Returns the type of file that the server writes; nothing for what is written here.
    fn file_type(self) -> Option<&'static str> {
        match self {
            Self::Parquet => Some("parquet"),
            Self::Arrow => Some("arrow"),
            Self::Xlsx => Some("xlsx"),
            Self::Table | Self::Tsv | Self::Json | Self::Jsonl => None,
        }
    }
}

impl QueryArguments {
    /// Returns the maximum number of records or values; 0: all.
    fn limit(&self) -> u64 {
        self.limit.unwrap_or(DEFAULT_LIMIT)
    }
}

impl RecordArguments {
    /// Returns the sort order for the server.
    pub(super) fn sorting(&self) -> Result<Vec<Value>, CliError> {
        let read = |key: &String| match key.split_once(':') {
            None => Ok(json!({"fieldName": key, "order": "asc"})),
            Some((field, order @ ("asc" | "desc"))) => Ok(json!({"fieldName": field, "order": order})),
            Some((_, order)) => Err(CliError::setting(format!("--sort: found '{order}', expected asc or desc"))),
        };
        self.sort.iter().map(read).collect()
    }

    /// Returns the requested columns, if any.
    pub(super) fn columns(&self) -> Option<&[String]> {
        Some(self.columns.as_slice()).filter(|columns| !columns.is_empty())
    }
}

/// Runs the command.
pub(super) async fn run(arguments: &QueryArguments) -> Result<ExitCode, CliError> {
    let format = if arguments.server.json { QueryFormat::Json } else { arguments.format };
    let sort = arguments.records.sorting()?;
    let lists_records = arguments.facets.is_empty() && !arguments.count && !arguments.fields && !arguments.network;
    if let Some(file_type) = format.file_type().filter(|_| !lists_records) {
        let expected = "it has records, neither counts nor fields nor those of a network";
        return Err(CliError::setting(format!("--format: found {file_type}; {expected}")));
    }
    let server = arguments.server.connect()?;
    let catalogue = server.catalogue(&arguments.records.catalogue).await?;
    let mut output = Output::standard(!matches!(format, QueryFormat::Table | QueryFormat::Tsv));
    if arguments.fields {
        list_fields(&catalogue, &mut output)?;
    } else {
        let filter = arguments.records.filter.filter(&catalogue)?;
        let query = CatalogueQuery { server: &server, catalogue: &catalogue, filter: &filter, arguments };
        if arguments.network {
            network::run(query, &mut output).await?;
        } else if arguments.count {
            let total = catalogue.count(&server, &filter).await?;
            output.result(&json!({"total": total}), [total.to_string()])?;
        } else if let Some(file_type) = format.file_type() {
            let max_rows = arguments.limit.filter(|limit| *limit > 0);
            let (name, columns) = (arguments.records.catalogue.as_str(), arguments.records.columns());
            let file = FileDownload { name, format: file_type, filter, sort, columns, max_rows };
            let (response, _) = file.request(&server, &catalogue).await?;
            file.write(&server, response, &mut output).await?;
        } else if arguments.facets.is_empty() {
            let columns = match arguments.records.columns() {
                Some(columns) => columns.to_vec(),
                None => catalogue.default_columns(&server).await?,
            };
            let search = records::RecordSearch { filter, sort, columns, limit: arguments.limit() };
            search.run(&server, &catalogue, format, &mut output).await?;
        } else {
            facets::run(query, &mut output).await?;
        }
    }
    output.finish()
}

fn list_fields(catalogue: &Catalogue, output: &mut Output) -> Result<(), CliError> {
    if output.is_json {
        return output.json(&Value::Object(catalogue.fields.clone()));
    }
    let mut table = Table::new(["field", "type", "name"]);
    for (path, field) in &catalogue.fields {
        table.row(output, &[path.clone(), cell_text(&field["type"]), cell_text(&field["displayName"])])?;
    }
    table.finish(output)
}
