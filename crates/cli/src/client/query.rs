//! `cantata query`: records of a catalogue, a page after the other, or facets.

mod facets;
pub(super) mod records;

use std::process::ExitCode;

use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use super::catalogue::Catalogue;
use super::filter::FilterArguments;
use super::get::text;
use super::{Output, ServerArguments, Table};
use crate::failure::Failure;

/// What `cantata query` is told.
#[derive(Debug, Args)]
pub(crate) struct QueryArguments {
    /// The catalogue: its id or its document type
    #[arg(value_name = "CATALOGUE")]
    catalogue: String,
    #[command(flatten)]
    filter: FilterArguments,
    #[command(flatten)]
    shown: ShownArguments,
    /// How many records, or values of a facet, are shown; 0: all
    #[arg(long, value_name = "NUMBER", default_value_t = 20)]
    limit: u64,
    /// How it is written
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Table)]
    format: Format,
    /// Counts the values of a field instead of showing records; give it once for each field
    #[arg(long = "facet", value_name = "FIELD")]
    facets: Vec<String>,
    /// Shows nothing but how many records there are
    #[arg(long, conflicts_with = "facets")]
    count: bool,
    /// Lists the fields of the catalogue instead of searching it
    #[arg(long, conflicts_with_all = ["facets", "count"])]
    fields: bool,
    #[command(flatten)]
    server: ServerArguments,
}

/// What of records is shown, in which order.
#[derive(Debug, Args)]
pub(super) struct ShownArguments {
    /// The fields that are shown, separated by commas; unset, those that a portal shows at first
    #[arg(long, value_name = "FIELDS", value_delimiter = ',')]
    columns: Vec<String>,
    /// The fields that records are sorted by, separated by commas; `size:desc` is the largest first
    #[arg(long, value_name = "FIELDS", value_delimiter = ',')]
    sort: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    Table,
    /// Columns separated by tabs, with a line of names
    Tsv,
    /// One list of objects
    Json,
    /// An object on each line
    Jsonl,
}

impl ShownArguments {
    /// Returns the order, as the server wants it.
    pub(super) fn sorting(&self) -> Result<Vec<Value>, Failure> {
        let read = |key: &String| match key.split_once(':') {
            None => Ok(json!({"fieldName": key, "order": "asc"})),
            Some((field, order @ ("asc" | "desc"))) => Ok(json!({"fieldName": field, "order": order})),
            Some((_, order)) => Err(Failure::setting(format!("--sort: found '{order}', expected asc or desc"))),
        };
        self.sort.iter().map(read).collect()
    }

    /// Returns the columns that are asked for, if any are.
    pub(super) fn columns(&self) -> Option<&[String]> {
        Some(self.columns.as_slice()).filter(|columns| !columns.is_empty())
    }
}

/// Searches a catalogue.
pub(super) async fn run(arguments: &QueryArguments) -> Result<ExitCode, Failure> {
    let format = if arguments.server.json { Format::Json } else { arguments.format };
    let sort = arguments.shown.sorting()?;
    let server = arguments.server.connect()?;
    let catalogue = server.catalogue(&arguments.catalogue).await?;
    let mut output = Output::standard(!matches!(format, Format::Table | Format::Tsv));
    if arguments.fields {
        list_fields(&catalogue, &mut output)?;
    } else {
        let filter = arguments.filter.filter(&catalogue)?;
        if arguments.count {
            count(&server, &catalogue, &filter, &mut output).await?;
        } else if arguments.facets.is_empty() {
            let columns = match arguments.shown.columns() {
                Some(columns) => columns.to_vec(),
                None => catalogue.shown_columns(&server).await?,
            };
            let search = records::Search { filter, sort, columns, limit: arguments.limit };
            search.run(&server, &catalogue, format, &mut output).await?;
        } else {
            facets::run(&server, &catalogue, &filter, arguments, &mut output).await?;
        }
    }
    output.finish()?;
    Ok(ExitCode::SUCCESS)
}

async fn count(
    server: &super::Server,
    catalogue: &Catalogue,
    filter: &Value,
    output: &mut Output,
) -> Result<(), Failure> {
    let total = records::total(server, catalogue, filter).await?;
    if output.is_json { output.json(&json!({"total": total})) } else { output.line(&total.to_string()) }
}

fn list_fields(catalogue: &Catalogue, output: &mut Output) -> Result<(), Failure> {
    if output.is_json {
        return output.json(&Value::Object(catalogue.fields.clone()));
    }
    let mut table = Table::new(["field", "type", "name"]);
    for (path, field) in &catalogue.fields {
        table.row(output, &[path.clone(), text(&field["type"]), text(&field["displayName"])])?;
    }
    table.finish(output)
}
