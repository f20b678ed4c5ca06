//! `query_network`: counts of the network of a catalogue, by a filter.

use cantata_catalogue::{AggregationKind, flat_name};
use cantata_graphql::GraphqlRequest;
use rmcp::schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::caller_context::CallerContext;
use crate::query_builder::{MAX_BUCKETS, run_request};
use crate::tool_result::{ToolError, ToolResult};

pub(super) const DESCRIPTION: &str = "Asks the network of a catalogue, which is many catalogues at once, for the number of \
    records at each node and for summaries of fields over all nodes. It returns counts, never records. `complete` is \
    false if a node failed or lacks a field; say so in the answer. Counts are rounded down to multiples of \
    `suppressedBelow`, if it is not null. get_catalogue_fields does not list fields that only \
    other nodes have.";

/// The arguments of `query_network`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(crate = "rmcp::schemars")]
pub(super) struct NetworkArguments {
    /// The id of a catalogue with a network, from list_catalogues
    catalogue_id: String,
    /// The filter, as build_sqon returned it; {"op":"and","content":[]} selects all records
    sqon: Value,
    /// The names of the fields to summarise: values with their counts, for numbers and dates their range and mean
    #[serde(default)]
    aggregation_fields: Vec<String>,
    /// The ids of the nodes to ask; all unless given
    #[serde(default)]
    nodes: Vec<String>,
}

/// Asks the network of a catalogue.
pub(super) async fn query_network(caller: &CallerContext<'_>, arguments: &NetworkArguments) -> ToolResult {
    let served = caller.catalogue(&arguments.catalogue_id)?;
    let Some(known) = served.schema.network_fields() else {
        let id = &arguments.catalogue_id;
        return Err(ToolError(format!("The catalogue {id:?} has no network; execute_query searches it alone.")));
    };
    let mut names: Vec<String> = arguments.aggregation_fields.iter().map(|name| flat_name(name)).collect();
    names.sort_unstable();
    names.dedup();
    let (mut problems, mut selected) = (Vec::new(), String::new());
    for name in names {
        match known.iter().find(|field| field.name == name).map(|field| field.kind) {
            Some(AggregationKind::Numeric) => selected += &format!(" {name} {{ stats {{ min max avg sum count }} }}"),
            Some(AggregationKind::Plain) => {
                selected += &format!(" {name} {{ bucket_count buckets(max: {MAX_BUCKETS}) {{ key doc_count }} }}");
            }
            None => problems.push(format!("aggregationFields: no node of the network has a field {name:?}")),
        }
    }
    if !problems.is_empty() {
        return Err(ToolError::list("The query cannot be run:", &problems));
    }
    if !selected.is_empty() {
        selected = format!(" aggregations {{{selected} }}");
    }
    let query = format!(
        "query ($filters: JSON, $nodes: [String]) {{ network(filters: $filters, nodesFilter: $nodes) {{ complete \
         suppressedBelow nodes {{ nodeId name hits status errors contributed missingFields }}{selected} }} }}"
    );
    let variables = json!({"filters": arguments.sqon, "nodes": arguments.nodes});
    let request = GraphqlRequest { query, variables: variables.as_object().cloned(), operation_name: None };
    let mut data = run_request(&served, &request).await?;
    Ok(data["network"].take())
}
