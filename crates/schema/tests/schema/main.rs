//! What clients meet: registration, submission, update, and the words of every refusal.

#![expect(clippy::unwrap_used, clippy::needless_pass_by_value, reason = "test helpers read better this way")]

mod agreement;
mod builtin;
mod hostile;
mod messages;
mod patterns;
mod registration;
mod rendering;
mod samples;
mod updates;
