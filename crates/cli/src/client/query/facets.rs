//! Facets: the number of records per value of a field.

use serde_json::{Map, Value, json};

use super::{CatalogueQuery, QueryArguments};
use crate::client::catalogue::Catalogue;
use crate::error::CliError;
use crate::terminal::{Output, Table, cell_text};

/// Writes the requested facets.
pub(super) async fn run(query: CatalogueQuery<'_>, output: &mut Output) -> Result<(), CliError> {
    let CatalogueQuery { server, catalogue, filter, arguments } = query;
    let facets = selection(catalogue, arguments);
    let selection =
        format!("hits(filters: $filters, first: 0) {{ total }} aggregations(filters: $filters) {{ {facets} }}");
    let answer = catalogue.query(server, "($filters: JSON)", &selection, json!({"filters": filter})).await?;
    let aggregations = &answer["aggregations"];
    if output.is_json {
        let facets = in_json(catalogue, arguments, aggregations);
        return output.json(&json!({"total": answer["hits"]["total"], "facets": facets}));
    }
    for (index, field) in arguments.facets.iter().enumerate() {
        if index > 0 {
            output.line("")?;
        }
        write_table(catalogue, field, aggregations, output)?;
    }
    Ok(())
}

/// Returns the selection of the requested facets.
pub(super) fn selection(catalogue: &Catalogue, arguments: &QueryArguments) -> String {
    let max = if arguments.limit() == 0 { String::new() } else { format!("(max: {})", arguments.limit()) };
    let facets = arguments.facets.iter().map(|field| {
        let name = catalogue.graphql_name(field);
        format!("{name} {{ cardinality buckets{max} {{ key key_as_string doc_count }} }}")
    });
    facets.collect::<Vec<_>>().join(" ")
}

/// Writes one facet as a table.
pub(super) fn write_table(
    catalogue: &Catalogue,
    field: &str,
    aggregations: &Value,
    output: &mut Output,
) -> Result<(), CliError> {
    let mut table = Table::new([field, "records"]);
    for bucket in buckets(&aggregations[catalogue.graphql_name(field)]) {
        table.row(output, &[key(bucket), cell_text(&bucket["doc_count"])])?;
    }
    table.finish(output)
}

/// Returns the requested facets as JSON.
pub(super) fn in_json(catalogue: &Catalogue, arguments: &QueryArguments, aggregations: &Value) -> Map<String, Value> {
    let facet = |field: &String| (field.clone(), facet_json(&aggregations[catalogue.graphql_name(field)]));
    arguments.facets.iter().map(facet).collect()
}

fn buckets(facet: &Value) -> impl Iterator<Item = &Value> {
    facet["buckets"].as_array().into_iter().flatten()
}

/// Returns the value of a bucket; a boolean or a date is in words.
fn key(bucket: &Value) -> String {
    let in_words = &bucket["key_as_string"];
    cell_text(if in_words.is_null() { &bucket["key"] } else { in_words })
}

fn facet_json(facet: &Value) -> Value {
    let values: Vec<Value> =
        buckets(facet).map(|bucket| json!({"value": key(bucket), "records": bucket["doc_count"]})).collect();
    json!({"distinct": facet["cardinality"], "values": values})
}
