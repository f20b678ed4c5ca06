//! Product and version of a cluster, and the media types that follow from them.

use std::sync::Arc;

use cantata_engine::EngineError;
use reqwest::header::HeaderValue;
use serde_json::Value;
use tokio::time::{Instant, timeout_at};

use super::ClusterClient;
use super::attempt::NodeResponse;
use crate::request;
use crate::settings::Product;

/// Product and version of a cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ClusterInfo {
    pub(crate) product: Product,
    /// Major and minor version; if the cluster does not tell, the oldest supported one, whose requests newer ones
    /// accept.
    pub(crate) version: (u32, u32),
    media_types: MediaTypes,
}

impl ClusterInfo {
    fn new(product: Product, version: Option<(u32, u32)>) -> Self {
        let oldest = match product {
            Product::OpenSearch => (2, 0),
            Product::Elasticsearch => (7, 17),
        };
        let version = version.unwrap_or(oldest);
        let media_types = match (product, version.0) {
            (Product::Elasticsearch, 8) => MediaTypes {
                json: "application/vnd.elasticsearch+json; compatible-with=8",
                ndjson: "application/vnd.elasticsearch+x-ndjson; compatible-with=8",
            },
            // Later versions accept what the one before them accepts.
            (Product::Elasticsearch, 9..) => MediaTypes {
                json: "application/vnd.elasticsearch+json; compatible-with=9",
                ndjson: "application/vnd.elasticsearch+x-ndjson; compatible-with=9",
            },
            _ => MediaTypes::PLAIN,
        };
        Self { product, version, media_types }
    }

    pub(super) fn media_types(&self) -> &MediaTypes {
        &self.media_types
    }
}

/// The media types of requests and responses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MediaTypes {
    json: &'static str,
    ndjson: &'static str,
}

impl MediaTypes {
    const PLAIN: Self = Self { json: "application/json", ndjson: "application/x-ndjson" };

    pub(super) fn json(&self) -> HeaderValue {
        HeaderValue::from_static(self.json)
    }

    pub(super) fn ndjson(&self) -> HeaderValue {
        HeaderValue::from_static(self.ndjson)
    }
}

/// The last failure to detect a cluster, and when it was.
#[derive(Default)]
pub(super) struct FailedDetection(Option<(Instant, EngineError)>);

impl ClusterClient {
    /// Returns product and version of the cluster. One request detects them; those that wait meanwhile share its
    /// result, also where it fails.
    pub(super) async fn cluster_info_by(&self, deadline: Instant) -> Result<Arc<ClusterInfo>, EngineError> {
        if let Some(cluster) = self.cluster.get() {
            return Ok(Arc::clone(cluster));
        }
        let began = Instant::now();
        let mut detection = timeout_at(deadline, self.detection.lock()).await.map_err(|_| EngineError::TimedOut)?;
        if let Some(cluster) = self.cluster.get() {
            return Ok(Arc::clone(cluster));
        }
        if let Some((failed_at, error)) = &detection.0
            && *failed_at > began
        {
            return Err(error.clone());
        }
        match self.detect(deadline).await {
            Ok(cluster) => Ok(Arc::clone(self.cluster.get_or_init(|| Arc::new(cluster)))),
            Err(error) => {
                detection.0 = Some((Instant::now(), error.clone()));
                Err(error)
            }
        }
    }

    async fn detect(&self, deadline: Instant) -> Result<ClusterInfo, EngineError> {
        let root = self.fetch_info("/", deadline).await?;
        let (found, version) = if root.status < 300 {
            let about: Value = serde_json::from_slice(&root.body).unwrap_or_default();
            let unknown = || EngineError::Failed("it is neither OpenSearch nor Elasticsearch".to_owned());
            let number = about["version"]["number"].as_str().ok_or_else(unknown)?;
            let is_opensearch = about["version"]["distribution"] == "opensearch";
            let product = if is_opensearch { Product::OpenSearch } else { Product::Elasticsearch };
            (Some(product), version_of(number))
        } else {
            // A user may lack the right to `/`, and there are builds without it; only Elasticsearch names itself
            // elsewhere.
            let nodes = self.fetch_info("/_nodes/_local?filter_path=nodes.*.version", deadline).await?;
            let is_elasticsearch = root.is_elasticsearch || nodes.is_elasticsearch;
            let about: Value = serde_json::from_slice(&nodes.body).unwrap_or_default();
            let mut nodes = about["nodes"].as_object().into_iter().flatten();
            let version = nodes.find_map(|(_, node)| version_of(node["version"].as_str()?));
            (is_elasticsearch.then_some(Product::Elasticsearch), version)
        };
        if let (Some(found), Some(expected)) = (found, self.settings.product)
            && found != expected
        {
            tracing::warn!(
                ?found,
                ?expected,
                "the search engine is not what the settings say; it is used as what it is"
            );
        }
        let cluster = ClusterInfo::new(found.or(self.settings.product).unwrap_or(Product::OpenSearch), version);
        tracing::info!(product = ?cluster.product, version = ?cluster.version, "the search engine was recognised");
        Ok(cluster)
    }

    async fn fetch_info(&self, path: &str, deadline: Instant) -> Result<NodeResponse, EngineError> {
        let call = request::get(path);
        let answer = self.send_with_retries(&call, &MediaTypes::PLAIN, deadline).await?;
        if answer.status == 401 { Err(answer.denied_error()) } else { Ok(answer) }
    }
}

fn version_of(number: &str) -> Option<(u32, u32)> {
    let mut parts = number.split('.').map(str::parse);
    Some((parts.next()?.ok()?, parts.next()?.ok()?))
}
