//! The section `network`.

use std::time::Duration;

use cantata_catalogue::{CatalogueConfig, ConfigDefaults, ConfigProblem, NetworkConfig, NodeProduct, NodeTarget};
use serde_json::{Value, json};

fn read(network: Value) -> Result<CatalogueConfig, Vec<ConfigProblem>> {
    let config = json!({ "esIndex": "files", "documentType": "file", "network": network });
    CatalogueConfig::from_value("files", &config, &ConfigDefaults::default())
}

/// Reads a network that has no problems.
fn network(network: Value) -> NetworkConfig {
    let config = read(network).unwrap();
    assert_eq!(config.warnings, []);
    config.network.unwrap()
}

/// Reads a network with one problem, and returns it.
fn problem(network: Value) -> String {
    let problems = read(network).map_or_else(|problems| problems, |config| config.warnings);
    assert_eq!(problems.len(), 1, "{problems:?}");
    problems[0].to_string()
}

fn remote(more: Value) -> Value {
    let mut node = json!({ "displayName": "N", "documentType": "file", "graphqlUrl": "https://n.example.org/graphql" });
    node.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    node
}

#[test]
fn the_file_of_arranger_is_read_as_it_is() {
    let config = network(json!({
        "localNode": { "displayName": "Toronto", "nodeId": "toronto" },
        "remoteNodes": [
            remote(json!({ "displayName": "Montreal", "nodeId": "montreal" })),
            remote(json!({ "displayName": "Vancouver", "requests": { "headers": ["X-Api-Key"] } })),
        ],
        "remoteRequests": { "headers": ["Authorization"] },
    }));
    let names: Vec<(&str, Option<&str>)> =
        config.nodes.iter().map(|node| (node.name.as_str(), node.id.as_deref())).collect();
    assert_eq!(names, [("Toronto", Some("toronto")), ("Montreal", Some("montreal")), ("Vancouver", None)]);
    assert_eq!(config.nodes[0].target, NodeTarget::OwnRecords);
    let headers: Vec<&[String]> = config.nodes[1..]
        .iter()
        .map(|node| match &node.target {
            NodeTarget::Remote(remote) => remote.headers.as_slice(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(headers, [["authorization"], ["x-api-key"]], "those of a node replace the common ones");
}

#[test]
fn nodes_can_have_names_tokens_limits_and_kinds() {
    let config = network(json!({
        "deadline": 5,
        "maxAnswerBytes": 4096,
        "localNodes": [{ "displayName": "Beta", "catalogue": "beta", "portalUrl": "/portal/explore/beta" }],
        "remoteNodes": [remote(json!({
            "kind": "cantata", "token": "secret", "timeout": 3, "allowPrivateAddresses": true, "suppressBelow": 5,
            "fields": { "donors__gender": "donor.sex" }, "values": { "donors.gender": { "Male": "M" } },
            "portalUrl": "https://n.example.org/portal?filter={filters}",
        }))],
    }));
    assert_eq!((config.deadline, config.max_answer_bytes), (Duration::from_secs(5), 4096));
    assert_eq!(config.memory_bytes, 256 << 20, "the operator sets it");
    assert_eq!(config.nodes[0].target, NodeTarget::Catalogue("beta".to_owned()));
    let NodeTarget::Remote(remote) = &config.nodes[1].target else { panic!("{config:?}") };
    assert_eq!((remote.product, remote.timeout), (NodeProduct::Cantata, Duration::from_secs(3)));
    assert!(remote.allows_private_addresses && !format!("{config:?}").contains("secret"));
    let portals: Vec<Option<&str>> = config.nodes.iter().map(|node| node.portal_url.as_deref()).collect();
    assert_eq!(portals, [Some("/portal/explore/beta"), Some("https://n.example.org/portal?filter={filters}")]);
    assert_eq!(config.nodes[1].suppressed_below, Some(5));
    assert_eq!(config.nodes[1].names.fields["donors.gender"], "donor.sex");
    assert_eq!(config.nodes[1].names.values["donors.gender"]["Male"], "M");
}

#[test]
fn a_token_can_come_from_the_environment() {
    let config = network(json!({ "remoteNodes": [remote(json!({ "token": { "env": "CARGO_PKG_VERSION" } }))] }));
    let NodeTarget::Remote(remote) = &config.nodes[0].target else { panic!("{config:?}") };
    assert_eq!(remote.token.as_ref().map(|token| token.reveal()), Some(env!("CARGO_PKG_VERSION")));
    let missing = problem(json!({ "remoteNodes": [self::remote(json!({ "token": { "env": "CANTATA_NOT_SET" } }))] }));
    assert!(missing.contains("CANTATA_NOT_SET"), "{missing}");
}

#[test]
fn what_cannot_be_used_is_told_without_secrets() {
    for (more, expected) in [
        (json!({ "graphqlUrl": "ftp://n" }), "found an address that does not start with http:// or https://"),
        (json!({ "graphqlUrl": "https://user:pass@n/graphql" }), "found an address with a user name or password"),
        (json!({ "documentType": "file { x }" }), "found \"file { x }\", expected a name of letters"),
        (json!({ "kind": "song" }), "found \"song\", expected arranger or cantata"),
        (json!({ "requests": { "headers": ["Host"] } }), "which belongs to the connection of the client"),
        (json!({ "requests": { "headers": ["a b"] } }), "found \"a b\", expected names of headers"),
        (json!({ "fields": { "a": "x", "b": "x" } }), "found \"x\" a second time"),
        (json!({ "values": { "a": { "b": 1 } } }), "expected the name at the node"),
        (json!({ "suppressBelow": 1 }), "expected a whole number from 2"),
        (
            json!({ "portalUrl": "javascript:alert(1)" }),
            "found an address that does not start with http:// or https://",
        ),
        (json!({ "portalUrl": "//elsewhere.example.org" }), "expected the page of a portal"),
        (json!({ "tokn": "x" }), "such as `token`"),
    ] {
        let told = problem(json!({ "remoteNodes": [remote(more.clone())] }));
        assert!(told.contains(expected) && !told.contains("pass@"), "{more}: {told}");
    }
    let twice = problem(json!({ "remoteNodes": [remote(json!({})), remote(json!({}))] }));
    assert!(twice.contains("two nodes of the name \"N\""), "{twice}");
    let many: Vec<Value> = (0..101).map(|number| remote(json!({ "displayName": number.to_string() }))).collect();
    assert!(problem(json!({ "remoteNodes": many })).contains("found 101 nodes, expected at most 100"));
}
