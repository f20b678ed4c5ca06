//! The settings of a cluster, and their validation.
//!
//! Secrets are in [`ClusterCredentials`] and may be in the addresses; neither `Debug` nor an error ever shows one.

mod address;

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use cantata_core::ClusterCredentials;
use reqwest::Certificate;
use reqwest::header::HeaderValue;
use thiserror::Error;

pub(crate) use address::NodeAddress;

const MAX_TIMEOUT: Duration = Duration::from_secs(24 * 60 * 60);

/// The product that a cluster runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Product {
    /// OpenSearch, 2 and later.
    OpenSearch,
    /// Elasticsearch, 7.17 and later.
    Elasticsearch,
}

/// The settings of a cluster.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct RemoteSettings {
    /// The addresses of the nodes, such as `https://search-1:9200`; at least one. One without a scheme is `http`; a
    /// path is put before every path that is asked for; a user and a password are those of this node, if
    /// [`RemoteSettings::credentials`] has none.
    pub hosts: Vec<String>,
    /// The product; detected if not given.
    pub product: Option<Product>,
    /// The credentials for the cluster.
    pub credentials: ClusterCredentials,
    /// A file of certificates (PEM) that are trusted beside those of the system.
    pub ca_certificate: Option<PathBuf>,
    /// How long one request may take, all attempts together.
    pub timeout: Duration,
    /// How long changes that come one after the other may wait for a refresh; zero: each batch is refreshed.
    pub refresh_interval: Duration,
}

impl fmt::Debug for RemoteSettings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hosts: Vec<_> = self.hosts.iter().map(|host| address::redacted(host)).collect();
        formatter
            .debug_struct("RemoteSettings")
            .field("hosts", &hosts)
            .field("product", &self.product)
            .field("credentials", &self.credentials)
            .field("ca_certificate", &self.ca_certificate)
            .field("timeout", &self.timeout)
            .field("refresh_interval", &self.refresh_interval)
            .finish()
    }
}

/// Why settings cannot be used: which one, what was found and what is expected.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct SettingsError(pub String);

impl RemoteSettings {
    /// Parses the addresses, each with the credentials for its node.
    pub(crate) fn addresses(&self) -> Result<Vec<NodeAddress>, SettingsError> {
        if self.hosts.is_empty() {
            return Err(SettingsError(
                "no address of a search engine is set; expected one in ES_HOST or esHost".into(),
            ));
        }
        self.check_credentials()?;
        self.hosts.iter().map(|host| NodeAddress::read(host, &self.credentials)).collect()
    }

    fn check_credentials(&self) -> Result<(), SettingsError> {
        let problem = match &self.credentials {
            ClusterCredentials::None => return Ok(()),
            ClusterCredentials::Basic { user, .. } if user.reveal().contains(':') => {
                "the user of the search engine (ES_USER, esUser) has a colon; expected a name without one"
            }
            ClusterCredentials::Basic { .. } => return Ok(()),
            ClusterCredentials::ApiKey(key) if key.reveal().contains(':') => {
                "the API key of the search engine (ES_API_KEY, esApiKey) has a colon; expected the encoded form of the \
                 key, which has id and key in one"
            }
            ClusterCredentials::ApiKey(key)
                if key.reveal().is_empty() || HeaderValue::from_str(key.reveal()).is_err() =>
            {
                "the API key of the search engine (ES_API_KEY, esApiKey) is empty or has characters that an HTTP header \
                 cannot carry; expected the key as the cluster gave it out"
            }
            ClusterCredentials::ApiKey(_) => return Ok(()),
        };
        Err(SettingsError(problem.to_owned()))
    }

    pub(crate) fn check_timeout(&self) -> Result<(), SettingsError> {
        let seconds = self.timeout.as_secs_f64();
        if self.timeout.is_zero() || self.timeout > MAX_TIMEOUT {
            return Err(SettingsError(format!(
                "the timeout of the search engine (ES_TIMEOUT, esTimeout) is {seconds} s; expected more than 0 and at \
                 most {} s",
                MAX_TIMEOUT.as_secs()
            )));
        }
        Ok(())
    }

    /// Reads the certificates that are trusted in addition to those of the system.
    pub(crate) fn certificates(&self) -> Result<Vec<Certificate>, SettingsError> {
        let Some(path) = &self.ca_certificate else { return Ok(Vec::new()) };
        let problem = |found: &str| {
            let path = path.display();
            SettingsError(format!(
                "the certificate file `{path}` of the search engine (ES_CA_CERTIFICATE, esCaCertificate) {found}; \
                 expected a PEM file with at least one certificate"
            ))
        };
        let text = std::fs::read(path).map_err(|error| problem(&format!("cannot be read: {error}")))?;
        match Certificate::from_pem_bundle(&text) {
            Ok(certificates) if certificates.is_empty() => Err(problem("has no certificate")),
            Ok(certificates) => Ok(certificates),
            Err(_) => Err(problem("is not PEM")),
        }
    }
}

#[cfg(test)]
mod tests;
