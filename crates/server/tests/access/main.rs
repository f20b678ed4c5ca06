//! Who may use which route, as a client meets it: over TCP, with each response held against the OpenAPI document.
#![expect(clippy::unwrap_used, reason = "a failure here is the failure of a test")]

mod audit;
mod connections;
mod credentials;
mod keys;
mod metrics;
mod open;
mod own_keys;
mod paths;
mod provider;
mod public;
mod routes;
mod sets;
mod sign_in;
mod studies;
mod support;
mod tools;
