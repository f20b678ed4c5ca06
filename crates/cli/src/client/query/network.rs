//! `--network`: what the nodes of the network of a catalogue answer together.

use serde_json::{Value, json};

use super::{CatalogueQuery, facets};
use crate::error::CliError;
use crate::terminal::{Output, Table, cell_text, print_note};

/// Writes the state of each node, and the requested facets.
pub(super) async fn run(query: CatalogueQuery<'_>, output: &mut Output) -> Result<(), CliError> {
    let CatalogueQuery { server, catalogue, filter, arguments } = query;
    let mut selection =
        "complete suppressedBelow nodes { nodeId name hits status errors contributed missingFields link }".to_owned();
    if !arguments.facets.is_empty() {
        selection = format!("{selection} aggregations {{ {} }}", facets::selection(catalogue, arguments));
    }
    let mut answer = catalogue.query_network(server, &selection, filter).await?;
    let aggregations = answer["aggregations"].take();
    if output.is_json {
        let counted = facets::in_json(catalogue, arguments, &aggregations);
        let (complete, below) = (&answer["complete"], &answer["suppressedBelow"]);
        let body = json!({"complete": complete, "suppressedBelow": below, "nodes": answer["nodes"], "facets": counted});
        return output.json(&body);
    }
    let mut table = Table::new(["node", "records", "state"]);
    for node in answer["nodes"].as_array().into_iter().flatten() {
        let is_counted = node["contributed"] == true;
        let records = if is_counted { cell_text(&node["hits"]) } else { String::new() };
        table.row(output, &[cell_text(&node["name"]), records, state(node)])?;
    }
    table.finish(output)?;
    for field in &arguments.facets {
        output.line("")?;
        facets::write_table(catalogue, field, &aggregations, output)?;
    }
    if let Some(threshold) = answer["suppressedBelow"].as_u64() {
        print_note(format!("counts are rounded down to multiples of {threshold}"));
    }
    if answer["complete"] != true {
        print_note("the answer is not complete: a node failed, or does not have a field");
    }
    Ok(())
}

fn state(node: &Value) -> String {
    let missing = node["missingFields"].as_array().map(Vec::as_slice).unwrap_or_default();
    match node["errors"].as_str() {
        Some(error) if !error.is_empty() => error.to_owned(),
        _ if node["contributed"] != true => "not asked".to_owned(),
        _ if missing.is_empty() => "ok".to_owned(),
        _ => format!("without {}", missing.iter().map(cell_text).collect::<Vec<_>>().join(", ")),
    }
}
