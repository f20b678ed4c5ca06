//! The sample catalogue as a whole, compared with stored files. Run with `UPDATE_GOLDEN=1` to write them again.

use cantata_catalogue::introspection::CatalogueIntrospectionBody;
use cantata_catalogue::{CatalogueView, FieldLevel, NodeField, NodeShape};
use serde_json::{Value, json};

use crate::support::{build, sample, sample_properties};

#[track_caller]
fn compare(name: &str, actual: Value) {
    let path = format!("{}/tests/catalogue/golden/{name}.json", env!("CARGO_MANIFEST_DIR"));
    let written = format!("{}\n", serde_json::to_string_pretty(&actual).unwrap());
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs_err::write(&path, &written).unwrap();
    }
    assert_eq!(written, fs_err::read_to_string(&path).unwrap(), "{name}.json");
}

#[test]
fn the_fields_of_the_sample_are_as_stored() {
    compare("fields", outline(&sample().root));
}

#[test]
fn the_display_of_the_sample_is_as_stored() {
    compare("display", serde_json::to_value(&sample().display).unwrap());
}

#[test]
fn what_is_generated_without_configuration_is_as_stored() {
    compare("generated", serde_json::to_value(&build(json!({ "maxDepth": 20 }), sample_properties()).display).unwrap());
}

#[test]
fn the_introspection_of_the_sample_is_as_stored() {
    let body = CatalogueIntrospectionBody::new(&sample(), &CatalogueView::without_rules(), "2026-11-15T03:15:36.952Z");
    compare("introspection", serde_json::to_value(body).unwrap());
}

fn outline(level: &FieldLevel) -> Value {
    let aggregations = level.aggregations.iter().map(|field| {
        let counted = if field.has_values { "" } else { ", nothing to count" };
        json!(format!("{}: {} of {}{counted}", field.name, field.kind.type_name(), field.path))
    });
    let flat = level.flat.iter().map(|field| {
        let scalar = field.scalar.map_or("JSON", |scalar| scalar.type_name());
        let shown = if field.list { format!("[{scalar}]") } else { scalar.to_owned() };
        json!(format!("{}: {shown} of {}", field.name, field.path))
    });
    json!({
        "path": level.path,
        "type": level.type_name,
        "nodes": level.nodes.iter().map(outline_node).collect::<Value>(),
        "flat": flat.collect::<Value>(),
        "aggregations": aggregations.collect::<Value>(),
    })
}

fn outline_node(node: &NodeField) -> Value {
    let shape = match &node.shape {
        NodeShape::Scalar { scalar, list: false } => json!(scalar.type_name()),
        NodeShape::Scalar { scalar, list: true } => json!(format!("[{}]", scalar.type_name())),
        NodeShape::Json => json!("JSON"),
        NodeShape::Object(level) => json!({ "object": outline(level) }),
        NodeShape::Nested(level) => json!({ "nested": outline(level) }),
    };
    json!({ "name": node.name, "path": node.path, "flatName": node.flat_name, "shape": shape })
}
