//! Requests to a cluster, and what becomes of them on a bad day.
//!
//! [`Connection::send`] answers within the time limit of the settings, all attempts together. What is tried again:
//! whatever surely was not done (no connection, 429, 503), and whatever broke off if the call says that it may be
//! repeated. A redirect is never followed, an answer never buffered beyond a bound. Errors are fixed texts without
//! hosts, queries or words of the cluster; the log has the details, but never credentials.

mod attempt;
mod cluster;
mod failure;
mod hosts;
mod retries;
#[cfg(test)]
mod tests;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use cantata_engine::EngineError;
use reqwest::redirect::Policy;
use reqwest::{Client, Method};
use tokio::sync::Mutex;
use tokio::time::Instant;

pub(crate) use cluster::Cluster;
use cluster::UnknownCluster;
use hosts::Hosts;

use crate::settings::{RemoteSettings, SettingsError};

const USER_AGENT: &str = concat!("cantata/", env!("CARGO_PKG_VERSION"));
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
/// Shorter than the minute after which load balancers commonly drop a connection without a word.
const IDLE_TIMEOUT: Duration = Duration::from_secs(45);
/// The longest answer that is read.
const ANSWER_LIMIT: usize = 512 * 1024 * 1024;

/// A request to a cluster.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    /// The method.
    pub(crate) method: Method,
    /// The path, percent-encoded, with the query; begins with a slash.
    pub(crate) path: String,
    /// The body; nothing: there is none.
    pub(crate) body: Option<Bytes>,
    /// Whether the body is lines of JSON, as bulk requests have it.
    pub(crate) is_lines: bool,
    /// Whether the request may be sent again when it is not known whether it was done.
    pub(crate) is_repeatable: bool,
    /// Whether the request changes nothing, so that two nodes may be asked at once.
    pub(crate) is_reading: bool,
}

/// An answer of a cluster: its status is 2xx or 4xx, and its body is JSON as far as the cluster keeps its word.
#[derive(Debug, Clone)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) body: Bytes,
}

/// The way to a cluster.
pub(crate) struct Connection {
    client: Client,
    settings: RemoteSettings,
    hosts: Hosts,
    answer_limit: usize,
    cluster: OnceLock<Arc<Cluster>>,
    /// Held by the one call that asks what the cluster is.
    asking: Mutex<UnknownCluster>,
}

impl Connection {
    /// Prepares the way; nothing is sent yet.
    pub(crate) fn new(settings: RemoteSettings) -> Result<Self, SettingsError> {
        let addresses = settings.addresses()?;
        settings.check_timeout()?;
        let certificates = settings.certificates()?;
        // An error only says that the process has chosen its TLS implementation already, which serves as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder()
            .user_agent(USER_AGENT)
            .redirect(Policy::none())
            // A cluster is a neighbour; the proxy of the machine is for the world outside.
            .no_proxy()
            .tcp_nodelay(true)
            .connect_timeout(CONNECT_TIMEOUT.min(settings.timeout / 2))
            .pool_idle_timeout(IDLE_TIMEOUT);
        let client = if addresses.iter().any(|address| address.is_https) {
            client.tls_certs_merge(certificates)
        } else {
            // Reading the certificates of the machine takes time, and there may be none.
            client.tls_certs_only([])
        };
        let client = client.build().map_err(|error| {
            let cause = failure::with_causes(&error);
            SettingsError(format!("TLS to the search engine cannot be prepared: {cause}; see ES_CA_CERTIFICATE"))
        })?;
        Ok(Self {
            client,
            settings,
            hosts: Hosts::new(addresses),
            answer_limit: ANSWER_LIMIT,
            cluster: OnceLock::new(),
            asking: Mutex::default(),
        })
    }

    /// Sends a request. Answers of 2xx and 4xx are returned, but for 401, 403, 413 and 429, which are errors like those
    /// of 5xx and of the network, after as many attempts as are of use.
    pub(crate) async fn send(&self, call: Call) -> Result<Reply, EngineError> {
        let deadline = Instant::now() + self.settings.timeout;
        let cluster = self.cluster_by(deadline).await?;
        let answer = self.answer(&call, cluster.form(), deadline).await?;
        match answer.status {
            401 | 403 => Err(answer.denial()),
            status => Ok(Reply { status, body: answer.body }),
        }
    }

    /// Says what the cluster is. It is asked at the first use; an answer is kept, a failure is not.
    pub(crate) async fn cluster(&self) -> Result<Arc<Cluster>, EngineError> {
        self.cluster_by(Instant::now() + self.settings.timeout).await
    }
}
