//! Which engine searches a catalogue, and how it is reached.
//!
//! The server and the files of a catalogue each have settings ([`EngineSettings`]), which may be absent; together they
//! make one [`EngineChoice`]. Credentials of the server belong to the addresses of the server: a catalogue that names
//! another address never gets them. Nothing here connects to anything.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use cantata_core::{ClusterCredentials, Secret};

/// The address of a cluster by default.
const DEFAULT_HOST: &str = "http://127.0.0.1:9200";

/// How long a request to a cluster may take by default.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);

/// How long changes may wait for a refresh by default: as long as clusters themselves let writes wait.
const DEFAULT_REFRESH_INTERVAL: Duration = Duration::from_secs(1);

/// The engines by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EngineName {
    /// The engine in the server itself.
    Embedded,
    /// OpenSearch.
    OpenSearch,
    /// Elasticsearch.
    Elasticsearch,
}

impl EngineName {
    /// What is expected where an engine is named.
    pub const EXPECTED: &str = "embedded, opensearch or elasticsearch";
}

impl FromStr for EngineName {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text.trim().to_ascii_lowercase().as_str() {
            "embedded" => Ok(Self::Embedded),
            "opensearch" => Ok(Self::OpenSearch),
            "elasticsearch" => Ok(Self::Elasticsearch),
            _ => Err(()),
        }
    }
}

/// The settings of the engine, from the server or from the files of a catalogue.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EngineSettings {
    /// The engine (`SEARCH_ENGINE`, `searchEngine`).
    pub name: Option<EngineName>,
    /// The addresses of a cluster (`ES_HOST`, `esHost`); empty if not set. An address can hold a password.
    pub hosts: Vec<Secret>,
    /// The credentials for the cluster (`ES_USER`, `ES_PASS`, `ES_API_KEY`, and `esUser` and so on).
    pub credentials: ClusterCredentials,
    /// A file of certificates (PEM) to trust (`ES_CA_CERTIFICATE`, `esCaCertificate`).
    pub ca_certificate: Option<PathBuf>,
    /// How long one request may take (`ES_TIMEOUT`, `esTimeout`).
    pub timeout: Option<Duration>,
    /// How long changes that come one after the other may wait for a refresh (`ES_REFRESH_INTERVAL_MS`).
    pub refresh_interval: Option<Duration>,
}

/// The engine that searches a catalogue.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub enum EngineChoice {
    /// The engine in the server itself.
    #[default]
    Embedded,
    /// A cluster.
    Remote(Box<ClusterConnection>),
}

/// How a cluster is reached.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ClusterConnection {
    /// OpenSearch or Elasticsearch; `None`: it is detected.
    pub product: Option<EngineName>,
    /// The addresses of its nodes; at least one. An address can hold a password.
    pub hosts: Vec<Secret>,
    /// The credentials for it.
    pub credentials: ClusterCredentials,
    /// A file of certificates (PEM) to trust.
    pub ca_certificate: Option<PathBuf>,
    /// How long one request may take.
    pub timeout: Duration,
    /// How long changes that come one after the other may wait for a refresh.
    pub refresh_interval: Duration,
}

impl EngineSettings {
    /// Reads addresses that are separated by commas.
    pub fn hosts(text: &str) -> Vec<Secret> {
        let hosts = text.split(',').map(|host| host.trim().trim_end_matches('/'));
        hosts.filter(|host| !host.is_empty()).map(Secret::new).collect()
    }

    /// Returns the engine of a catalogue with these settings, on a server with those.
    pub fn choose(&self, server: &Self) -> EngineChoice {
        let server_hosts = if server.hosts.is_empty() { &Self::hosts(DEFAULT_HOST) } else { &server.hosts };
        let is_elsewhere = !self.hosts.iter().all(|host| server_hosts.contains(host));
        let name = match (self.name, self.hosts.is_empty(), server.name) {
            (Some(name), ..) => Some(name),
            // An address means a cluster; its product is detected.
            (None, false, Some(EngineName::Embedded)) => None,
            (None, false, _) if is_elsewhere => None,
            (None, true, None) if server.hosts.is_empty() => Some(EngineName::Embedded),
            (None, _, name) => name,
        };
        if name == Some(EngineName::Embedded) {
            return EngineChoice::Embedded;
        }
        let credentials = match &self.credentials {
            ClusterCredentials::None if is_elsewhere => &ClusterCredentials::None,
            ClusterCredentials::None => &server.credentials,
            own => own,
        };
        EngineChoice::Remote(Box::new(ClusterConnection {
            product: name,
            hosts: if self.hosts.is_empty() { server_hosts } else { &self.hosts }.clone(),
            credentials: credentials.clone(),
            ca_certificate: self.ca_certificate.clone().or_else(|| server.ca_certificate.clone()),
            timeout: self.timeout.or(server.timeout).unwrap_or(DEFAULT_TIMEOUT),
            refresh_interval: self.refresh_interval.or(server.refresh_interval).unwrap_or(DEFAULT_REFRESH_INTERVAL),
        }))
    }
}
