//! What tests need to meet Cantata as its clients do: over TCP, through its public interface.
//!
//! [`TestServer`] is a whole server on a folder of its own; [`TestClient`] speaks to one and holds every response
//! against the OpenAPI document that the server publishes. [`TestCatalogues`] describes what a server searches,
//! [`engines`] says where real search engines are, and [`kafka`] where a real broker is. The builders make valid requests
//! for tests to start from, [`raw`] sends what no HTTP client would, [`StandIn`] plays the servers that Cantata itself
//! calls, and [`fault_proxy`] comes between it and a real one. Everything here panics when something is not as it should
//! be.
#![expect(clippy::unwrap_used, reason = "a failure here is the failure of a test")]

mod builders;
mod catalogues;
mod client;
mod contract;
pub mod databases;
pub mod engines;
mod events;
pub mod fault_proxy;
pub mod kafka;
pub mod raw;
mod response;
mod server;
pub mod song;
mod stand_in;

pub use builders::{Payload, minimal_type, unique_md5};
pub use catalogues::{TestCatalogues, put};
pub use client::TestClient;
pub use events::{EventReader, SentEvent};
pub use response::TestResponse;
pub use server::{TestServer, TestServerBuilder};
pub use stand_in::StandIn;
