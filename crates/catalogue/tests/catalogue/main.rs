//! Catalogues through the public interface.

#![expect(clippy::unwrap_used, clippy::needless_pass_by_value, reason = "test helpers read better this way")]

mod access;
mod check;
mod defaults;
mod display;
mod engine;
mod fields;
mod folders;
mod generated;
mod golden;
mod introspection;
mod names;
mod network;
mod problems;
mod profile;
mod random;
mod source;
mod support;
mod tree;
