//! The section `network`: the nodes that answer a request together with the catalogue.

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use cantata_mapping::describe;
use serde_json::Value;

use super::reader::{ConfigReader, ConfigSection};
use crate::names::is_graphql_name;
use crate::network::{NetworkConfig, NodeConfig, NodeNames, NodeProduct, NodeTarget, RemoteNode};

/// How many nodes a network may have.
const MAX_NODES: usize = 100;

const DEFAULT_TIMEOUT: Duration = Duration::from_secs(10);

const DEFAULT_DEADLINE: Duration = Duration::from_secs(15);

const DEFAULT_MAX_ANSWER_BYTES: usize = 16 << 20;

/// Headers that belong to one connection or to the body; a call has its own.
const OWN_HEADERS: [&str; 12] = [
    "accept-encoding",
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "expect",
    "host",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "x-request-type",
];

/// Reads the network, whose answers may take this many bytes together; `None` if there is none.
pub(super) fn read<'a>(
    reader: &mut ConfigReader<'a>,
    root: &ConfigSection<'a>,
    memory_bytes: usize,
) -> Option<NetworkConfig> {
    let network = reader.section(root, "network")?;
    let known = ["deadline", "localNode", "localNodes", "maxAnswerBytes", "remoteNodes", "remoteRequests"];
    reader.warn_unknown(&network, &known);
    let mut nodes = Vec::new();
    if let Some(node) = reader.section(&network, "localNode") {
        reader.warn_unknown(&node, &["displayName", "nodeId"]);
        nodes.extend(read_node(reader, &node, NodeTarget::OwnRecords));
    }
    for node in reader.sections(&network, "localNodes").unwrap_or_default() {
        let known = ["catalogue", "displayName", "fields", "nodeId", "portalUrl", "suppressBelow", "values"];
        reader.warn_unknown(&node, &known);
        let catalogue = reader.required_text(&node, "catalogue", "the id of another catalogue of this server");
        nodes.extend(catalogue.and_then(|catalogue| read_node(reader, &node, NodeTarget::Catalogue(catalogue))));
    }
    let common = read_requests(reader, &network, "remoteRequests").unwrap_or_default();
    for node in reader.sections(&network, "remoteNodes").unwrap_or_default() {
        let remote = read_remote(reader, &node, &common).map(|remote| NodeTarget::Remote(Box::new(remote)));
        nodes.extend(remote.and_then(|remote| read_node(reader, &node, remote)));
    }
    if nodes.len() > MAX_NODES {
        reader.fail(network.key.clone(), format!("{} nodes", nodes.len()), format!("at most {MAX_NODES}"));
    }
    report_duplicates(reader, &network, &nodes);
    Some(NetworkConfig {
        nodes,
        deadline: seconds(reader, &network, "deadline").unwrap_or(DEFAULT_DEADLINE),
        max_answer_bytes: reader
            .count(&network, "maxAnswerBytes", 1024)
            .map_or(DEFAULT_MAX_ANSWER_BYTES, |bytes| bytes as usize),
        memory_bytes,
    })
}

fn read_node<'a>(reader: &mut ConfigReader<'a>, section: &ConfigSection<'a>, target: NodeTarget) -> Option<NodeConfig> {
    let name = reader.required_text(section, "displayName", "the name that people read");
    Some(NodeConfig {
        id: reader.filled_text(section, "nodeId"),
        target,
        names: read_names(reader, section),
        suppressed_below: reader.count(section, "suppressBelow", 2).map(u64::from),
        portal_url: read_portal_url(reader, section),
        name: name?,
    })
}

fn read_remote<'a>(
    reader: &mut ConfigReader<'a>,
    node: &ConfigSection<'a>,
    common_headers: &[String],
) -> Option<RemoteNode> {
    let known = [
        "allowPrivateAddresses",
        "displayName",
        "documentType",
        "fields",
        "graphqlUrl",
        "kind",
        "nodeId",
        "portalUrl",
        "requests",
        "suppressBelow",
        "timeout",
        "token",
        "values",
    ];
    reader.warn_unknown(node, &known);
    let document_type = reader.required_text(node, "documentType", "the document type of the other server");
    if let Some(name) = document_type.as_ref().filter(|name| !is_graphql_name(name)) {
        reader.fail(node.key_of("documentType"), format!("{name:?}"), "a name of letters, digits and underscores");
        return None;
    }
    let product = match reader.filled_text(node, "kind").as_deref() {
        None | Some("arranger") => NodeProduct::Arranger,
        Some("cantata") => NodeProduct::Cantata,
        Some(other) => {
            reader.fail(node.key_of("kind"), format!("{other:?}"), "arranger or cantata");
            return None;
        }
    };
    let graphql_url = reader.required_text(node, "graphqlUrl", "the address of the other server");
    if let Some(problem) = graphql_url.as_deref().and_then(address_problem) {
        // The address is not shown, since it may hold a password.
        let expected = "an address such as https://node.example.org/graphql; credentials belong into `token`";
        reader.fail(node.key_of("graphqlUrl"), problem, expected);
        return None;
    }
    Some(RemoteNode {
        product,
        headers: read_requests(reader, node, "requests").unwrap_or_else(|| common_headers.to_vec()),
        token: reader.secret(node, "token"),
        timeout: seconds(reader, node, "timeout").unwrap_or(DEFAULT_TIMEOUT),
        allows_private_addresses: reader.flag(node, "allowPrivateAddresses").unwrap_or_default(),
        graphql_url: graphql_url?,
        document_type: document_type?,
    })
}

/// Reads the page of a portal, which browsers open: an address, or a path of this server.
fn read_portal_url<'a>(reader: &mut ConfigReader<'a>, section: &ConfigSection<'a>) -> Option<String> {
    let url = reader.filled_text(section, "portalUrl")?;
    let is_path = url.starts_with('/') && !url.starts_with("//");
    let problem = if is_path { None } else { address_problem(&url) };
    if let Some(problem) = problem {
        let expected = "the page of a portal such as https://node.example.org/portal/files?filter={filters}";
        reader.fail(section.key_of("portalUrl"), problem, expected);
        return None;
    }
    Some(url)
}

/// Returns what is wrong with an address, without showing it.
fn address_problem(url: &str) -> Option<&'static str> {
    let Some(rest) = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://")) else {
        return Some("an address that does not start with http:// or https://");
    };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    match authority {
        "" => Some("an address without a host"),
        authority if authority.contains('@') => Some("an address with a user name or password"),
        _ => None,
    }
}

/// Reads the names of headers that are passed on; `None` if the section has none.
fn read_requests<'a>(reader: &mut ConfigReader<'a>, section: &ConfigSection<'a>, name: &str) -> Option<Vec<String>> {
    let requests = reader.section(section, name)?;
    reader.warn_unknown(&requests, &["headers"]);
    let mut headers = Vec::new();
    for name in reader.texts(&requests, "headers")? {
        let lower = name.to_ascii_lowercase();
        let is_name =
            !lower.is_empty() && lower.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
        if !is_name {
            reader.fail(requests.key_of("headers"), format!("{name:?}"), "names of headers");
        } else if OWN_HEADERS.contains(&lower.as_str()) {
            let found = format!("{name:?}, which belongs to the connection of the client and is not passed on");
            reader.warn(requests.key_of("headers"), found, "other headers");
        } else if !headers.contains(&lower) {
            headers.push(lower);
        }
    }
    Some(headers)
}

fn read_names<'a>(reader: &mut ConfigReader<'a>, section: &ConfigSection<'a>) -> NodeNames {
    let fields = reader.section(section, "fields").map(|fields| read_texts(reader, &fields)).unwrap_or_default();
    let mut values = BTreeMap::new();
    if let Some(all) = reader.section(section, "values") {
        for field in all.object.keys() {
            if let Some(of_field) = reader.section(&all, field) {
                values.insert(dotted(field), read_texts(reader, &of_field));
            }
        }
    }
    let fields = fields.into_iter().map(|(network, node)| (dotted(&network), dotted(&node))).collect();
    NodeNames { fields, values }
}

/// Reads an object of distinct texts: two names of the network cannot share one of the node, since the way back would
/// be lost.
fn read_texts(reader: &mut ConfigReader<'_>, section: &ConfigSection<'_>) -> BTreeMap<String, String> {
    let mut texts = BTreeMap::new();
    let mut seen = HashSet::new();
    for (name, value) in section.object {
        match value {
            Value::String(text) if !text.is_empty() && seen.insert(text.as_str()) => {
                texts.insert(name.clone(), text.clone());
            }
            Value::String(text) if !text.is_empty() => {
                reader.fail(section.key_of(name), format!("{text:?} a second time"), "another name than those before");
            }
            other => reader.fail(section.key_of(name), describe(other), "the name at the node"),
        }
    }
    texts
}

fn dotted(name: &str) -> String {
    name.replace("__", ".")
}

fn seconds(reader: &mut ConfigReader<'_>, section: &ConfigSection<'_>, name: &str) -> Option<Duration> {
    reader.count(section, name, 1).map(|seconds| Duration::from_secs(seconds.into()))
}

/// Reports names and ids that several nodes have, which no client could tell apart.
fn report_duplicates(reader: &mut ConfigReader<'_>, network: &ConfigSection<'_>, nodes: &[NodeConfig]) {
    let (mut names, mut ids) = (HashSet::new(), HashSet::new());
    for node in nodes {
        if !names.insert(&node.name) {
            reader.warn(network.key.clone(), format!("two nodes of the name {:?}", node.name), "distinct names");
        }
        if let Some(id) = node.id.as_ref().filter(|id| !ids.insert(*id)) {
            reader.warn(network.key.clone(), format!("two nodes of the id {id:?}"), "distinct ids");
        }
    }
}
