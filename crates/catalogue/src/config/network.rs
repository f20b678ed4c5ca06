//! What `network.json` says of other servers that are searched too. It is checked and kept; nothing uses it yet.

use serde_json::{Map, Value};

use super::reader::{Reader, Section};

pub(super) fn read<'a>(reader: &mut Reader<'a>, whole: &Section<'a>) -> Option<Map<String, Value>> {
    let network = reader.section(whole, "network")?;
    reader.refuse_unknown(&network, &["localNode", "remoteNodes", "remoteRequests"]);
    if let Some(node) = reader.section(&network, "localNode") {
        reader.refuse_unknown(&node, &["displayName", "nodeId"]);
        reader.text(&node, "displayName");
        reader.text(&node, "nodeId");
    }
    read_requests(reader, &network, "remoteRequests");
    for node in reader.entries(&network, "remoteNodes").unwrap_or_default() {
        reader.refuse_unknown(&node, &["displayName", "documentType", "graphqlUrl", "nodeId", "requests"]);
        reader.required_text(&node, "displayName", "the name that people read");
        reader.required_text(&node, "documentType", "the document type of the other server");
        reader.required_text(&node, "graphqlUrl", "the address of the other server");
        reader.text(&node, "nodeId");
        read_requests(reader, &node, "requests");
    }
    Some(network.object.clone())
}

fn read_requests<'a>(reader: &mut Reader<'a>, around: &Section<'a>, name: &str) {
    if let Some(requests) = reader.section(around, name) {
        reader.refuse_unknown(&requests, &["headers"]);
        reader.texts(&requests, "headers");
    }
}
