//! Finding out the fields of remote nodes, and the statistics of their numbers and dates, in the background.
//!
//! Each node has one task, so there is never more than one discovery of it under way. It repeats at intervals, with
//! exponential backoff after a failure, and ends with the network. A node that left questions without an answer must also
//! count its records, or it is suspended. The fields that were known of a node stay in use while its discovery fails; the
//! statistics do not.

use std::sync::Arc;
use std::time::Duration;

use cantata_catalogue::{AggregationKind, NodeProduct, NodeTarget, RemoteNode, flat_name, is_graphql_name};
use cantata_graphql::{GraphqlRequest, NetworkQuestion};
use cantata_sqon::FieldClass;
use reqwest::Url;
use serde_json::{Value, json};

use crate::error::NodeError;
use crate::names::NameTranslation;
use crate::network::Network;
use crate::node::{Node, NodeSchema};
use crate::node_answer::NodeAnswer;
use crate::node_query::{FieldMembers, NodeField, QueryOptions, node_query};
use crate::remote_call::{RemoteClient, RemoteResponse, threshold};
use crate::statistics::NodeStatistics;

/// How often the fields of a node that works are read again.
const REFRESH_INTERVAL: Duration = Duration::from_secs(60);

/// How long the discovery waits after the first failure; after each further one twice as long.
const MIN_BACKOFF: Duration = Duration::from_millis(500);

const MAX_BACKOFF: Duration = Duration::from_secs(30);

/// How long one discovery may take.
const DISCOVERY_TIMEOUT: Duration = Duration::from_secs(10);

/// How many fields of a node are used.
const MAX_FIELDS: usize = 10_000;

/// The introspection that every Arranger answers, and what its numbers and buckets offer.
const FIELDS_QUERY: &str = "query getAggregationTypes($documentTypeName: String!) { __type(name: $documentTypeName) { \
                            name fields { name type { name } } } \
                            numeric: __type(name: \"NumericAggregations\") { fields { name } } \
                            bucket: __type(name: \"Bucket\") { fields { name } } }";

/// Types of which a facet cannot be asked.
const UNCOUNTED_TYPES: [&str; 4] = ["id", "masked", "nested", "object"];

/// Starts the discovery of a node; it ends when the network is dropped.
pub(crate) fn start(network: &Arc<Network>, index: usize) {
    let Some(remote) = network.nodes().get(index).and_then(|node| node.remote.as_ref()) else { return };
    // Settings that cannot be used do not get better by themselves.
    if remote.client.is_err() {
        return;
    }
    let (network, wake) = (Arc::downgrade(network), Arc::clone(&remote.wake));
    tokio::spawn(async move {
        let mut backoff = MIN_BACKOFF;
        loop {
            let Some(known) = network.upgrade() else { return };
            let is_discovered = discover_node(&known, index).await;
            drop(known);
            let pause = if is_discovered { REFRESH_INTERVAL } else { backoff };
            backoff = if is_discovered { MIN_BACKOFF } else { (backoff * 2).min(MAX_BACKOFF) };
            tokio::select! {
                () = tokio::time::sleep(pause) => {}
                // The node is doubted, or its fields changed: it gets a moment, and is then asked for them again.
                () = wake.notified() => tokio::time::sleep(MIN_BACKOFF).await,
            }
        }
    });
}

/// Finds out the fields of a node; returns whether it answered.
async fn discover_node(network: &Network, index: usize) -> bool {
    let Some(node) = network.nodes().get(index) else { return false };
    let Some(state) = &node.remote else { return false };
    let found = match read_fields(node).await {
        // The fields of a node may be known to it while its search engine is down.
        Ok(schema) if state.has_failed() => count_records(node).await.map(|()| schema),
        found => found,
    };
    match found {
        Ok(schema) => {
            // Requests that the node rejects let its fields be read again at once; statistics cost it more.
            if schema.suppressed_below.is_some() || state.begin_statistics(REFRESH_INTERVAL) {
                state.keep_statistics(read_statistics(node, &schema).await);
            }
            if state.discovered(schema) {
                tracing::info!(node = node.config.name, "the fields of a node are known");
                network.publish_fields();
            }
            state.resume();
            true
        }
        Err(error) => {
            log_failure(node, &error);
            // The node may not want this server to see them any more.
            state.keep_statistics(None);
            state.discovery_failed(&error);
            false
        }
    }
}

/// Asks a remote node for its fields.
pub(crate) async fn read_fields(node: &Node) -> Result<NodeSchema, NodeError> {
    let (NodeTarget::Remote(remote), Some(state)) = (&node.config.target, &node.remote) else {
        return Err(NodeError::Settings);
    };
    let client = state.client.as_ref().map_err(Clone::clone)?;
    discover(client, remote, &node.names).await
}

/// Asks a remote node for the number of its records.
///
/// # Errors
///
/// If it does not work; a node that rejects the request does.
async fn count_records(node: &Node) -> Result<(), NodeError> {
    let (NodeTarget::Remote(remote), Some(state)) = (&node.config.target, &node.remote) else {
        return Err(NodeError::Settings);
    };
    let client = state.client.as_ref().map_err(Clone::clone)?;
    let question = NetworkQuestion::default();
    let options = QueryOptions { question: &question, counts_only: true };
    let query = node_query(options, None, &remote.document_type, &[], &node.names);
    let response = client.post(&query.request, &[], DISCOVERY_TIMEOUT).await;
    let answer = response
        .and_then(|response| NodeAnswer::parse(&response.body, &remote.document_type, &question, &query, &node.names));
    match answer {
        Err(error) if error.is_outage() => Err(error),
        Ok(_) | Err(_) => Ok(()),
    }
}

/// Asks a remote node for the statistics of its numbers and dates.
async fn read_statistics(node: &Node, schema: &NodeSchema) -> Option<NodeStatistics> {
    let (NodeTarget::Remote(remote), Some(state)) = (&node.config.target, &node.remote) else { return None };
    // A node that shows counts only has none.
    if schema.suppressed_below.is_some() {
        return None;
    }
    let client = state.client.as_ref().ok()?;
    NodeStatistics::read(client, &remote.document_type, &schema.fields, DISCOVERY_TIMEOUT).await
}

fn log_failure(node: &Node, error: &NodeError) {
    let name = &node.config.name;
    match error {
        NodeError::Invalid(reason) => tracing::warn!(node = name, reason, "the fields of a node cannot be read"),
        error => tracing::warn!(node = name, %error, "the fields of a node cannot be read"),
    }
}

async fn discover(
    client: &RemoteClient,
    remote: &RemoteNode,
    names: &NameTranslation,
) -> Result<NodeSchema, NodeError> {
    let (response, fields, members) = match remote.product {
        NodeProduct::Arranger => by_graphql(client, &remote.document_type).await?,
        NodeProduct::Cantata => {
            let (response, fields) = by_introspection(client).await?;
            (response, fields, FieldMembers::ALL)
        }
    };
    let mut known: Vec<NodeField> = Vec::new();
    for (node, kind) in fields.into_iter().filter(|(name, _)| is_graphql_name(name) && !name.starts_with("__")) {
        if let Some(network) = names.field_in_network(&node)
            && known.len() < MAX_FIELDS
        {
            known.push(NodeField { network, node, kind, members });
        }
    }
    known.sort_by(|one, other| one.network.cmp(&other.network));
    known.dedup_by(|one, other| one.network == other.network);
    Ok(NodeSchema { fields: known, version: response.version, suppressed_below: response.suppressed_below })
}

/// Names of fields at a node, with what can be asked of them.
type FoundFields = Vec<(String, AggregationKind)>;

/// Asks for the type of the aggregations.
async fn by_graphql(
    client: &RemoteClient,
    document_type: &str,
) -> Result<(RemoteResponse, FoundFields, FieldMembers), NodeError> {
    let variables = json!({ "documentTypeName": format!("{document_type}Aggregations") });
    let request = GraphqlRequest {
        query: FIELDS_QUERY.to_owned(),
        variables: variables.as_object().cloned(),
        operation_name: None,
    };
    let response = client.post(&request, &[], DISCOVERY_TIMEOUT).await?;
    let body = parse(&response.body)?;
    let fields = body["data"]["__type"]["fields"].as_array();
    let fields = fields.ok_or(NodeError::Invalid("it has no type for the aggregations of this document type"))?;
    let field = |field: &Value| {
        let kind = match field["type"]["name"].as_str()? {
            "Aggregations" => AggregationKind::Plain,
            "NumericAggregations" => AggregationKind::Numeric,
            _ => return None,
        };
        Some((field["name"].as_str()?.to_owned(), kind))
    };
    let fields = fields.iter().filter_map(field).collect();
    let has = |kind: &str, name: &str| {
        let members = body["data"][kind]["fields"].as_array();
        members.into_iter().flatten().any(|member| member["name"] == name)
    };
    let members = FieldMembers {
        key_texts: has("bucket", "key_as_string"),
        buckets: has("numeric", "buckets"),
        histogram: has("numeric", "histogram"),
        range: has("numeric", "range"),
        any_bounds: response.version.is_some(),
    };
    Ok((response, fields, members))
}

/// Reads the introspection of a Cantata server, which is on even where that of GraphQL is off.
async fn by_introspection(client: &RemoteClient) -> Result<(RemoteResponse, FoundFields), NodeError> {
    // The first address is that of a server with one catalogue, the second that of a catalogue among several.
    let response = match client.get(beside(&client.url, "introspection/fields"), DISCOVERY_TIMEOUT).await {
        Err(NodeError::Failed) => client.get(beside(&client.url, "introspection"), DISCOVERY_TIMEOUT).await?,
        found => found?,
    };
    let body = parse(&response.body)?;
    let fields = body["fields"].as_object().ok_or(NodeError::Invalid("it has no fields"))?;
    let field = |(path, field): (&String, &Value)| {
        let type_name = field["type"].as_str().filter(|name| !UNCOUNTED_TYPES.contains(name))?;
        let kind = match FieldClass::of_type(type_name) {
            FieldClass::Integer | FieldClass::Float | FieldClass::Date => AggregationKind::Numeric,
            _ => AggregationKind::Plain,
        };
        let name = field["graphqlName"].as_str().map_or_else(|| flat_name(path), str::to_owned);
        Some((name, kind))
    };
    let fields: FoundFields = fields.iter().filter_map(field).collect();
    let stated = match &body["meta"]["suppressedBelow"] {
        Value::Null => None,
        stated => Some(threshold(&stated.to_string())?),
    };
    let suppressed_below = stated.max(response.suppressed_below);
    Ok((RemoteResponse { suppressed_below, ..response }, fields))
}

fn parse(body: &[u8]) -> Result<Value, NodeError> {
    serde_json::from_slice(body).map_err(|_| NodeError::Invalid("it is no JSON"))
}

/// Returns the address of a resource that is beside `graphql`.
fn beside(graphql: &Url, resource: &str) -> Url {
    let mut url = graphql.clone();
    let path = graphql.path().trim_end_matches('/');
    let base = path.strip_suffix("graphql").unwrap_or(path).trim_end_matches('/').to_owned();
    url.set_path(&format!("{base}/{resource}"));
    url.set_query(None);
    url
}
