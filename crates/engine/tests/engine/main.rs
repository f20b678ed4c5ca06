//! The plan of a search through its public interface.

#![expect(clippy::unwrap_used, clippy::needless_pass_by_value, reason = "test helpers read better this way")]

mod cursor;
mod document;
mod element_budget;
mod elements;
mod filter;
mod matching;
mod pivots;
mod support;
mod translate;
mod typed_values;
