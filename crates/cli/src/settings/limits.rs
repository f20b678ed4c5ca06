//! How much one client, and all of them together, may ask for.

use std::time::Duration;

use cantata_server::{LimitSettings, TrustedProxies};
use clap::Args;

use super::values::{networks, whole_number};

/// The longest timeout, in seconds: a day.
const LONGEST: u64 = 86_400;

#[derive(Debug, Args)]
#[command(next_help_heading = "Limits")]
pub(crate) struct LimitsSection {
    /// How many requests a client may send in a second, in the long run; 0: any number. A client is whoever its credential
    /// says it is, else its address
    #[arg(long, value_name = "NUMBER", default_value_t = 0, value_parser = whole_number(0, u64::from(u32::MAX)))]
    rate_limit: u64,
    /// How many requests a client may send at once, where RATE_LIMIT is set
    #[arg(long, value_name = "NUMBER", default_value_t = 200, value_parser = whole_number(1, u64::from(u32::MAX)))]
    rate_limit_burst: u64,
    /// How many credentials that are not accepted an address may send in a minute; 0: any number
    #[arg(long, value_name = "NUMBER", default_value_t = 120, value_parser = whole_number(0, u64::from(u32::MAX)))]
    auth_failure_limit: u64,
    /// The proxies whose header X-Forwarded-For is believed: addresses and networks such as 10.0.0.0/8, separated by
    /// commas
    #[arg(long, value_name = "NETWORKS", value_parser = networks)]
    trusted_proxies: Option<TrustedProxies>,
    /// The largest batch of payloads, in bytes
    #[arg(long, value_name = "BYTES", default_value_t = 10 << 30, value_parser = whole_number(1, u64::MAX))]
    batch_limit: u64,
    /// The largest body of a search or a download, in bytes
    #[arg(long, value_name = "BYTES", default_value_t = 8 << 20, value_parser = whole_number(1, usize::MAX))]
    search_body_limit: usize,
    /// How many exports and downloads may run at once; 0: any number
    #[arg(long, value_name = "NUMBER", default_value_t = 64, value_parser = whole_number(0, usize::MAX))]
    max_exports: usize,
    /// How many exports and downloads one client may run at once; 0: any number
    #[arg(long, value_name = "NUMBER", default_value_t = 16, value_parser = whole_number(0, usize::MAX))]
    max_exports_per_client: usize,
    /// How long an answer may take to begin once the request is there, in seconds; what is below /admin may take longer
    #[arg(long, value_name = "SECONDS", default_value_t = 120, value_parser = whole_number(1, LONGEST))]
    request_timeout: u64,
    /// How long a client may do nothing where only it can go on, in seconds: before its next request, while it sends one,
    /// while an answer waits to be read
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = whole_number(1, LONGEST))]
    client_timeout: u64,
    /// How many connections there may be; when there are more, those are closed that have been waiting longest for their
    /// clients
    #[arg(long, value_name = "NUMBER", default_value_t = 8192, value_parser = whole_number(1, usize::MAX))]
    max_connections: usize,
}

impl LimitsSection {
    /// Returns the limits of the HTTP face.
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
