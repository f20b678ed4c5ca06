//! The two modules that call other servers, against real servers on this machine.
#![expect(clippy::unwrap_used, reason = "a test helper that fails should fail its test")]

mod external_calls;
mod external_paths;
mod server;
mod storage_checks;
mod storage_failures;
