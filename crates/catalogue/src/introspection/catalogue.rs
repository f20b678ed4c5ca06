//! The fields of one catalogue: the body of `GET /introspection/{id}`.
//!
//! It has every path that a filter can name, multi-fields included, and the operators of each type.

use std::collections::HashMap;

use cantata_mapping::{IndexMapping, RECORD_ID};
use cantata_sqon::FieldClass;
use serde::Serialize;

use super::OrderedMap;
use crate::access::CatalogueView;
use crate::catalogue::Catalogue;
use crate::config::RequestLimits;
use crate::fields::RECORD_ID_TYPE;
use crate::names;

/// The fields of one catalogue.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CatalogueIntrospectionBody {
    /// The name in paths.
    pub catalog_id: String,
    /// A description for users.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The name of the root field.
    pub document_type: String,
    /// The fields by dotted path.
    pub fields: OrderedMap<FieldBody>,
    /// The operators of each type.
    pub operators: OrderedMap<Vec<&'static str>>,
    /// The limits of a request.
    pub limits: RequestLimits,
    /// When the catalogue was built.
    pub generated_at: String,
    /// What the response depends on.
    pub meta: VisibilityBody,
}

/// One field.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FieldBody {
    /// The display name.
    pub display_name: String,
    /// The type in the mapping; for an alias, that of its target.
    #[serde(rename = "type")]
    pub type_name: String,
    /// The unit of its values.
    pub unit: Option<String>,
    /// The field of a multi-field; only that one can be selected in nodes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub multi_field_of: Option<String>,
    /// The flat name in GraphQL, where another field has the one that follows from the path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub graphql_name: Option<String>,
}

/// What the response depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VisibilityBody {
    /// Whether the view of the client hides anything.
    pub auth_filtered: bool,
    /// The suppression threshold of the view.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suppressed_below: Option<u64>,
}

impl CatalogueIntrospectionBody {
    /// Returns the response for a view of a catalogue; `generated_at` is the formatted time when it was built.
    pub fn new(catalogue: &Catalogue, view: &CatalogueView, generated_at: impl Into<String>) -> Self {
        let fields = fields(catalogue);
        let operators = operators(&fields, &catalogue.mapping);
        Self {
            catalog_id: catalogue.id.clone(),
            description: catalogue.description.clone(),
            document_type: catalogue.document_type.clone(),
            fields: OrderedMap(fields),
            operators: OrderedMap(operators),
            limits: catalogue.limits,
            generated_at: generated_at.into(),
            meta: VisibilityBody {
                auth_filtered: !view.is_unrestricted(),
                suppressed_below: view.suppression_threshold,
            },
        }
    }
}

fn fields(catalogue: &Catalogue) -> Vec<(String, FieldBody)> {
    let flat_names: HashMap<&str, &str> =
        catalogue.root.aggregations.iter().map(|field| (field.path.as_str(), field.name.as_str())).collect();
    let mut fields = Vec::new();
    for field in &catalogue.display.extended {
        let body = |path: &str, type_name: &str, multi_field_of: Option<&String>| FieldBody {
            display_name: field.display_name.clone(),
            type_name: type_name.to_owned(),
            unit: field.unit.clone(),
            multi_field_of: multi_field_of.cloned(),
            graphql_name: flat_names
                .get(path)
                .filter(|name| **name != names::flat_name(path))
                .map(|name| (*name).to_owned()),
        };
        fields.push((field.field_name.clone(), body(&field.field_name, &field.type_name, None)));
        let entry = catalogue.mapping.entry(&field.field_name);
        let multi_fields = entry.iter().flat_map(|entry| &entry.multi_fields);
        for multi_field in multi_fields.filter_map(|path| catalogue.mapping.entry(path)) {
            let of = Some(&field.field_name);
            fields.push((multi_field.path.clone(), body(&multi_field.path, &multi_field.type_name, of)));
        }
    }
    let id = FieldBody {
        display_name: "Id".to_owned(),
        type_name: RECORD_ID_TYPE.to_owned(),
        unit: None,
        multi_field_of: None,
        graphql_name: None,
    };
    fields.push((RECORD_ID.to_owned(), id));
    fields
}

/// Returns the operators of every type, in the order in which the types appear. Types of which nothing is searched,
/// such as `geo_point` and masked fields, have none.
fn operators(fields: &[(String, FieldBody)], mapping: &IndexMapping) -> Vec<(String, Vec<&'static str>)> {
    let mut operators: Vec<(String, Vec<&'static str>)> = Vec::new();
    for (path, field) in fields {
        if operators.iter().all(|(type_name, _)| *type_name != field.type_name) {
            let kind = mapping.field(path).map(|field| &field.kind);
            let is_searched = path == RECORD_ID || kind.is_some_and(|kind| kind.has_values() || kind.is_container());
            let suited = FieldClass::of_type(&field.type_name).operators().map(|operator| operator.name);
            let suited = suited.filter(|_| is_searched);
            operators.push((field.type_name.clone(), suited.collect()));
        }
    }
    operators
}
