//! How large a filter may be. The limits keep reading, checking and compiling a filter far from exhausting the stack
//! or a request's time; no filter made by a person or a portal comes near them.

use crate::error::{SqonError, SqonErrorKind};
use crate::json_path::JsonPath;

/// How many groups and leaves may lie within each other.
pub const MAX_LEVELS: usize = 100;

/// How many groups and leaves a filter may have.
pub const MAX_NODES: usize = 10_000;

/// How many values and listed field names a filter may have.
pub const MAX_VALUES: usize = 100_000;

/// What has been parsed of a filter so far.
#[derive(Debug, Default)]
pub(crate) struct Budget {
    nodes: usize,
    values: usize,
}

impl Budget {
    /// Counts one group or leaf, `level` levels deep (the root is level 1).
    pub(crate) fn take_node(&mut self, level: usize, path: &JsonPath<'_>) -> Result<(), SqonError> {
        self.nodes += 1;
        within(level, MAX_LEVELS, "levels of groups and leaves", path)?;
        within(self.nodes, MAX_NODES, "groups and leaves", path)
    }

    /// Counts values or listed field names.
    pub(crate) fn take_values(&mut self, count: usize, path: &JsonPath<'_>) -> Result<(), SqonError> {
        self.values += count;
        within(self.values, MAX_VALUES, "values", path)
    }
}

fn within(count: usize, limit: usize, of_what: &str, path: &JsonPath<'_>) -> Result<(), SqonError> {
    if count <= limit {
        return Ok(());
    }
    let message = format!("the filter has more than {limit} {of_what}; a filter may have at most {limit}");
    Err(SqonError::new(path.pointer(), SqonErrorKind::TooLarge, message))
}
