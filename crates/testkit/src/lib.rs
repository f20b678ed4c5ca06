//! Test support: a server, clients and fakes, over TCP and through the public interface.
//!
//! [`TestServer`] is a whole server on a folder of its own; [`TestClient`] talks to one and validates every response
//! against the OpenAPI document that the server publishes. [`TestCatalogues`] describes its catalogues,
//! [`engines`] locates real search engines, and [`kafka`] a real broker. The builders make valid requests
//! for tests to start from, [`raw`] sends what no HTTP client would, [`MockServer`] mocks the servers that Cantata
//! calls, and [`fault_proxy`] injects faults in front of a real one. Everything here panics when something is not as it should
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
mod http_message;
pub mod identity;
pub mod kafka;
mod mock_server;
pub mod raw;
mod response;
mod server;
pub mod song;

pub use builders::{Payload, minimal_type, unique_md5};
pub use catalogues::{TestCatalogues, put_documents};
pub use client::TestClient;
pub use events::{EventReader, SentEvent};
pub use mock_server::MockServer;
pub use response::TestResponse;
pub use server::{TestServer, TestServerBuilder};
