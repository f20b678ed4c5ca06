//! A filter as an engine evaluates it: an expression over the rows of one nesting level.
//!
//! The root level has a row for each record; a nested container has a row for each of its elements. An expression is
//! always read at one level: a plan's filters at the root, the inside of [`Filter::Nested`] at its path. A field may
//! only be tested at the level its values belong to ([`cantata_mapping::Field::row_path`]); `Nested` goes down, any
//! number of levels at once, and nothing goes up.

use cantata_mapping::TypedValue;

/// A range of values.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct ValueRange {
    /// The lower end and whether it is part of the range.
    pub from: Option<(TypedValue, bool)>,
    /// The upper end and whether it is part of the range.
    pub to: Option<(TypedValue, bool)>,
}

/// A test of a row.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub enum Filter {
    /// Every row.
    #[default]
    All,
    /// No row.
    None,
    /// Rows that pass all of these.
    And(Vec<Filter>),
    /// Rows that pass at least one of these.
    Or(Vec<Filter>),
    /// Rows that do not pass this.
    Not(Box<Filter>),
    /// Rows that have at least one element at the path which passes the inner test.
    Nested {
        /// The path of a nested container below the level at which this stands.
        path: String,
        /// A test of its elements.
        inner: Box<Filter>,
    },
    /// Rows one of whose values in the field is among these. The field [`cantata_mapping::RECORD_ID`] of the root level
    /// is the id of the record; no other test names it. A text field is found by a whole value and by each of its words
    /// alike (see [`crate::Filter::Wildcard`] too).
    Terms {
        /// The path of the field.
        field: String,
        /// The values, sorted, each once.
        values: Vec<TypedValue>,
    },
    /// Rows one of whose values in the field lies within the range.
    Range {
        /// The path of the field.
        field: String,
        /// The range.
        range: ValueRange,
    },
    /// Rows that have a value in the field.
    Exists {
        /// The path of the field.
        field: String,
    },
    /// Rows one of whose values is like the pattern, in which `*` matches any characters and nothing else is
    /// special; upper and lower case are different.
    Pattern {
        /// The path of the field.
        field: String,
        /// The pattern.
        pattern: String,
    },
    /// Rows one of whose values is like the pattern, in which `*` matches any characters and `?` for any one; upper
    /// and lower case are alike.
    Wildcard {
        /// The path of the field.
        field: String,
        /// The pattern.
        pattern: String,
    },
    /// Rows one of whose values becomes the text by at most this many changes of a letter: one added, one left out, one
    /// replaced, or two neighbours swapped. Case is not ignored.
    Fuzzy {
        /// The path of the field.
        field: String,
        /// The text.
        text: String,
        /// How many changes.
        distance: u8,
    },
}

impl Filter {
    /// Returns the conjunction, without needless levels.
    pub fn and(filters: impl IntoIterator<Item = Filter>) -> Filter {
        Self::join(filters, Filter::All, Filter::None, Filter::And)
    }

    /// Returns the disjunction, without needless levels.
    pub fn or(filters: impl IntoIterator<Item = Filter>) -> Filter {
        Self::join(filters, Filter::None, Filter::All, Filter::Or)
    }

    /// Joins filters: neutral ones change nothing, and an absorbing one decides.
    fn join(
        filters: impl IntoIterator<Item = Filter>,
        neutral: Filter,
        absorbing: Filter,
        group: fn(Vec<Filter>) -> Filter,
    ) -> Filter {
        let mut parts = Vec::new();
        for filter in filters {
            match filter {
                filter if filter == neutral => {}
                filter if filter == absorbing => return absorbing,
                Filter::And(inner) if neutral == Filter::All => parts.extend(inner),
                Filter::Or(inner) if neutral == Filter::None => parts.extend(inner),
                other => parts.push(other),
            }
        }
        match parts.len() {
            0 => neutral,
            1 => parts.remove(0),
            _ => group(parts),
        }
    }

    /// Returns the opposite. (A plain function would be taken for the operator of that name.)
    #[must_use]
    pub fn negated(self) -> Filter {
        match self {
            Filter::All => Filter::None,
            Filter::None => Filter::All,
            Filter::Not(inner) => *inner,
            other => Filter::Not(Box::new(other)),
        }
    }

    /// Returns the test at the level of a nested container, lifted to the level above; the filter itself if the path
    /// is empty.
    #[must_use]
    pub fn nested_in(self, path: &str) -> Filter {
        if path.is_empty() || self == Filter::None {
            return self;
        }
        Filter::Nested { path: path.to_owned(), inner: Box::new(self) }
    }
}
