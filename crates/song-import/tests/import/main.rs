//! Takes over databases of a real PostgreSQL, into both stores.
#![expect(clippy::unwrap_used, reason = "a test helper that fails should fail its test")]

mod again;
mod generations;
mod refusals;
mod target;
