//! The records that match a filter, streamed page by page.

use serde_json::{Map, Value, json};

use super::QueryFormat;
use crate::client::catalogue::Catalogue;
use crate::client::server::ServerClient;
use crate::error::CliError;
use crate::terminal::{Output, Table, cell_text, print_note};

/// The size of a page.
const PAGE_SIZE: u64 = 500;

/// A search for records.
pub(super) struct RecordSearch {
    pub(super) filter: Value,
    pub(super) sort: Vec<Value>,
    pub(super) columns: Vec<String>,
    /// The maximum number of records; 0: all.
    pub(super) limit: u64,
}

impl RecordSearch {
    /// Writes the matching records.
    pub(super) async fn run(
        &self,
        server: &ServerClient,
        catalogue: &Catalogue,
        format: QueryFormat,
        output: &mut Output,
    ) -> Result<(), CliError> {
        let names = catalogue.selected(&self.columns)?;
        let selection = format!(
            "hits(filters: $filters, sort: $sort, first: $first, searchAfter: $after) {{ total edges {{ searchAfter \
             node {{ {} }} }} }}",
            names.join(" ")
        );
        let declared = "($filters: JSON, $sort: [Sort], $first: Int, $after: JSON)";
        let page = PAGE_SIZE.min(catalogue.window);
        let mut writer = RecordWriter::begin(format, &self.columns, output)?;
        let (mut written, mut variables) = (0, json!({"filters": self.filter, "sort": self.sort}));
        let total = loop {
            let left = if self.limit == 0 { page } else { page.min(self.limit - written) };
            variables["first"] = json!(left);
            let mut answer = catalogue.query(server, declared, &selection, variables.clone()).await?;
            let total = answer["hits"]["total"].as_u64().unwrap_or_default();
            let Value::Array(edges) = answer["hits"]["edges"].take() else { break total };
            let is_last = (edges.len() as u64) < left;
            for mut edge in edges {
                written += 1;
                variables["after"] = edge["searchAfter"].take();
                let values = names.iter().map(|name| edge["node"][name].take()).collect();
                writer.record(&self.columns, values, output)?;
            }
            if is_last || written == self.limit || output.is_closed() {
                break total;
            }
        };
        writer.end(output)?;
        if format == QueryFormat::Table && written < total && !output.is_closed() {
            output.flush()?;
            print_note(format_args!("{written} of {total} records; --limit 0 shows all"));
        }
        Ok(())
    }
}

/// Writes records in a format.
enum RecordWriter {
    Table(Table),
    Tsv,
    List,
    Lines,
}

impl RecordWriter {
    fn begin(format: QueryFormat, columns: &[String], output: &mut Output) -> Result<Self, CliError> {
        Ok(match format {
            QueryFormat::Table => Self::Table(Table::new(columns)),
            QueryFormat::Tsv => {
                output.line(&columns.join("\t"))?;
                Self::Tsv
            }
            QueryFormat::Json => Self::List,
            // Other formats are written by the server.
            QueryFormat::Jsonl | QueryFormat::Parquet | QueryFormat::Arrow | QueryFormat::Xlsx => Self::Lines,
        })
    }

    fn record(&mut self, columns: &[String], values: Vec<Value>, output: &mut Output) -> Result<(), CliError> {
        match self {
            Self::Table(table) => table.row(output, &values.iter().map(cell_text).collect::<Vec<_>>()),
            Self::Tsv => {
                let cells: Vec<String> =
                    values.iter().map(|value| cell_text(value).replace(['\t', '\n', '\r'], " ")).collect();
                output.line(&cells.join("\t"))
            }
            Self::List => output.element(&record(columns, values).to_string()),
            Self::Lines => output.json_line(&record(columns, values)),
        }
    }

    fn end(self, output: &mut Output) -> Result<(), CliError> {
        match self {
            Self::Table(table) => table.finish(output),
            Self::List => output.end_array(),
            Self::Tsv | Self::Lines => Ok(()),
        }
    }
}

fn record(columns: &[String], values: Vec<Value>) -> Value {
    Value::Object(columns.iter().cloned().zip(values).collect::<Map<_, _>>())
}
