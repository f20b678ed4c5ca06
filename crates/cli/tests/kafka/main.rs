//! The real binary on a real broker: what reaches the topic, whatever is killed.
#![expect(clippy::unwrap_used, reason = "a failure here is the failure of a test")]

mod away;
mod kill;
mod server;
mod settings;
mod together;
