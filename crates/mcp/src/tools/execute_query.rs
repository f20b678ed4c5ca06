//! `execute_query`: records and summaries of a catalogue, by a filter.

use rmcp::schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::build_sqon::parse_filter;
use crate::caller_context::CallerContext;
use crate::query_builder::{QueryBuilder, SortArgument};
use crate::tool_result::{ToolError, ToolResult, to_value};

pub(super) const DESCRIPTION: &str = "Searches a catalogue and returns records (hits), summaries of fields \
    (aggregations), or both, with the number of records that match. Before it call get_catalogue_fields for the names of \
    fields and build_sqon for the filter.";

const DEFAULT_PAGE_SIZE: u64 = 20;
const MAX_PAGE_SIZE: u64 = 1_000;
const MAX_OFFSET: u64 = 10_000;

/// The arguments of `execute_query`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(crate = "rmcp::schemars")]
pub(super) struct QueryArguments {
    /// The id of a catalogue, from list_catalogues
    catalogue_id: String,
    /// The filter, as build_sqon returned it; {"op":"and","content":[]} selects all records
    sqon: Value,
    /// What is asked for; hits unless given
    #[serde(default)]
    query_type: QueryType,
    /// The dotted names of the fields to show of each record; without any, only the number of records is returned
    #[serde(default)]
    fields: Vec<String>,
    /// How many records to return, 1000 at most
    #[serde(default = "default_page_size")]
    #[schemars(range(max = 1000))]
    first: u64,
    /// How many records to pass over, 10000 at most
    #[serde(default)]
    #[schemars(range(max = 10000))]
    offset: u64,
    /// What the records are sorted by, the most important first
    #[serde(default)]
    sort: Vec<SortArgument>,
    /// The names of the fields to summarise: values with their counts, for numbers and dates their range and mean
    #[serde(default)]
    aggregation_fields: Vec<String>,
    /// Whether records without a value of a field are counted too
    #[serde(default = "yes")]
    include_missing: bool,
    /// Whether conditions on a field also limit the summary of that field
    #[serde(default)]
    aggregations_filter_themselves: bool,
}

/// The requested parts of the response.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(crate = "rmcp::schemars")]
enum QueryType {
    #[default]
    Hits,
    Aggregations,
    Both,
}

fn default_page_size() -> u64 {
    DEFAULT_PAGE_SIZE
}

fn yes() -> bool {
    true
}

/// Executes a query.
pub(super) async fn execute_query(caller: &CallerContext<'_>, arguments: &QueryArguments) -> ToolResult {
    let served = caller.catalogue(&arguments.catalogue_id)?;
    let catalogue = &*served.catalogue;
    let mut problems = Vec::new();
    for (name, value, max) in [("first", arguments.first, MAX_PAGE_SIZE), ("offset", arguments.offset, MAX_OFFSET)] {
        if value > max {
            problems.push(format!("{name} is {value}, and may be {max} at most; a narrower filter has fewer records"));
        }
    }
    let filter = parse_filter("sqon", &arguments.sqon, catalogue).unwrap_or_else(|ToolError(problem)| {
        problems.push(problem);
        None
    });
    let mut query = QueryBuilder::new(catalogue, filter.as_ref());
    if arguments.query_type != QueryType::Aggregations {
        query.hits(&arguments.fields, arguments.first, arguments.offset, &arguments.sort, &mut problems);
    }
    if arguments.query_type != QueryType::Hits {
        if arguments.aggregation_fields.is_empty() {
            problems.push("aggregationFields is empty; it names what is to be summarised".to_owned());
        }
        query.aggregations(
            &arguments.aggregation_fields,
            arguments.include_missing,
            arguments.aggregations_filter_themselves,
            &mut problems,
        );
    }
    if !problems.is_empty() {
        return Err(ToolError::list("The query cannot be run:", &problems));
    }
    let mut answer = query.execute(&served).await?;
    answer.insert("catalogueId".to_owned(), catalogue.id.clone().into());
    answer.insert("documentType".to_owned(), catalogue.document_type.clone().into());
    answer.insert("queryType".to_owned(), to_value(&arguments.query_type)?);
    Ok(Value::Object(answer))
}
