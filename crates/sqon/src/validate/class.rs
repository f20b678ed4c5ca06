//! What the types of a mapping are like, as far as filters care.

use crate::operators::{OPERATORS, Operator};

/// What a field's type is like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FieldClass {
    /// Texts cut into words.
    Text,
    /// Texts matched as a whole.
    Keyword,
    /// Booleans.
    Boolean,
    /// Whole numbers.
    Integer,
    /// Other numbers.
    Float,
    /// Dates and times.
    Date,
    /// Internet addresses.
    Ip,
    /// Ids of records.
    Id,
    /// An object with fields of its own.
    Object,
    /// A list of objects that are matched one by one.
    Nested,
    /// Anything else; it is left to the engine.
    Other,
}

const CLASSES: [FieldClass; 10] = [
    FieldClass::Text,
    FieldClass::Keyword,
    FieldClass::Boolean,
    FieldClass::Integer,
    FieldClass::Float,
    FieldClass::Date,
    FieldClass::Ip,
    FieldClass::Id,
    FieldClass::Object,
    FieldClass::Nested,
];

impl FieldClass {
    /// Returns the class of a mapping type.
    pub fn of_type(type_name: &str) -> Self {
        CLASSES.into_iter().find(|class| class.type_names().contains(&type_name)).unwrap_or(Self::Other)
    }

    /// Returns the mapping types of the class; those that no class names are [`FieldClass::Other`].
    pub fn type_names(self) -> &'static [&'static str] {
        match self {
            Self::Text => &["text", "match_only_text"],
            Self::Keyword => &["keyword", "constant_keyword", "wildcard"],
            Self::Boolean => &["boolean"],
            Self::Integer => &["long", "integer", "short", "byte", "unsigned_long"],
            Self::Float => &["float", "double", "half_float", "scaled_float"],
            Self::Date => &["date", "date_nanos"],
            Self::Ip => &["ip"],
            Self::Id => &["id"],
            Self::Object => &["object"],
            Self::Nested => &["nested"],
            Self::Other => &[],
        }
    }

    /// Returns the operators that suit fields of the class, in the order of the registry.
    pub fn operators(self) -> impl Iterator<Item = &'static Operator> {
        OPERATORS.into_iter().filter(move |operator| operator.applies_to(self))
    }
}
