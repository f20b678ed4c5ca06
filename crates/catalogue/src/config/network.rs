//! The section `network`: remote nodes of a federation. It is validated; nothing uses it yet.

use serde_json::{Map, Value};

use super::reader::{ConfigReader, ConfigSection};

pub(super) fn read<'a>(reader: &mut ConfigReader<'a>, root: &ConfigSection<'a>) -> Option<Map<String, Value>> {
    let network = reader.section(root, "network")?;
    reader.warn_unknown(&network, &["localNode", "remoteNodes", "remoteRequests"]);
    if let Some(node) = reader.section(&network, "localNode") {
        reader.warn_unknown(&node, &["displayName", "nodeId"]);
        reader.text(&node, "displayName");
        reader.text(&node, "nodeId");
    }
    read_requests(reader, &network, "remoteRequests");
    for node in reader.sections(&network, "remoteNodes").unwrap_or_default() {
        reader.warn_unknown(&node, &["displayName", "documentType", "graphqlUrl", "nodeId", "requests"]);
        reader.required_text(&node, "displayName", "the name that people read");
        reader.required_text(&node, "documentType", "the document type of the other server");
        reader.required_text(&node, "graphqlUrl", "the address of the other server");
        reader.text(&node, "nodeId");
        read_requests(reader, &node, "requests");
    }
    Some(network.object.clone())
}

fn read_requests<'a>(reader: &mut ConfigReader<'a>, section: &ConfigSection<'a>, name: &str) {
    if let Some(requests) = reader.section(section, name) {
        reader.warn_unknown(&requests, &["headers"]);
        reader.texts(&requests, "headers");
    }
}
