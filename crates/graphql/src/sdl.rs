//! The GraphQL schema of a catalogue, as SDL text.
//!
//! The types that every catalogue has are in `sdl/shared.graphql`; here are those of its fields. All names come from the
//! catalogue's field tree, which makes them valid and unique, so no other text enters the SDL.

use std::fmt::{self, Write};

use cantata_catalogue::{AggregationField, FieldLevel, FlatField, NetworkField, NodeField, NodeShape};

/// The types that every catalogue has.
const SHARED: &str = include_str!("sdl/shared.graphql");

/// The name of the root field of the saved sets, and of its type.
pub(crate) const SETS: &str = "sets";

const AGGREGATIONS_ARGUMENTS: &str = "filters: JSON, include_missing: Boolean, aggregations_filter_themselves: Boolean";

const HITS_ARGUMENTS: &str = "score: String, offset: Int, sort: [Sort], filters: JSON, before: String, after: String, \
                              first: Int, last: Int, searchAfter: JSON, trackTotalHits: Boolean = true";

/// The state of a node in an answer of a network.
const NETWORK_NODE: &str = include_str!("sdl/network_node.graphql");

const NETWORK_ARGUMENTS: &str = "filters: JSON, aggregations_filter_themselves: Boolean, include_missing: Boolean, \
                                 nodesFilter: [String], maxAge: Int";

/// Returns the SDL of a catalogue with these fields, and those of its network if it has one.
pub(crate) fn sdl(records: &FieldLevel, sets: &FieldLevel, network: Option<&[NetworkField]>) -> String {
    let mut text = SHARED.to_owned();
    // Writing to a string cannot fail.
    write_catalogue(&mut text, records, sets, network.is_some()).ok();
    if let Some(fields) = network {
        write_network(&mut text, fields).ok();
    }
    text
}

/// Writes the types of a network; without any field it has nodes only.
fn write_network(out: &mut String, fields: &[NetworkField]) -> fmt::Result {
    writeln!(out, "\n{NETWORK_NODE}\ntype Network {{\n  nodes: [NetworkNode]\n  complete: Boolean")?;
    writeln!(out, "  suppressedBelow: Int")?;
    if fields.is_empty() {
        return writeln!(out, "}}");
    }
    writeln!(out, "  aggregations: NodeAggregations\n}}")?;
    writeln!(out, "\nextend type NetworkNode {{\n  aggregations: NodeAggregations\n}}\n\ntype NodeAggregations {{")?;
    for NetworkField { name, kind } in fields {
        writeln!(out, "  {name}: {}", kind.type_name())?;
    }
    writeln!(out, "}}")
}

fn write_catalogue(out: &mut String, records: &FieldLevel, sets: &FieldLevel, has_network: bool) -> fmt::Result {
    let document_type = &records.type_name;
    writeln!(out, "\nenum DocumentType {{ {document_type} {SETS} }}\n")?;
    writeln!(out, "type Root {{")?;
    writeln!(out, "  {document_type}: {document_type}")?;
    writeln!(out, "  {SETS}: {SETS}")?;
    if has_network {
        writeln!(out, "  network({NETWORK_ARGUMENTS}): Network")?;
    }
    writeln!(out, "  hasValidConfig(documentType: String!, index: String!): Boolean")?;
    writeln!(out, "  viewer: Root")?;
    writeln!(out, "  node(id: ID!): Node")?;
    writeln!(out, "  query(query: String, types: [String]): QueryResults")?;
    writeln!(out, "}}")?;
    write_connected(out, records, "ConfigsWithState")?;
    write_connected(out, sets, "ConfigsWithoutState")
}

/// Writes the types of the record or of a nested container, and of everything in it.
fn write_connected(out: &mut String, level: &FieldLevel, configs: &str) -> fmt::Result {
    let name = &level.type_name;
    writeln!(out, "\ntype {name} {{")?;
    if !level.aggregations.is_empty() {
        writeln!(out, "  aggregations({AGGREGATIONS_ARGUMENTS}): {name}Aggregations")?;
    }
    writeln!(out, "  configs: {configs}")?;
    writeln!(out, "  hits({HITS_ARGUMENTS}): {name}Connection")?;
    writeln!(out, "  mapping: JSON")?;
    writeln!(out, "}}")?;
    writeln!(out, "\ntype {name}Connection {{ total: Int! edges: [{name}Edge] }}")?;
    writeln!(out, "\ntype {name}Edge {{ searchAfter: JSON node: {name}Node }}")?;
    writeln!(out, "\ntype {name}Node implements Node {{\n  id: ID!\n  score: Float")?;
    write_fields(out, level)?;
    writeln!(out, "}}")?;
    if !level.aggregations.is_empty() {
        writeln!(out, "\ntype {name}Aggregations {{")?;
        for AggregationField { name, kind, .. } in &level.aggregations {
            writeln!(out, "  {name}: {}", kind.type_name())?;
        }
        writeln!(out, "}}")?;
    }
    write_containers(out, level, configs)
}

fn write_object(out: &mut String, level: &FieldLevel, configs: &str) -> fmt::Result {
    writeln!(out, "\ntype {} {{", level.type_name)?;
    write_fields(out, level)?;
    writeln!(out, "}}")?;
    write_containers(out, level, configs)
}

fn write_containers(out: &mut String, level: &FieldLevel, configs: &str) -> fmt::Result {
    for node in &level.nodes {
        match &node.shape {
            NodeShape::Nested(inner) => write_connected(out, inner, configs)?,
            NodeShape::Object(inner) => write_object(out, inner, configs)?,
            NodeShape::Scalar { .. } | NodeShape::Json => {}
        }
    }
    Ok(())
}

fn write_fields(out: &mut String, level: &FieldLevel) -> fmt::Result {
    for NodeField { name, shape, .. } in &level.nodes {
        match shape {
            NodeShape::Scalar { scalar, list: false } => writeln!(out, "  {name}: {}", scalar.type_name())?,
            NodeShape::Scalar { scalar, list: true } => writeln!(out, "  {name}: [{}]", scalar.type_name())?,
            NodeShape::Json => writeln!(out, "  {name}: JSON")?,
            NodeShape::Object(inner) | NodeShape::Nested(inner) => writeln!(out, "  {name}: {}", inner.type_name)?,
        }
    }
    for FlatField { name, scalar, list, .. } in &level.flat {
        let type_name = scalar.map_or("JSON", |scalar| scalar.type_name());
        match list {
            true => writeln!(out, "  {name}: [{type_name}]")?,
            false => writeln!(out, "  {name}: {type_name}")?,
        }
    }
    Ok(())
}
