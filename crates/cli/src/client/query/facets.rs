//! Facets: the number of records per value of a field.

use serde_json::{Map, Value, json};

use super::QueryArguments;
use crate::client::catalogue::Catalogue;
use crate::client::server::ServerClient;
use crate::error::CliError;
use crate::terminal::{Output, Table, cell_text};

/// Writes the requested facets.
pub(super) async fn run(
    server: &ServerClient,
    catalogue: &Catalogue,
    filter: &Value,
    arguments: &QueryArguments,
    output: &mut Output,
) -> Result<(), CliError> {
    let max = if arguments.limit == 0 { String::new() } else { format!("(max: {})", arguments.limit) };
    let facets: Vec<String> = arguments
        .facets
        .iter()
        .map(|field| {
            let name = catalogue.graphql_name(field);
            format!("{name} {{ cardinality buckets{max} {{ key key_as_string doc_count }} }}")
        })
        .collect();
    let selection = format!(
        "hits(filters: $filters, first: 0) {{ total }} aggregations(filters: $filters) {{ {} }}",
        facets.join(" ")
    );
    let answer = catalogue.query(server, "($filters: JSON)", &selection, json!({"filters": filter})).await?;
    let counted = |field: &String| &answer["aggregations"][catalogue.graphql_name(field)];
    if output.is_json {
        let facets = arguments.facets.iter().map(|field| (field.clone(), in_json(counted(field))));
        let facets: Map<String, Value> = facets.collect();
        return output.json(&json!({"total": answer["hits"]["total"], "facets": facets}));
    }
    for (index, field) in arguments.facets.iter().enumerate() {
        if index > 0 {
            output.line("")?;
        }
        let mut table = Table::new([field.as_str(), "records"]);
        for bucket in buckets(counted(field)) {
            table.row(output, &[key(bucket), cell_text(&bucket["doc_count"])])?;
        }
        table.finish(output)?;
    }
    Ok(())
}

fn buckets(facet: &Value) -> impl Iterator<Item = &Value> {
    facet["buckets"].as_array().into_iter().flatten()
}

/// Returns the value of a bucket; a boolean or a date is in words.
fn key(bucket: &Value) -> String {
    let in_words = &bucket["key_as_string"];
    cell_text(if in_words.is_null() { &bucket["key"] } else { in_words })
}

fn in_json(facet: &Value) -> Value {
    let values: Vec<Value> =
        buckets(facet).map(|bucket| json!({"value": key(bucket), "records": bucket["doc_count"]})).collect();
    json!({"distinct": facet["cardinality"], "values": values})
}
