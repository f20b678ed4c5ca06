//! The GraphQL types and aggregations of mapping types.
//!
//! Numbers that may exceed 32 bits are `Float` in the schema, since `Int` ends there; their values are exact
//! nevertheless. A type that the catalogue does not know is JSON as in the documents.

use cantata_mapping::{Field, FieldKind, MASKED_TYPE};

use super::AggregationKind;

/// A scalar type of GraphQL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum GraphqlScalar {
    /// `String`.
    String,
    /// `Boolean`.
    Boolean,
    /// `Int`.
    Int,
    /// `Float`.
    Float,
}

impl GraphqlScalar {
    /// Returns the name of the GraphQL type.
    pub fn type_name(self) -> &'static str {
        match self {
            Self::String => "String",
            Self::Boolean => "Boolean",
            Self::Int => "Int",
            Self::Float => "Float",
        }
    }

    /// Returns the scalar type of a field; `None` for JSON.
    pub(super) fn of(field: &Field) -> Option<Self> {
        match &field.kind {
            FieldKind::Boolean => Some(Self::Boolean),
            FieldKind::Byte | FieldKind::Short => Some(Self::Int),
            kind if kind.is_numeric() => Some(Self::Float),
            FieldKind::Flattened | FieldKind::Object | FieldKind::Nested | FieldKind::Alias { .. } => None,
            FieldKind::Unsupported(type_name) => {
                UNSUPPORTED_TEXTS.contains(&type_name.as_str()).then_some(Self::String)
            }
            _ => Some(Self::String),
        }
    }
}

/// Types that cannot be searched, whose values are always strings.
const UNSUPPORTED_TEXTS: [&str; 8] = [
    "annotated_text",
    "binary",
    "icu_collation_keyword",
    MASKED_TYPE,
    "match_only_text",
    "search_as_you_type",
    "string",
    "version",
];

impl AggregationKind {
    /// Returns the aggregations of a field.
    pub(super) fn of(field: &Field) -> Self {
        if field.kind.is_numeric() || field.kind.is_date() { Self::Numeric } else { Self::Plain }
    }
}
