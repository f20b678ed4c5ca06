//! Schemas of analysis types: what may be registered, what a submission and an update must look like, and how a
//! violation is worded.
//!
//! An administrator registers the *dynamic* part of a type; [`render`] lays it over the base part that every analysis
//! shares, and [`PayloadValidator`] holds the result ready for use. Schemas are JSON Schema draft 7, whatever they
//! say themselves, and never lead to a look-up outside of their own text. Messages are worded as clients of the
//! original server know them. Nothing here does I/O.

mod base;
mod builtin;
mod compile;
mod effort;
mod outline;
mod registration;
mod subschemas;
mod validator;
mod violation;
mod wording;

pub use base::render;
pub use builtin::{BuiltinType, builtin_types};
pub use registration::{check_registration, meta_schema};
pub use validator::PayloadValidator;
pub use violation::{Violation, join};
pub use wording::found_type;
