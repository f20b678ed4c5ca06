//! The binary as people and their scripts meet it.
#![expect(clippy::unwrap_used, reason = "a test helper that fails should fail its test")]

mod catalogue;
mod demo;
mod house;
mod import;
mod index;
mod licences;
mod process;
mod serve;
mod settings;
