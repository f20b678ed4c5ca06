//! How much a client may have of the server, and how little a client that means no good can take from the others.
//!
//! Timeouts are short here, so that they pass; nothing depends on how long anything takes.
#![expect(clippy::unwrap_used, reason = "a failure here is the failure of a test")]

mod bodies;
mod connections;
mod exports;
mod memory;
mod rate;
mod slow_clients;
mod support;
mod timeouts;
mod wildcards;
