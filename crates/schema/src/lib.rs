//! Schemas of analysis types: registration, validation of submissions and updates, and messages of violations.
//!
//! An administrator registers the *dynamic* part of a type; [`render_schema`] lays it over the base part that every analysis
//! shares, and [`PayloadValidator`] holds the result ready for use. Schemas are JSON Schema draft 7, whatever they
//! say themselves, and never resolve anything outside of their own text. Messages are those that clients of the
//! original server know. Nothing here does I/O.

mod base;
mod builtin;
mod compile;
mod java_pattern;
mod messages;
mod patterns;
mod registration;
mod schema_graph;
mod subschemas;
mod validation_budget;
mod validator;
mod violation;

pub use base::render_schema;
pub use builtin::{BuiltinType, builtin_types};
pub use messages::json_type_name;
pub use registration::{check_registration, describe_foreign_schema, meta_schema};
pub use validator::PayloadValidator;
pub use violation::{SchemaViolation, join_violations};
