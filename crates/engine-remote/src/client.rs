//! The HTTP client of a cluster: node pool, retries, deadline.
//!
//! [`ClusterClient::send`] returns before the timeout of the settings, all attempts together. Retried is what was
//! certainly not executed (no connection, 429, 503), and a lost connection if the request is idempotent. Redirects are
//! never followed, and responses are bounded. Errors are fixed texts without hosts, queries or words of the cluster;
//! the log has the details, but never credentials.

mod attempt;
mod attempt_error;
mod cluster_info;
mod node_pool;
mod retry;
#[cfg(test)]
mod tests;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use cantata_core::error_chain;
use cantata_engine::EngineError;
use reqwest::Client;
use tokio::sync::Mutex;
use tokio::time::Instant;

pub(crate) use cluster_info::ClusterInfo;
use cluster_info::FailedDetection;
use node_pool::NodePool;

use crate::request::ClusterRequest;
use crate::settings::{RemoteSettings, SettingsError};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
/// Shorter than the minute after which load balancers commonly drop an idle connection.
const POOL_IDLE_TIMEOUT: Duration = Duration::from_secs(45);
/// The size above which a response is an error.
const MAX_RESPONSE_BYTES: usize = 512 * 1024 * 1024;

/// A response with a status of 2xx or 4xx; its body looks like JSON.
#[derive(Debug, Clone)]
pub(crate) struct ClusterResponse {
    pub(crate) status: u16,
    pub(crate) body: Bytes,
}

/// A client of one cluster.
pub(crate) struct ClusterClient {
    client: Client,
    settings: RemoteSettings,
    nodes: NodePool,
    max_response_bytes: usize,
    cluster: OnceLock<Arc<ClusterInfo>>,
    /// Held by the request that detects product and version.
    detection: Mutex<FailedDetection>,
}

impl ClusterClient {
    /// Makes a client; nothing is sent yet.
    pub(crate) fn new(settings: RemoteSettings) -> Result<Self, SettingsError> {
        let addresses = settings.addresses()?;
        settings.check_timeout()?;
        let certificates = settings.certificates()?;
        let is_https = addresses.iter().any(|address| address.is_https);
        let client = cantata_http_client::client_builder(is_https)
            // Clusters are in the local network; the proxy of the machine is for the outside.
            .no_proxy()
            .tcp_nodelay(true)
            .connect_timeout(CONNECT_TIMEOUT.min(settings.timeout / 2))
            .pool_idle_timeout(POOL_IDLE_TIMEOUT);
        let client = if is_https { client.tls_certs_merge(certificates) } else { client };
        let client = client.build().map_err(|error| {
            let cause = error_chain(&error);
            SettingsError(format!("TLS to the search engine cannot be prepared: {cause}; see ES_CA_CERTIFICATE"))
        })?;
        Ok(Self {
            client,
            settings,
            nodes: NodePool::new(addresses),
            max_response_bytes: MAX_RESPONSE_BYTES,
            cluster: OnceLock::new(),
            detection: Mutex::default(),
        })
    }

    /// Sends a request, with retries. Responses of 2xx and 4xx are returned, except 401, 403, 413 and 429, which are
    /// errors like 5xx and failures of the network.
    pub(crate) async fn send(&self, call: ClusterRequest) -> Result<ClusterResponse, EngineError> {
        let deadline = Instant::now() + self.settings.timeout;
        let cluster = self.cluster_info_by(deadline).await?;
        let answer = self.send_with_retries(&call, cluster.media_types(), deadline).await?;
        match answer.status {
            401 | 403 => Err(answer.denied_error()),
            status => Ok(ClusterResponse { status, body: answer.body }),
        }
    }

    /// Returns product and version of the cluster, which are detected at first use; a failure is not cached.
    pub(crate) async fn cluster_info(&self) -> Result<Arc<ClusterInfo>, EngineError> {
        self.cluster_info_by(Instant::now() + self.settings.timeout).await
    }
}
