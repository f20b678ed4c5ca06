//! Every route, as a client meets it: over TCP, with each response held against the OpenAPI document.
//!
//! The modules mirror the tree of paths; `errors` is about requests that no route wants, `clients` about the
//! sequences of calls that known clients make, `concurrency` about requests at the same time.
#![expect(clippy::unwrap_used, reason = "a failure here is the failure of a test")]

mod admin;
mod analysis;
mod clients;
mod compression;
mod concurrency;
mod entities;
mod errors;
mod events;
mod export;
mod files;
mod health;
mod http2;
mod metrics;
mod openapi;
mod portal;
mod schemas;
mod sheets;
mod studies;
mod submit;
mod submit_batch;
mod support;
