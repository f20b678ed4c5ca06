//! SQON, the filter language of the search service: what a filter may say, how it is read, checked, simplified, told
//! in English and described as a JSON Schema.
//!
//! ```text
//! JSON ── Sqon::parse ──► Sqon ── resolve_names, validate ──► checked against a catalogue ── normalise ──► an engine
//! ```
//!
//! A filter that cannot be understood is an error that names its place; it is never read as "all records". Nothing
//! here does I/O, and nothing knows an engine.

mod builder;
mod error;
mod fields;
mod limits;
mod normalise;
mod parse;
mod place;
mod reduce;
mod schema;
mod sqon;
mod summary;
mod value;
mod write;

pub mod operators;
pub mod validate;

pub use builder::{Built, Clause, build};
pub use error::{ErrorKind, SqonError};
pub use limits::{MAX_LEVELS, MAX_NODES, MAX_VALUES};
pub use operators::fuzzy::Fuzziness;
pub use operators::group::GroupOp;
pub use operators::range::RangeOp;
pub use schema::json_schema;
pub use sqon::{Condition, Leaf, Sqon, ValuesOp};
pub use validate::{FieldClass, FieldFacts, Fields};
pub use value::{MISSING, SET_PREFIX, Scalar, ValueTest};
