//! Which credentials a cluster gets, and that no other server gets them.

use cantata_testkit::engines;
use cantata_testkit::fault_proxy::FaultProxy;
use serde_json::{Value, json};

use crate::cluster::{DOCUMENTS, Index};
use crate::server::{QUERY, Server, plants};

/// The base64 form of `me:hunter2`.
const BASIC: &str = "Basic bWU6aHVudGVyMg==";

fn sent(proxy: &FaultProxy) -> Vec<Option<String>> {
    let mut sent: Vec<Option<String>> =
        proxy.requests().iter().map(|request| request.header("authorization").map(str::to_owned)).collect();
    sent.dedup();
    sent
}

/// Serves plants through a proxy of the server and one of their own; returns what each was sent.
async fn headers(own: Value, variables: &[(&str, &str)]) -> [Vec<Option<String>>; 2] {
    let index = Index::small(&engines::opensearch());
    let (general, other) = (FaultProxy::start(&engines::opensearch()), FaultProxy::start(&engines::opensearch()));
    let mut keys = json!({ "esHost": other.url() });
    keys.as_object_mut().unwrap().extend(own.as_object().unwrap().clone());
    let files = [("general/base.json", plants(&index.name, &json!({}))), ("own/base.json", plants(&index.name, &keys))];
    let (host, variables) = (general.url(), variables.to_vec());
    let variables: Vec<(&str, &str)> = variables.into_iter().chain([("ES_HOST", &*host)]).collect();
    let server = Server::start(&files, &variables).await;
    server.until_available(&["general", "own"]).await;
    for catalogue in ["general", "own"] {
        let answer = server.graphql(&format!("/{catalogue}/graphql"), QUERY, &json!({})).await;
        assert_eq!(answer.json()["data"]["plant"]["hits"]["total"], DOCUMENTS.len(), "{}", answer.text());
    }
    let told = format!("{}{}", server.log(), server.directory().await);
    for secret in ["hunter2", "bWU6aHVudGVyMg", "c2VjcmV0"] {
        assert!(!told.contains(secret), "{told}");
    }
    [sent(&general), sent(&other)]
}

#[tokio::test(flavor = "multi_thread")]
async fn credentials_of_the_server_are_for_the_address_of_the_server() {
    let variables = [("ES_USER", "me"), ("ES_PASS", "hunter2")];
    assert_eq!(headers(json!({}), &variables).await, [vec![Some(BASIC.to_owned())], vec![None]]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_catalogue_has_credentials_of_its_own() {
    let own = json!({ "esUser": "me", "esPass": { "env": "MY_PASSWORD" } });
    let variables = [("ES_API_KEY", "c2VjcmV0"), ("MY_PASSWORD", "hunter2")];
    let key = Some("ApiKey c2VjcmV0".to_owned());
    assert_eq!(headers(own, &variables).await, [vec![key], vec![Some(BASIC.to_owned())]]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_variable_that_is_not_set_fails_the_catalogue_that_names_it() {
    let own = json!({ "esUser": "me", "esPass": { "env": "MY_PASSWORD" } });
    let files = [("plants/base.json", plants("plants", &own)), ("other/base.json", plants("none", &json!({})))];
    let server = Server::start(&files, &[]).await;
    let error = server.directory().await["catalogs"]["plants"]["error"].clone();
    let message = "The configuration has problems: plants/base.json, `esPass`: found the environment variable \
                   \"MY_PASSWORD\", which is not set, expected one that is set where the server runs.";
    assert_eq!(error, json!({ "code": "unknown_error", "message": message }));
    assert_eq!(server.directory().await["catalogs"]["other"]["error"]["code"], "index_not_found");
}
