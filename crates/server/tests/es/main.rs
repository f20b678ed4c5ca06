//! The Elasticsearch-compatible write API, as its clients use it: over TCP, mirroring its addresses.
//!
//! `clients` lets the official clients in; `attacks` is about what no good client sends.
#![expect(clippy::unwrap_used, reason = "a failure here is the failure of a test")]

mod access;
mod aliases;
mod attacks;
mod bulk;
mod clients;
mod documents;
mod indexes;
mod info;
mod support;
