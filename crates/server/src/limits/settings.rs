//! The limits an operator chooses.

use std::time::Duration;

use super::TrustedProxies;

/// How much one client, and all of them together, may ask for.
#[derive(Debug, Clone)]
pub struct LimitSettings {
    /// How many requests a client may send in a second, in the long run; 0: any number.
    pub requests_per_second: u32,
    /// How many requests a client may send at once.
    pub request_burst: u32,
    /// How many credentials that are not accepted an address may send in a minute; 0: any number.
    pub failures_per_minute: u32,
    /// The proxies whose word is taken for where a request comes from.
    pub trusted_proxies: TrustedProxies,
    /// The largest batch of payloads, in bytes.
    pub batch_limit: u64,
    /// The largest body of a search or a download, in bytes.
    pub search_body_limit: usize,
    /// How many exports may run at once; 0: any number.
    pub max_exports: usize,
    /// How many of them one client may have; 0: any number.
    pub max_exports_per_client: usize,
    /// How long an answer may take to begin once the request is there.
    pub request_timeout: Duration,
    /// How long a client may take for what only it can do: to send a request, to go on with one, to read an answer.
    pub client_timeout: Duration,
    /// How many connections there may be; when there are more, those are closed that have been waiting longest for
    /// their clients.
    pub max_connections: usize,
    /// The lowest rate at which a client sends a body or reads an answer, in bytes per second; one that is slower is
    /// closed when it is `client_timeout` behind.
    pub min_client_rate: u64,
    /// How many bytes the bodies and answers in memory may have, those of all clients together.
    pub request_memory: usize,
}

impl Default for LimitSettings {
    fn default() -> Self {
        Self {
            requests_per_second: 0,
            request_burst: 200,
            failures_per_minute: 120,
            trusted_proxies: TrustedProxies::default(),
            batch_limit: 10 << 30,
            search_body_limit: 8 << 20,
            max_exports: 64,
            max_exports_per_client: 16,
            request_timeout: Duration::from_secs(120),
            client_timeout: Duration::from_secs(60),
            max_connections: 8192,
            min_client_rate: 1024,
            request_memory: 512 << 20,
        }
    }
}
