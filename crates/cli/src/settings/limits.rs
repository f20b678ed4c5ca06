//! Limits per client and in total.

use std::time::Duration;

use cantata_server::{LimitSettings, TrustedProxies};
use clap::Args;

use super::memory::MemorySettings;
use super::values::{networks, whole_number};

/// The maximum number of threads for blocking work.
const MAX_BLOCKING_THREADS: usize = 4096;

/// As many as there are searches at once.
const BLOCKING_THREADS_PER_PROCESSOR: usize = 4;

/// More threads for all other work, some of which waits for the disk.
const OTHER_BLOCKING_THREADS: usize = 8;

const MIN_BLOCKING_THREADS: usize = 16;

/// One part in this many of the memory is for request bodies and responses.
const REQUEST_DIVISOR: u64 = 8;

/// One part in this many of the memory is for caches.
const CACHE_DIVISOR: u64 = 16;

/// One search may take one part in this many of the memory, within these bounds.
const SEARCH_DIVISOR: u64 = 64;
const MIN_SEARCH_BYTES: u64 = 32 << 20;
const MAX_SEARCH_BYTES: u64 = 256 << 20;

/// More is of little use, so that it has to be configured.
const MAX_DEFAULT_CACHE_BYTES: u64 = 256 << 20;

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
    /// The minimum rate at which a client sends a body or reads a response, in bytes per second; a client that stays below
    /// it is given up when it is CLIENT_TIMEOUT behind
    #[arg(long, value_name = "BYTES", default_value_t = 1024, value_parser = whole_number(1, u64::MAX))]
    min_client_rate: u64,
    /// The maximum number of threads for searches, downloads and reads of the store; unset, 4 per processor and 8 more, at
    /// least 16
    #[arg(long, value_name = "NUMBER", value_parser = whole_number(2, MAX_BLOCKING_THREADS))]
    blocking_threads: Option<usize>,
    #[command(flatten)]
    pub(crate) memory: MemorySettings,
    /// The maximum size of all request bodies and responses in memory, in bytes; unset, an eighth of MEMORY_LIMIT
    #[arg(long, value_name = "BYTES", value_parser = whole_number(1 << 20, usize::MAX))]
    request_memory: Option<usize>,
    /// The maximum size of the documents and buckets of one search in memory, in bytes; unset, a 64th of MEMORY_LIMIT, at
    /// least 32 MiB and at most 256 MiB
    #[arg(long, value_name = "BYTES", value_parser = whole_number(1 << 20, usize::MAX))]
    search_memory: Option<usize>,
    /// The maximum size of cached results and compiled analysis types, in bytes; unset, a sixteenth of MEMORY_LIMIT and at
    /// most 256 MiB
    #[arg(long, value_name = "BYTES", value_parser = whole_number(0, usize::MAX))]
    cache_memory: Option<usize>,
}

impl LimitsSection {
    /// Returns how many threads run blocking work.
    pub(crate) fn blocking_threads(&self) -> usize {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let default = processors * BLOCKING_THREADS_PER_PROCESSOR + OTHER_BLOCKING_THREADS;
        self.blocking_threads.unwrap_or(default.max(MIN_BLOCKING_THREADS))
    }

    /// Returns how many bytes cached results and compiled analysis types may take.
    pub(crate) fn cache_memory(&self) -> usize {
        let share = || (self.memory.limit() / CACHE_DIVISOR).min(MAX_DEFAULT_CACHE_BYTES);
        self.cache_memory.unwrap_or_else(|| usize::try_from(share()).unwrap_or(usize::MAX))
    }

    /// Returns how many bytes one search may take.
    pub(crate) fn search_memory(&self) -> usize {
        let share = || (self.memory.limit() / SEARCH_DIVISOR).clamp(MIN_SEARCH_BYTES, MAX_SEARCH_BYTES);
        self.search_memory.unwrap_or_else(|| usize::try_from(share()).unwrap_or(usize::MAX))
    }

    /// Returns how many bytes request bodies and responses may take.
    fn request_memory(&self) -> usize {
        let share = || usize::try_from(self.memory.limit() / REQUEST_DIVISOR).unwrap_or(usize::MAX);
        self.request_memory.unwrap_or_else(share)
    }

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
            min_client_rate: self.min_client_rate,
            request_memory: self.request_memory(),
        }
    }
}
