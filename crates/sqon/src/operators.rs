//! The operators, one file each, and the registry that lists them.
//!
//! What an operator is called, how its content is read, which fields it suits and how it is described to clients is
//! said once, in its [`Operator`]; reading, validation and the published schema all follow from there.

pub mod all;
pub mod between;
pub mod fuzzy;
pub mod group;
pub mod is_in;
pub mod not_in;
pub mod range;
pub mod some_not_in;
pub mod wildcard;

pub(crate) mod leaf_content;

use serde_json::Value;

use self::group::GroupOp;
use self::leaf_content::LeafContent;
use crate::error::SqonError;
use crate::sqon::Condition;
use crate::validate::FieldClass;

/// An operator that tests fields.
#[derive(Debug)]
pub struct Operator {
    /// The canonical name.
    pub name: &'static str,
    /// Other names that mean the same.
    pub aliases: &'static [&'static str],
    /// What it does, in English.
    pub description: &'static str,
    /// The key under which its content names fields.
    pub field_ref: FieldRef,
    /// The fields it suits.
    pub applicable_to: Applicability,
    /// What its value may be, in the notation of TypeScript.
    pub value_type: &'static str,
    /// The form of its content.
    pub shape: &'static ContentShape,
    pub(crate) parse: fn(&mut LeafContent<'_>) -> Result<Condition, SqonError>,
}

/// How the content of an operator names fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldRef {
    /// `fieldName`, one name.
    FieldName,
    /// `fieldNames`, a list.
    FieldNames,
}

impl FieldRef {
    /// Returns the key.
    pub fn key(self) -> &'static str {
        match self {
            Self::FieldName => "fieldName",
            Self::FieldNames => "fieldNames",
        }
    }
}

/// Which fields an operator suits.
#[derive(Debug, Clone, Copy)]
pub enum Applicability {
    /// Every field.
    All,
    /// Fields of these classes, and fields of types that no class describes.
    Classes(&'static [FieldClass]),
}

/// The form of content that one operator or several share: an entry in `$defs` of the published schema.
#[derive(Debug)]
pub struct ContentShape {
    /// The name in `$defs`.
    pub name: &'static str,
    /// The form in words, for error messages.
    pub form: &'static str,
    pub(crate) content_schema: fn() -> Value,
}

impl Operator {
    /// Returns whether the operator suits fields of a class.
    pub fn applies_to(&self, class: FieldClass) -> bool {
        match self.applicable_to {
            Applicability::All => true,
            Applicability::Classes(classes) => class == FieldClass::Other || classes.contains(&class),
        }
    }
}

/// Every operator that tests fields, in the order in which they are published.
pub static OPERATORS: [&Operator; 11] = [
    &is_in::IN,
    &not_in::NOT_IN,
    &some_not_in::SOME_NOT_IN,
    &all::ALL,
    &range::GT,
    &range::GTE,
    &range::LT,
    &range::LTE,
    &between::BETWEEN,
    &wildcard::WILDCARD,
    &fuzzy::FUZZY,
];

/// Returns the operator of a name or alias.
pub fn find(name: &str) -> Option<&'static Operator> {
    OPERATORS.into_iter().find(|operator| operator.name == name || operator.aliases.contains(&name))
}

/// Returns every canonical name: the combinations first, then the operators on fields.
pub(crate) fn all_names() -> impl Iterator<Item = &'static str> {
    GroupOp::ALL.into_iter().map(GroupOp::name).chain(OPERATORS.into_iter().map(|operator| operator.name))
}
