//! Events from a real store to a real broker.
#![expect(clippy::unwrap_used, reason = "a failure here is the failure of a test")]

mod failures;
mod messages;
mod order;
mod security;
mod support;
mod takeover;
mod topics;
