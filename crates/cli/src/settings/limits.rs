//! Limits per client and in total.

use std::time::Duration;

use cantata_server::{LimitSettings, TrustedProxies};
use clap::Args;

use super::values::{networks, whole_number};

/// The maximum timeout: a day.
const MAX_TIMEOUT_SECONDS: u64 = 86_400;

#[derive(Debug, Args)]
#[command(next_help_heading = "Limits")]
pub(crate) struct LimitsSection {
    /// The sustained number of requests per second and client; 0: unlimited. A client is identified by its credential, else
    /// by its address
    #[arg(long, value_name = "NUMBER", default_value_t = 0, value_parser = whole_number(0, u64::from(u32::MAX)))]
    rate_limit: u64,
    /// The burst of requests per client, if RATE_LIMIT is set
    #[arg(long, value_name = "NUMBER", default_value_t = 200, value_parser = whole_number(1, u64::from(u32::MAX)))]
    rate_limit_burst: u64,
    /// The number of failed authentications per minute and address; 0: unlimited
    #[arg(long, value_name = "NUMBER", default_value_t = 120, value_parser = whole_number(0, u64::from(u32::MAX)))]
    auth_failure_limit: u64,
    /// The proxies whose X-Forwarded-For header is trusted: addresses and networks such as 10.0.0.0/8, separated by commas
    #[arg(long, value_name = "NETWORKS", value_parser = networks)]
    trusted_proxies: Option<TrustedProxies>,
    /// The maximum size of a batch of payloads, in bytes
    #[arg(long, value_name = "BYTES", default_value_t = 10 << 30, value_parser = whole_number(1, u64::MAX))]
    batch_limit: u64,
    /// The maximum body size of a search or download request, in bytes
    #[arg(long, value_name = "BYTES", default_value_t = 8 << 20, value_parser = whole_number(1, usize::MAX))]
    search_body_limit: usize,
    /// The maximum number of concurrent exports and downloads; 0: unlimited
    #[arg(long, value_name = "NUMBER", default_value_t = 64, value_parser = whole_number(0, usize::MAX))]
    max_exports: usize,
    /// The maximum number of concurrent exports and downloads per client; 0: unlimited
    #[arg(long, value_name = "NUMBER", default_value_t = 16, value_parser = whole_number(0, usize::MAX))]
    max_exports_per_client: usize,
    /// The timeout until a response starts, in seconds; routes below /admin may take longer
    #[arg(long, value_name = "SECONDS", default_value_t = 120, value_parser = whole_number(1, MAX_TIMEOUT_SECONDS))]
    request_timeout: u64,
    /// The idle timeout of a client, in seconds: between requests, while sending a request, and while reading a response
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = whole_number(1, MAX_TIMEOUT_SECONDS))]
    client_timeout: u64,
    /// The maximum number of connections; beyond it, those that have been idle longest are closed
    #[arg(long, value_name = "NUMBER", default_value_t = 8192, value_parser = whole_number(1, usize::MAX))]
    max_connections: usize,
}

impl LimitsSection {
    /// Returns the limits of the HTTP server.
    pub(super) fn settings(&self) -> LimitSettings {
        let number = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        LimitSettings {
            requests_per_second: number(self.rate_limit),
            request_burst: number(self.rate_limit_burst),
            failures_per_minute: number(self.auth_failure_limit),
            trusted_proxies: self.trusted_proxies.clone().unwrap_or_default(),
            batch_limit: self.batch_limit,
            search_body_limit: self.search_body_limit,
            max_exports: self.max_exports,
            max_exports_per_client: self.max_exports_per_client,
            request_timeout: Duration::from_secs(self.request_timeout),
            client_timeout: Duration::from_secs(self.client_timeout),
            max_connections: self.max_connections,
        }
    }
}
