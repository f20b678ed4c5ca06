//! The binary as people and their scripts meet it.
#![expect(clippy::unwrap_used, reason = "a test helper that fails should fail its test")]

mod backup;
mod catalogue;
mod client;
mod damage;
mod database;
mod demo;
mod examples;
mod formats;
mod guide;
mod house;
mod import;
mod index;
mod key;
mod log;
mod memory;
mod packaging;
mod portal;
mod process;
mod serve;
mod settings;
mod song_db;
mod tracing;
