//! Index mappings: which fields there are, of which kind, below which nested containers, and how values of documents
//! and filters are read.
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
mod nesting_prefix;
mod parse;
mod properties;
mod redaction;
mod value;

pub use date::{DateDisplayPattern, DateExpression, DateExpressionError, DateFormat, DatePatternError, UtcDateTime};
pub use error::{MappingError, ValueError, describe, describe_type, shorten};
pub use field::{DynamicMapping, Field, RECORD_ID, join_path};
pub use kind::FieldKind;
pub use mapping::IndexMapping;
pub use redaction::{MASKED_TYPE, RedactedFields};
pub use value::{HALF_MAX, TypedValue, half_precision_step};
