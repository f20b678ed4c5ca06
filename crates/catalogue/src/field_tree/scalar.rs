//! Which GraphQL type the values of a mapping type have, and which aggregations they offer.
//!
//! Numbers that may exceed 32 bits are `Float` in the schema, since `Int` ends there; their values are exact all the
//! same. A type that the catalogue does not know is shown as it stands in the documents.

use cantata_mapping::{Field, FieldKind, MASKED};

use super::AggregationKind;

/// A scalar type of GraphQL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scalar {
    /// `String`.
    String,
    /// `Boolean`.
    Boolean,
    /// `Int`.
    Int,
    /// `Float`.
    Float,
}

impl Scalar {
    /// Returns the name of the GraphQL type.
    pub fn type_name(self) -> &'static str {
        match self {
            Self::String => "String",
            Self::Boolean => "Boolean",
            Self::Int => "Int",
            Self::Float => "Float",
        }
    }

    /// Returns the scalar for the values of a field; nothing where only JSON can hold them.
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

/// Types that cannot be searched, but whose values are always strings.
const UNSUPPORTED_TEXTS: [&str; 8] = [
    "annotated_text",
    "binary",
    "icu_collation_keyword",
    MASKED,
    "match_only_text",
    "search_as_you_type",
    "string",
    "version",
];

impl AggregationKind {
    /// Returns what the values of a field offer.
    pub(super) fn of(field: &Field) -> Self {
        if field.kind.is_numeric() || field.kind.is_date() { Self::Numeric } else { Self::Plain }
    }
}
