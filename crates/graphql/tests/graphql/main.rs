//! GraphQL through the public interface: a sample catalogue, requests, and answers made by hand.

#![expect(clippy::unwrap_used, clippy::needless_pass_by_value, reason = "test helpers read better this way")]

mod hostile;
mod limits;
mod network;
mod plan;
mod random;
mod sample;
mod schema;
mod sets;
mod ui;
mod write;
