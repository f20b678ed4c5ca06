//! The filter as a tree: groups that combine, leaves that test fields.
//!
//! Operators are canonical and values are lists, whatever form they were written in. A leaf is a whole filter as good
//! as a group is.

use crate::operators::fuzzy::Fuzziness;
use crate::operators::group::GroupOp;
use crate::operators::range::RangeOp;
use crate::operators::{self, Operator};
use crate::value::{Scalar, ValueTest};

/// A filter, or a part of one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Sqon {
    /// A combination of filters. A group without content matches every record, whatever its operator.
    Group {
        /// How the content is combined.
        op: GroupOp,
        /// What is combined.
        content: Vec<Sqon>,
        /// The nested field in one element of which the conditions of an `and` or `not` must hold together, or `.`.
        pivot: Option<String>,
    },
    /// A test of one field or several.
    Leaf(Leaf),
}

/// A test of one field or several.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Leaf {
    /// What is tested.
    pub condition: Condition,
    /// The pivot as given; it means nothing to a single test.
    pub pivot: Option<String>,
}

/// What a leaf tests.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Condition {
    /// The field's values are compared with a list. Nothing matches an empty list.
    Values {
        /// How they are compared with it.
        op: ValuesOp,
        /// The dotted name.
        field: String,
        /// The list.
        values: Vec<ValueTest>,
    },
    /// One value of the field keeps to every bound. Nothing matches an empty list.
    Range {
        /// The comparison.
        op: RangeOp,
        /// The dotted name.
        field: String,
        /// The bounds.
        bounds: Vec<Scalar>,
    },
    /// One value of the field lies between the bounds, both included; they stand in either order.
    Between {
        /// The dotted name.
        field: String,
        /// The two bounds.
        bounds: [Scalar; 2],
    },
    /// One of the fields has a text like the pattern: `*` any characters, `?` any one, upper and lower case alike.
    Wildcard {
        /// The dotted names.
        fields: Vec<String>,
        /// The pattern.
        pattern: String,
    },
    /// One of the fields has a text that differs from this one by a few letters only.
    Fuzzy {
        /// The dotted names.
        fields: Vec<String>,
        /// The text.
        text: String,
        /// How many letters may differ.
        fuzziness: Fuzziness,
    },
}

/// How the values of a field are compared with a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ValuesOp {
    /// One of the field's values is in the list.
    In,
    /// In a nested field, some element has a value outside the list; elsewhere, no value is in the list.
    NotIn,
    /// No element at all has a value in the list.
    SomeNotIn,
    /// Each value of the list is among the field's values.
    All,
}

impl ValuesOp {
    /// Returns the operator's entry in the registry.
    pub fn operator(self) -> &'static Operator {
        match self {
            Self::In => &operators::is_in::IN,
            Self::NotIn => &operators::not_in::NOT_IN,
            Self::SomeNotIn => &operators::some_not_in::SOME_NOT_IN,
            Self::All => &operators::all::ALL,
        }
    }
}

impl Condition {
    /// Returns the operator's entry in the registry.
    pub fn operator(&self) -> &'static Operator {
        match self {
            Self::Values { op, .. } => op.operator(),
            Self::Range { op, .. } => op.operator(),
            Self::Between { .. } => &operators::between::BETWEEN,
            Self::Wildcard { .. } => &operators::wildcard::WILDCARD,
            Self::Fuzzy { .. } => &operators::fuzzy::FUZZY,
        }
    }

    /// Returns the dotted names of the fields that are tested.
    pub fn fields(&self) -> &[String] {
        match self {
            Self::Values { field, .. } | Self::Range { field, .. } | Self::Between { field, .. } => {
                std::slice::from_ref(field)
            }
            Self::Wildcard { fields, .. } | Self::Fuzzy { fields, .. } => fields,
        }
    }

    pub(crate) fn fields_mut(&mut self) -> &mut [String] {
        match self {
            Self::Values { field, .. } | Self::Range { field, .. } | Self::Between { field, .. } => {
                std::slice::from_mut(field)
            }
            Self::Wildcard { fields, .. } | Self::Fuzzy { fields, .. } => fields,
        }
    }
}
