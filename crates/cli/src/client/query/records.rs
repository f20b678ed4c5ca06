//! The records that a filter finds, page by page and written as they come.

use serde_json::{Map, Value, json};

use super::Format;
use crate::client::catalogue::Catalogue;
use crate::client::{CallError, Output, Server, Table, tell};
use crate::failure::Failure;

/// How many records are asked for at once.
const PAGE: u64 = 500;

/// What is looked for.
pub(super) struct Search {
    pub(super) filter: Value,
    pub(super) sort: Vec<Value>,
    pub(super) columns: Vec<String>,
    /// How many records at most; 0: all.
    pub(super) limit: u64,
}

/// Returns how many records a filter finds.
pub(in crate::client) async fn total(server: &Server, catalogue: &Catalogue, filter: &Value) -> Result<u64, CallError> {
    let selection = "hits(filters: $filters, first: 0) { total }";
    let answer = catalogue.ask(server, "($filters: JSON)", selection, json!({"filters": filter})).await?;
    Ok(answer["hits"]["total"].as_u64().unwrap_or_default())
}

impl Search {
    /// Writes what is found.
    pub(super) async fn run(
        &self,
        server: &Server,
        catalogue: &Catalogue,
        format: Format,
        output: &mut Output,
    ) -> Result<(), Failure> {
        let names = catalogue.selected(&self.columns)?;
        let selection = format!(
            "hits(filters: $filters, sort: $sort, first: $first, searchAfter: $after) {{ total edges {{ searchAfter \
             node {{ {} }} }} }}",
            names.join(" ")
        );
        let declared = "($filters: JSON, $sort: [Sort], $first: Int, $after: JSON)";
        let page = PAGE.min(catalogue.window);
        let mut writing = Writing::begin(format, &self.columns, output)?;
        let (mut shown, mut variables) = (0, json!({"filters": self.filter, "sort": self.sort}));
        let total = loop {
            let left = if self.limit == 0 { page } else { page.min(self.limit - shown) };
            variables["first"] = json!(left);
            let mut answer = catalogue.ask(server, declared, &selection, variables.clone()).await?;
            let total = answer["hits"]["total"].as_u64().unwrap_or_default();
            let Value::Array(edges) = answer["hits"]["edges"].take() else { break total };
            let is_last = (edges.len() as u64) < left;
            for mut edge in edges {
                shown += 1;
                variables["after"] = edge["searchAfter"].take();
                let values = names.iter().map(|name| edge["node"][name].take()).collect();
                writing.record(&self.columns, values, output)?;
            }
            if is_last || shown == self.limit || output.is_closed() {
                break total;
            }
        };
        writing.end(output)?;
        if format == Format::Table && shown < total && !output.is_closed() {
            output.flush()?;
            tell(&format!("{shown} of {total} records; --limit 0 shows all"));
        }
        Ok(())
    }
}

/// Records on their way out.
enum Writing {
    Table(Table),
    Tsv,
    /// A list in which so many stand.
    List(u64),
    Lines,
}

impl Writing {
    fn begin(format: Format, columns: &[String], output: &mut Output) -> Result<Self, Failure> {
        Ok(match format {
            Format::Table => Self::Table(Table::new(columns)),
            Format::Tsv => {
                output.line(&columns.join("\t"))?;
                Self::Tsv
            }
            Format::Json => Self::List(0),
            Format::Jsonl => Self::Lines,
        })
    }

    fn record(&mut self, columns: &[String], values: Vec<Value>, output: &mut Output) -> Result<(), Failure> {
        match self {
            Self::Table(table) => table.row(output, &values.iter().map(cell).collect::<Vec<_>>()),
            Self::Tsv => {
                let cells: Vec<String> =
                    values.iter().map(|value| cell(value).replace(['\t', '\n', '\r'], " ")).collect();
                output.line(&cells.join("\t"))
            }
            Self::List(count) => {
                output.bytes(if *count == 0 { b"[\n" } else { b",\n" })?;
                *count += 1;
                output.bytes(record(columns, values).to_string().as_bytes())
            }
            Self::Lines => output.json_line(&record(columns, values)),
        }
    }

    fn end(self, output: &mut Output) -> Result<(), Failure> {
        match self {
            Self::Table(table) => table.finish(output),
            Self::List(0) => output.line("[]"),
            Self::List(_) => output.line("\n]"),
            Self::Tsv | Self::Lines => Ok(()),
        }
    }
}

fn record(columns: &[String], values: Vec<Value>) -> Value {
    Value::Object(columns.iter().cloned().zip(values).collect::<Map<_, _>>())
}

/// Returns a value as a cell shows it.
fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().map(cell).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}
