//! The binary as people and their scripts meet it.
#![expect(clippy::unwrap_used, reason = "a test helper that fails should fail its test")]

mod demo;
mod house;
mod licences;
mod process;
mod serve;
mod settings;
