//! The whole server on real clusters, and on clusters that have a bad day.
#![expect(clippy::unwrap_used, reason = "a test helper that fails should fail its test")]
#![expect(clippy::needless_pass_by_value, reason = "test helpers read better this way")]
#![expect(clippy::print_stderr, reason = "a test that fails shows the log of its server")]

mod answers;
mod choice;
mod cluster;
mod credentials;
mod faults;
mod indexes;
mod network;
mod server;
mod sets;
