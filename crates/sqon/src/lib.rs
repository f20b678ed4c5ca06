//! SQON, the filter language of the search service: parsing, validation, normalisation, a summary in English and a JSON
//! Schema.
//!
//! ```text
//! JSON ── Sqon::parse ──► Sqon ── resolve_names, validate ──► checked against a catalogue ── normalise ──► an engine
//! ```
//!
//! A filter that cannot be parsed is an error with a JSON pointer; it is never read as "all records". Nothing here does
//! I/O, and nothing knows an engine.

mod builder;
mod error;
mod fields;
mod json_path;
mod limits;
mod nested_json;
mod normalise;
mod parse;
mod reduce;
mod schema;
mod sqon;
mod summary;
mod value;
mod write;

pub mod operators;
pub mod validate;

pub use builder::{BuiltFilter, FilterClause, build_filter};
pub use error::{SqonError, SqonErrorKind};
pub use json_path::quote;
pub use limits::{MAX_LEVELS, MAX_NODES, MAX_VALUES};
pub use nested_json::{MAX_JSON_DEPTH, NestedJsonError, json_depth, parse_nested_json};
pub use operators::fuzzy::Fuzziness;
pub use operators::group::GroupOp;
pub use operators::range::RangeOp;
pub use schema::json_schema;
pub use sqon::{Condition, Leaf, Sqon, ValuesOp};
pub use validate::{FieldClass, FieldInfo, FieldLookup};
pub use value::{MISSING_VALUE, SET_PREFIX, Scalar, ValueTest};
