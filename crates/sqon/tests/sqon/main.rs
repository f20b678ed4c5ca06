//! The language through its public interface.

#![expect(clippy::unwrap_used, clippy::needless_pass_by_value, reason = "test helpers read better this way")]

mod builder;
mod fields;
mod limits;
mod normalise;
mod operators;
mod random;
mod schema;
mod special_values;
mod strategies;
mod summary;
mod support;
mod validate;
