//! Credentials as clients send them, genuine and forged.
#![expect(clippy::unwrap_used, reason = "a failure here is the failure of a test")]

mod introspection;
mod keys;
mod published;
mod sign_in;
mod support;
mod tokens;
