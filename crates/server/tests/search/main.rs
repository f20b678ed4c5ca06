//! The search service as its clients meet it: over TCP, on the embedded engine, with each response held against the
//! OpenAPI document.
//!
//! The modules mirror the tree of paths; `base_path` is about a server below a path of a site, `cors` about pages of other
//! sites, `routing` about which catalogue an address means, `library` about the routes within another server, `hostile`
//! about clients that mean no good, `registered_names` about types whose properties ask for one name.
#![expect(clippy::unwrap_used, reason = "a failure here is the failure of a test")]
#![expect(clippy::needless_pass_by_value, reason = "filters are written where they are used")]

mod access;
mod admin;
mod base_path;
mod cors;
mod display;
mod download;
mod graphql;
mod health;
mod hostile;
mod introspection;
mod library;
mod mcp;
mod metrics;
mod network;
mod openapi;
mod registered_names;
mod routing;
mod support;
