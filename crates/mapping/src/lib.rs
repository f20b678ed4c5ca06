//! What an index mapping says: which fields there are, of which kind, below which nested containers, and how a value
//! of a document or of a filter is to be understood.
//!
//! [`IndexMapping`] is read from the JSON that the engines use, follows documents where no mapping was given
//! ([`IndexMapping::extend_from`]), and hands out one [`Field`] for each dotted path. [`Field::read`] turns a JSON
//! scalar into a [`TypedValue`] with the leniency of the engines, so that every engine and every model of one reads
//! the same. [`DateExpression`] is a date as a filter writes it. Nothing here does I/O.

mod date;
mod dynamic;
mod error;
mod field;
mod kind;
mod mapping;
mod merge;
mod parse;
mod prefix;
mod raw;
mod redact;
mod value;

pub use date::{DateExpression, DateExpressionError, DateFormat, Moment};
pub use error::{MappingError, ValueError};
pub use field::{Dynamic, Field};
pub use kind::FieldKind;
pub use mapping::IndexMapping;
pub use redact::{Covers, MASKED};
pub use value::TypedValue;
