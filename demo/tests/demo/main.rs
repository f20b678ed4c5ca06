//! Checks that the sample data is what it says, and that it is always the same.
#![expect(clippy::unwrap_used, reason = "a test helper that fails should fail its test")]

mod configs;
mod distributions;
mod documents;
mod sources;
mod submissions;
