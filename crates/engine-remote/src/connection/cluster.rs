//! What a cluster is, and how requests to it are written.

use std::collections::BTreeMap;
use std::sync::Arc;

use cantata_engine::EngineError;
use reqwest::header::HeaderValue;
use serde::Deserialize;
use tokio::time::{Instant, timeout_at};

use super::Connection;
use super::attempt::Answer;
use crate::calls;
use crate::settings::Product;

/// What a cluster is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cluster {
    pub(crate) product: Product,
    /// Major and minor; where the cluster does not tell, those of the oldest that is supported, whose requests the
    /// newer ones take as well.
    pub(crate) version: (u32, u32),
    form: Form,
}

impl Cluster {
    fn new(product: Product, version: Option<(u32, u32)>) -> Self {
        let oldest = match product {
            Product::OpenSearch => (2, 0),
            Product::Elasticsearch => (7, 17),
        };
        let version = version.unwrap_or(oldest);
        let form = match (product, version.0) {
            (Product::Elasticsearch, 8) => Form {
                json: "application/vnd.elasticsearch+json; compatible-with=8",
                lines: "application/vnd.elasticsearch+x-ndjson; compatible-with=8",
            },
            // Later versions take what the one before them takes.
            (Product::Elasticsearch, 9..) => Form {
                json: "application/vnd.elasticsearch+json; compatible-with=9",
                lines: "application/vnd.elasticsearch+x-ndjson; compatible-with=9",
            },
            _ => Form::PLAIN,
        };
        Self { product, version, form }
    }

    pub(super) fn form(&self) -> &Form {
        &self.form
    }
}

/// The media types of requests and answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Form {
    json: &'static str,
    lines: &'static str,
}

impl Form {
    const PLAIN: Self = Self { json: "application/json", lines: "application/x-ndjson" };

    pub(super) fn json(&self) -> HeaderValue {
        HeaderValue::from_static(self.json)
    }

    pub(super) fn lines(&self) -> HeaderValue {
        HeaderValue::from_static(self.lines)
    }
}

/// The last failure to learn what a cluster is, and when it was.
#[derive(Default)]
pub(super) struct UnknownCluster(Option<(Instant, EngineError)>);

impl Connection {
    /// Says what the cluster is. One call asks it; those that wait meanwhile share its answer and its failure.
    pub(super) async fn cluster_by(&self, deadline: Instant) -> Result<Arc<Cluster>, EngineError> {
        if let Some(cluster) = self.cluster.get() {
            return Ok(Arc::clone(cluster));
        }
        let began = Instant::now();
        let mut asking = timeout_at(deadline, self.asking.lock()).await.map_err(|_| EngineError::TimedOut)?;
        if let Some(cluster) = self.cluster.get() {
            return Ok(Arc::clone(cluster));
        }
        if let Some((failed_at, error)) = &asking.0
            && *failed_at > began
        {
            return Err(error.clone());
        }
        match self.detect(deadline).await {
            Ok(cluster) => Ok(Arc::clone(self.cluster.get_or_init(|| Arc::new(cluster)))),
            Err(error) => {
                asking.0 = Some((Instant::now(), error.clone()));
                Err(error)
            }
        }
    }

    async fn detect(&self, deadline: Instant) -> Result<Cluster, EngineError> {
        let root = self.look("/", deadline).await?;
        let (found, version) = if root.status < 300 {
            let unknown = |_| EngineError::Failed("it is neither OpenSearch nor Elasticsearch".to_owned());
            let about: About = serde_json::from_slice(&root.body).map_err(unknown)?;
            let is_opensearch = about.version.distribution.as_deref() == Some("opensearch");
            let product = if is_opensearch { Product::OpenSearch } else { Product::Elasticsearch };
            (Some(product), version_of(&about.version.number))
        } else {
            // A user may be kept from `/`, and there are builds without it; only Elasticsearch names itself elsewhere.
            let nodes = self.look("/_nodes/_local?filter_path=nodes.*.version", deadline).await?;
            let is_elasticsearch = root.is_elasticsearch || nodes.is_elasticsearch;
            let about: AboutNodes = serde_json::from_slice(&nodes.body).unwrap_or_default();
            let version = about.nodes.values().find_map(|node| version_of(&node.version));
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
        let cluster = Cluster::new(found.or(self.settings.product).unwrap_or(Product::OpenSearch), version);
        tracing::info!(product = ?cluster.product, version = ?cluster.version, "the search engine was recognised");
        Ok(cluster)
    }

    async fn look(&self, path: &str, deadline: Instant) -> Result<Answer, EngineError> {
        let call = calls::get(path);
        let answer = self.answer(&call, &Form::PLAIN, deadline).await?;
        if answer.status == 401 { Err(answer.denial()) } else { Ok(answer) }
    }
}

#[derive(Deserialize)]
struct About {
    version: AboutVersion,
}

#[derive(Deserialize)]
struct AboutVersion {
    number: String,
    distribution: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct AboutNodes {
    nodes: BTreeMap<String, AboutNode>,
}

#[derive(Deserialize)]
struct AboutNode {
    version: String,
}

fn version_of(number: &str) -> Option<(u32, u32)> {
    let mut parts = number.split('.').map(str::parse);
    Some((parts.next()?.ok()?, parts.next()?.ok()?))
}
