//! The fields of one catalogue: the body of `GET /introspection/{id}`.
//!
//! Every path that a filter can name is there, multi-fields included; which operators suit it is what the filter
//! language says of its type.

use cantata_mapping::MASKED;
use cantata_sqon::FieldClass;
use serde::Serialize;

use super::Ordered;
use crate::access::View;
use crate::catalogue::Catalogue;
use crate::config::Limits;

/// The fields of one catalogue.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CatalogueBody {
    /// The name in addresses.
    pub catalog_id: String,
    /// What it is, for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The name of the root field.
    pub document_type: String,
    /// The fields by dotted path.
    pub fields: Ordered<FieldBody>,
    /// The operators that suit each type.
    pub operators: Ordered<Vec<&'static str>>,
    /// What a request may ask for.
    pub limits: Limits,
    /// When the catalogue was built.
    pub generated_at: String,
    /// What the answer depends on.
    pub meta: MetaBody,
}

/// One field.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FieldBody {
    /// What people read.
    pub display_name: String,
    /// The type in the mapping; for an alias, that of the field it leads to.
    #[serde(rename = "type")]
    pub type_name: String,
    /// The unit of its values.
    pub unit: Option<String>,
    /// For a multi-field the field whose values it has: only that one can be selected in nodes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub multi_field_of: Option<String>,
}

/// What the answer depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MetaBody {
    /// Whether anything is left out that the client may not see.
    pub auth_filtered: bool,
    /// The least count that is shown, where small ones are not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suppressed_below: Option<u64>,
}

impl CatalogueBody {
    /// Returns what is told of a catalogue that was built at a moment, which is given as clients are to read it, to
    /// those who have a view of it.
    pub fn new(catalogue: &Catalogue, view: &View, generated_at: impl Into<String>) -> Self {
        let fields = fields(catalogue);
        let operators = operators(&fields);
        Self {
            catalog_id: catalogue.id.clone(),
            description: catalogue.description.clone(),
            document_type: catalogue.document_type.clone(),
            fields: Ordered(fields),
            operators: Ordered(operators),
            limits: catalogue.limits,
            generated_at: generated_at.into(),
            meta: MetaBody { auth_filtered: !view.is_everything(), suppressed_below: view.below },
        }
    }
}

fn fields(catalogue: &Catalogue) -> Vec<(String, FieldBody)> {
    let mut fields = Vec::new();
    for field in &catalogue.display.extended {
        let body = FieldBody {
            display_name: field.display_name.clone(),
            type_name: field.type_name.clone(),
            unit: field.unit.clone(),
            multi_field_of: None,
        };
        fields.push((field.field_name.clone(), body));
        let entry = catalogue.mapping.entry(&field.field_name);
        for path in entry.map_or(&[][..], |entry| &entry.multi_fields) {
            let Some(multi_field) = catalogue.mapping.entry(path) else { continue };
            let body = FieldBody {
                display_name: field.display_name.clone(),
                type_name: multi_field.type_name.clone(),
                unit: field.unit.clone(),
                multi_field_of: Some(field.field_name.clone()),
            };
            fields.push((path.clone(), body));
        }
    }
    fields
}

/// Returns the operators of every type, in the order in which the types appear.
fn operators(fields: &[(String, FieldBody)]) -> Vec<(String, Vec<&'static str>)> {
    let mut operators: Vec<(String, Vec<&'static str>)> = Vec::new();
    for (_, field) in fields {
        if operators.iter().all(|(type_name, _)| *type_name != field.type_name) {
            let suited = FieldClass::of_type(&field.type_name).operators().map(|operator| operator.name);
            let suited = suited.filter(|_| field.type_name != MASKED);
            operators.push((field.type_name.clone(), suited.collect()));
        }
    }
    operators
}
