//! Downloads: formats, limits, rows of nested elements, archives, and what is refused.

mod archives;
mod cells;
mod formats;
mod refusals;
mod rows;
pub(crate) mod support;
mod tables;
