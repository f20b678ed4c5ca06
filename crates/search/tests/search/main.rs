//! The search service through its public interface.

#![expect(clippy::unwrap_used, clippy::needless_pass_by_value, reason = "test helpers read better this way")]

mod access;
mod download;
mod loading;
mod profile;
mod sets;
