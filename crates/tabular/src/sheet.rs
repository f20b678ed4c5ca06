//! Submission sheets: a template made from a JSON Schema, and what a filled one says in JSON.
//!
//! A schema is laid out as lists of rows ([`SheetLayout`]): the first has a row for each document, and every list of
//! objects within has its own. Members that are no objects with known members, and no lists of them, are cells. What a
//! template asks for is what a filled sheet is read by, so reading gives back exactly what was filled in. Whether a
//! document is valid is for the schema to say; here a cell is read as what its column is, and each violation is brought
//! back to its cell.

mod assembly;
mod cell_kind;
mod filled;
mod input;
mod layout;
mod schema_walk;
mod template;

pub use filled::{FilledSheets, SheetViolation};
pub use input::{Sheet, SheetLine, check_sheets, read_delimited_sheet, read_xlsx_sheets};
pub use layout::{SheetColumn, SheetLayout};
pub use schema_walk::LayoutError;
