//! The description of the language for clients: the body of `GET /introspection/sqon`, made from the registry of
//! operators. The body is itself the JSON Schema of a filter. Clients of other servers read the schema from the member
//! `schema`; only that one has an id, since a document must not have two schemas of one id.
//!
//! The schema describes the canonical grammar with its aliases. Reading is more lenient in two points, which new
//! clients need not know: `null` and `{}` mean no filter, and the names `field` and `fields` of older clients pass for
//! `fieldName` and `fieldNames`.

use serde_json::{Map, Value, json};

use crate::operators::group::GroupOp;
use crate::operators::{Applicability, ContentShape, OPERATORS, Operator};

const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";
const TITLE: &str = "Serialized Query Object Notation";
const DESCRIPTION: &str = "A filter is a group, which combines filters, or a leaf, which tests a field. \
    Field names are dotted paths; dates are ISO 8601 texts, numbers of milliseconds since 1970, or relative to the \
    moment of the search, such as now-30d.";
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Returns the description of the language for clients: operators, aliases and the JSON Schema of a filter.
pub fn json_schema() -> Value {
    json!({
        "$schema": DIALECT,
        "title": TITLE,
        "description": DESCRIPTION,
        "version": VERSION,
        "aliases": aliases(),
        "operators": {
            "combination": GroupOp::ALL.map(GroupOp::name),
            "field": OPERATORS.map(describe),
        },
        "$ref": "#/$defs/SQON",
        "$defs": definitions(),
        "schema": {
            "$schema": DIALECT,
            "$id": format!("urn:cantata:schema:sqon:v{VERSION}"),
            "title": TITLE,
            "description": DESCRIPTION,
            "version": VERSION,
            "$ref": "#/$defs/SQON",
            "$defs": definitions(),
        },
    })
}

fn aliases() -> Map<String, Value> {
    let pairs = OPERATORS.into_iter().flat_map(|operator| operator.aliases.iter().map(|alias| (*alias, operator.name)));
    pairs.map(|(alias, name)| (alias.to_owned(), name.into())).collect()
}

fn describe(operator: &Operator) -> Value {
    let applicable_to = match operator.applicable_to {
        Applicability::All => json!("all"),
        Applicability::Classes(classes) => classes.iter().flat_map(|class| class.type_names()).copied().collect(),
    };
    json!({
        "op": operator.name,
        "description": operator.description,
        "fieldRef": operator.field_ref.key(),
        "applicableTo": applicable_to,
        "valueType": operator.value_type,
    })
}

fn definitions() -> Map<String, Value> {
    let mut shapes: Vec<&'static ContentShape> = Vec::new();
    for operator in OPERATORS {
        if !shapes.iter().any(|shape| shape.name == operator.shape.name) {
            shapes.push(operator.shape);
        }
    }
    let either = json!([reference("Group"), reference("Leaf")]);
    let leaves: Vec<Value> = shapes.iter().map(|shape| reference(shape.name)).collect();
    let group_content = json!({ "type": "array", "items": { "oneOf": either } });

    let mut definitions = Map::new();
    let mut define = |name: &str, schema: Value| definitions.insert(name.to_owned(), schema);
    define("SQON", json!({ "oneOf": either }));
    define("Group", node(&GroupOp::ALL.map(GroupOp::name), &group_content));
    define("Leaf", json!({ "oneOf": leaves }));
    for shape in shapes {
        define(shape.name, node(&operator_names(shape), &(shape.content_schema)()));
    }
    define("Scalar", json!({ "type": ["string", "number", "boolean"] }));
    definitions
}

/// Returns the names of the operators of a shape: the canonical ones, then the aliases.
fn operator_names(shape: &ContentShape) -> Vec<&'static str> {
    let of_shape = || OPERATORS.into_iter().filter(|operator| operator.shape.name == shape.name);
    let aliases = of_shape().flat_map(|operator| operator.aliases.iter().copied());
    of_shape().map(|operator| operator.name).chain(aliases).collect()
}

fn node(names: &[&str], content: &Value) -> Value {
    let op = match names {
        [only] => json!({ "const": only }),
        several => json!({ "enum": several }),
    };
    json!({
        "type": "object",
        "required": ["op", "content"],
        "properties": {
            "op": op,
            "content": content,
            "pivot": {
                "type": ["string", "null"],
                "description": "The nested field in one element of which the conditions must hold together, or \".\".",
            },
        },
        "additionalProperties": true,
    })
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/$defs/{name}") })
}
