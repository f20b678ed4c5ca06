//! What a search may show, over every way to ask: two servers whose indexes differ in nothing but what is hidden give
//! the same answers, byte by byte.
//!
//! The ways are not listed by hand: fields come from the schema, routes from the OpenAPI document, formats from the
//! server. What is new among them is asked for too, or fails a test until it says how.

mod everything;
pub(crate) mod index;

use std::collections::BTreeSet;
use std::io::Read;

use cantata_testkit::{TestResponse, TestServer};
use flate2::read::GzDecoder;
use http::Method;
use serde_json::{Value, json};

use everything::{Ways, everything, mutations};
use index::{HIDDEN_WORDS, Variant, catalogues};

/// Two servers that must not be told apart.
struct Twins([TestServer; 2]);

impl Twins {
    async fn start() -> Self {
        Self([
            TestServer::with_catalogues(catalogues(Variant::Plain)).await,
            TestServer::with_catalogues(catalogues(Variant::WithSecrets)).await,
        ])
    }

    /// Sends a request to both and returns the answer, which is the same and has nothing hidden in it.
    async fn ask(&self, method: &Method, path: &str, body: Option<&Value>) -> Vec<u8> {
        let mut answers = Vec::new();
        for server in &self.0 {
            let headers = [("content-type", "application/json")];
            let bytes = body.map(|body| body.to_string().into_bytes());
            answers.push(server.send(method.clone(), path, &headers, bytes).await);
        }
        let [one, other] = [&answers[0], &answers[1]];
        assert_eq!(one.status, other.status, "{method} {path}");
        let (one, other) = (comparable(one), comparable(other));
        assert!(one == other, "{method} {path} {body:?}\n{}\n{}", show(&one), show(&other));
        let asked = body.map(Value::to_string).unwrap_or_default();
        for word in HIDDEN_WORDS.into_iter().filter(|word| !asked.contains(word)) {
            assert!(!show(&one).contains(word), "{word} is in the answer to {method} {path}: {}", show(&one));
        }
        one
    }

    async fn graphql(&self, query: &str, variables: &Value) -> Value {
        let body = json!({ "query": query, "variables": variables });
        serde_json::from_slice(&self.ask(&Method::POST, "/graphql", Some(&body)).await).unwrap()
    }
}

fn show(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Returns what is compared of an answer: all of it but the moments at which a catalogue was built and a file was packed.
fn comparable(response: &TestResponse) -> Vec<u8> {
    if response.header("content-type") == Some("application/gzip") {
        let mut archive = Vec::new();
        GzDecoder::new(&response.body[..]).read_to_end(&mut archive).unwrap();
        for header in archive.chunks_mut(512).filter(|block| block.get(257..262) == Some(b"ustar")) {
            header[136..156].fill(0);
        }
        return archive;
    }
    match serde_json::from_slice::<Value>(&response.body) {
        Ok(mut body) if body.get("generatedAt").is_some() => {
            body["generatedAt"].take();
            body.to_string().into_bytes()
        }
        _ => response.body.to_vec(),
    }
}

#[tokio::test]
async fn every_field_of_the_schema_shows_the_same() {
    let twins = Twins::start().await;
    let schema = twins.graphql(everything::SCHEMA, &json!({})).await["data"]["__schema"].take();
    let answer = twins.graphql(&everything(&schema, Ways::AboutHidden), &json!({})).await;
    let errors = answer["errors"].as_array().unwrap();
    assert!(errors.iter().any(|error| error["message"].as_str().unwrap().contains("has no field")), "{errors:?}");
    let answer = twins.graphql(&everything(&schema, Ways::Allowed), &json!({})).await;
    // Saved sets have other fields than the filters speak of.
    let errors = answer["errors"].as_array().unwrap().iter().filter(|error| error["path"][0] != "sets");
    assert_eq!(errors.collect::<Vec<_>>(), [&json!(null); 0]);
    assert!(answer["data"]["file"]["hits"]["total"].as_u64().unwrap() > 2, "{answer}");
    assert!(answer["data"]["file"]["aggregations"]["name"]["buckets"].as_array().unwrap().len() > 2);
}

#[tokio::test]
async fn every_mutation_shows_the_same() {
    let twins = Twins::start().await;
    let schema = twins.graphql(everything::SCHEMA, &json!({})).await["data"]["__schema"].take();
    for (query, variables) in mutations(&schema) {
        twins.graphql(&query, &variables).await;
    }
}

/// The requests that a route is asked by; none for one that is not known here.
async fn ask_route(twins: &Twins, method: &str, path: &str) -> bool {
    let query =
        "{ file { hits { total edges { node { id name } } } aggregations { name { buckets { key doc_count } } } } }";
    let address = path.replace("{catalogue}", "files");
    match (method, path) {
        ("GET", "/graphql" | "/{catalogue}/graphql") => {
            let encoded: String = form_urlencoded::byte_serialize(query.as_bytes()).collect();
            twins.ask(&Method::GET, &format!("{address}?query={encoded}"), None).await;
            twins.ask(&Method::GET, &address, None).await;
        }
        ("POST", "/graphql" | "/{catalogue}/graphql") => {
            for address in [address.clone(), format!("{address}/Arranger-Table")] {
                twins.ask(&Method::POST, &address, Some(&json!({ "query": query }))).await;
                let batch = json!([{ "query": query }, { "query": "{ file { hits { edges { node { zzqx } } } } }" }]);
                twins.ask(&Method::POST, &address, Some(&batch)).await;
            }
        }
        ("POST", "/download" | "/{catalogue}/download") => download(twins, &address).await,
        ("PUT", "/admin/catalogues/{catalogue}/display") => {
            for hidden in ["zzqx", "donors.zzqx"] {
                let display = json!({ "facets": [hidden], "columns": [hidden] });
                twins.ask(&Method::PUT, &address, Some(&display)).await;
            }
        }
        ("POST", "/admin/catalogues/{catalogue}/reload") => {
            twins.ask(&Method::POST, &address, None).await;
        }
        ("GET", _) if !address.contains('{') => {
            twins.ask(&Method::GET, &address, None).await;
        }
        _ => return false,
    }
    true
}

async fn download(twins: &Twins, address: &str) {
    let refused = twins.ask(&Method::POST, address, Some(&json!({ "files": [{ "fileType": "?" }] }))).await;
    let refused = show(&refused);
    let formats: Vec<&str> = refused.split('"').skip(3).step_by(2).collect();
    assert!(formats.len() >= 4 && formats.contains(&"tsv"), "{refused}");
    let names = [
        "name",
        "zzqx",
        "nickname",
        "everything",
        "postcode",
        "box",
        "box.key",
        "open",
        "open.closed",
        "donors",
        "donors.zzqx",
        "donors.age",
        "donors__zzqx",
        "id",
        "nothing",
    ];
    let candidates = names.iter().flat_map(|name| {
        [json!(name), json!({ "accessor": name }), json!({ "fieldName": "x", "jsonPath": format!("$.{name}") })]
    });
    let mut columns = Vec::new();
    for column in candidates {
        let answer = twins.ask(&Method::POST, address, Some(&json!({ "files": [{ "columns": [column] }] }))).await;
        if !show(&answer).contains("expected a field of the catalogue") {
            columns.push(column);
        }
    }
    assert!(columns.len() > 3, "{columns:?}");
    let mut files = Vec::new();
    for format in formats {
        for unique_by in [json!(null), json!("donors.sex")] {
            let file = json!({ "fileType": format, "columns": columns, "uniqueBy": unique_by, "sort": [{ "fieldName": "name" }] });
            twins.ask(&Method::POST, address, Some(&json!({ "files": [file], "chunkSize": 1 }))).await;
            files.push(file);
        }
        twins.ask(&Method::POST, address, Some(&json!({ "files": [{ "fileType": format }] }))).await;
        for wrong in [json!({ "sort": [{ "fieldName": "zzqx" }] }), json!({ "uniqueBy": "box.key" })] {
            twins.ask(&Method::POST, address, Some(&json!({ "files": [wrong] }))).await;
        }
    }
    twins.ask(&Method::POST, address, Some(&json!({ "files": files }))).await;
}

#[tokio::test]
async fn every_route_shows_the_same() {
    let twins = Twins::start().await;
    let document = twins.0[0].get("/openapi.json").await.ok();
    let mut unknown = BTreeSet::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let method = method.to_uppercase();
            if operation["tags"] == json!(["Search"]) && !ask_route(&twins, &method, path).await {
                unknown.insert(format!("{method} {path}"));
            }
        }
    }
    assert_eq!(unknown, BTreeSet::new(), "say how these are asked");
    // Portals leave `graphql` out of the address.
    for path in ["/", "/Arranger-Table"] {
        twins.ask(&Method::POST, path, Some(&json!({ "query": "{ file { hits { total } mapping } }" }))).await;
    }
}

#[tokio::test]
async fn the_twins_differ_where_nothing_is_hidden() {
    let open = json!({ "access": { "records": [{ "scope": "*", "filter": null }] } });
    let mut totals = Vec::new();
    for variant in [Variant::Plain, Variant::WithSecrets] {
        let server = TestServer::with_catalogues(catalogues(variant).file("access.json", &open)).await;
        let answer =
            server.graphql("/graphql", "{ file { aggregations { zzqx { buckets { key } } } } }", &json!({})).await;
        totals.push(answer.ok()["data"].clone());
    }
    assert_ne!(totals[0], totals[1]);
}
