//! Five nodes answer together like one index with all of their records, one of them on OpenSearch.
//!
//! `make test` splits a few documents; `make federation-oracle` as many as `CANTATA_FEDERATION_DOCUMENTS` and
//! `CANTATA_FEDERATION_FILTERS` say.

use std::path::Path;
use std::process::Command;

use cantata_testkit::engines;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::cluster::Index;
use crate::server::{Server, until};

/// How many documents a cluster gets at once.
const BULK: usize = 5_000;

const NODES: usize = 5;

const ARGUMENTS: &str = "filters: $filters, aggregations_filter_themselves: $themselves, include_missing: $missing";

const DECLARED: &str = "($filters: JSON, $themselves: Boolean, $missing: Boolean)";

const FACETS: &str = "study { bucket_count cardinality buckets { key doc_count } } \
                      released { bucket_count buckets { key key_as_string doc_count } } \
                      donors__gender { bucket_count buckets { key doc_count } } \
                      donors__age { stats { min max sum avg count } \
                        histogram(interval: 10) { bucket_count buckets { key doc_count } } } \
                      quality { buckets { key doc_count } stats { min max sum avg count } } \
                      made { stats { min max count } histogram(interval: 864000000) { buckets { key doc_count } } } \
                      size { stats { min max sum avg count } \
                        histogram(interval: 1000) { bucket_count buckets { key doc_count } } \
                        uneven: histogram(interval: 747.5) { buckets { key doc_count } } \
                        range(ranges: [{to: 500}, {from: 500, to: 5000}, {key: \"big\", from: 5000}]) { \
                          bucket_count buckets { key doc_count } } }";

fn number_of(variable: &str, usual: usize) -> usize {
    std::env::var(variable).ok().map_or(usual, |text| text.parse().unwrap())
}

fn mapping() -> Value {
    json!({ "properties": {
        "study": { "type": "keyword" },
        "size": { "type": "long" },
        "quality": { "type": "double" },
        "made": { "type": "date" },
        "released": { "type": "boolean" },
        "donors": { "type": "nested", "properties": {
            "gender": { "type": "keyword" },
            "age": { "type": "integer" },
        } },
    } })
}

/// Makes a document, in which anything may be missing. Its numbers are such that their sums are exact in any order.
fn document(random: &mut StdRng) -> Value {
    let mut document = serde_json::Map::new();
    let mut set = |random: &mut StdRng, name: &str, value: Value| {
        if random.random_bool(0.9) {
            document.insert(name.to_owned(), value);
        }
    };
    let study = format!("S{}", random.random_range(0..12));
    set(random, "study", json!(study));
    let size: u32 = random.random_range(0..10_000);
    set(random, "size", json!(size));
    let quality = f64::from(random.random_range(0..17_u32)) / 4.0;
    set(random, "quality", json!(quality));
    let made = format!("2020-{:02}-{:02}T00:00:00Z", random.random_range(1..13), random.random_range(1..29));
    set(random, "made", json!(made));
    let released = random.random_bool(0.5);
    set(random, "released", json!(released));
    let donors: Vec<Value> = (0..random.random_range(0..3))
        .map(|_| {
            let gender = *["Female", "Male", "Other"].choose(random).unwrap();
            json!({ "gender": gender, "age": random.random_range(0..100) })
        })
        .collect();
    set(random, "donors", json!(donors));
    Value::Object(document)
}

fn leaf(op: &str, field: &str, value: Value) -> Value {
    json!({ "op": op, "content": { "fieldName": field, "value": value } })
}

fn filter(random: &mut StdRng, depth: usize) -> Value {
    if depth > 0 && random.random_bool(0.6) {
        let op = *["and", "or", "not"].choose(random).unwrap();
        let parts: Vec<Value> = (0..random.random_range(1..4)).map(|_| filter(random, depth - 1)).collect();
        return json!({ "op": op, "content": parts });
    }
    let studies = json!([format!("S{}", random.random_range(0..13)), "S1"]);
    let number: u32 = random.random_range(0..10_000);
    let day = format!("2020-{:02}-{:02}", random.random_range(1..13), random.random_range(1..29));
    match random.random_range(0..10) {
        0 => leaf("in", "study", studies),
        1 => leaf("not-in", "study", studies),
        2 => leaf("in", "study", json!(["__missing__", "S2"])),
        3 => leaf("gte", "size", json!([number])),
        4 => leaf("between", "size", json!([number / 3, number])),
        5 => leaf("lt", "quality", json!([f64::from(number % 17) / 4.0])),
        6 => leaf("in", "released", json!([number.is_multiple_of(2)])),
        7 => leaf("in", "donors.gender", json!([(["Female", "Male"][number as usize % 2])])),
        8 => leaf("gt", "donors.age", json!([number % 100])),
        _ => leaf("lte", "made", json!([day])),
    }
}

/// Puts documents into an index of a data folder.
fn import(folder: &Path, index: &str, documents: &[(String, Value)]) {
    let (lines, shape) = (folder.join("lines.ndjson"), folder.join("mapping.json"));
    let line = |(id, document): &(String, Value)| {
        let mut document = document.clone();
        document["_id"] = json!(id);
        format!("{document}\n")
    };
    fs_err::write(&lines, documents.iter().map(line).collect::<String>()).unwrap();
    fs_err::write(&shape, mapping().to_string()).unwrap();
    let mut import = Command::new(env!("CARGO_BIN_EXE_cantata"));
    import.args(["import", "--index", index, "--mapping"]).arg(&shape).arg(&lines).env_clear();
    let import = import.arg("--data-dir").arg(folder.join("data")).output().unwrap();
    assert!(import.status.success(), "{import:?}");
}

fn base(id: &str, index: &str, more: Value) -> (String, Value) {
    let mut base = json!({ "catalogId": id, "documentType": "file", "esIndex": index });
    base.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    (format!("{id}/base.json"), base)
}

async fn start(folder: TempDir, files: &[(String, Value)]) -> Server {
    let files: Vec<(&str, Value)> = files.iter().map(|(path, content)| (path.as_str(), content.clone())).collect();
    Server::start_in(folder, &files, &[]).await
}

/// Sorts all buckets by key: where counts are equal, one index sorts by value and a network by text.
fn sort_buckets(value: &mut Value) {
    match value {
        Value::Object(members) => members.values_mut().for_each(sort_buckets),
        Value::Array(list) => list.sort_by_key(|bucket| bucket["key"].as_str().map(str::to_owned)),
        _ => {}
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn five_nodes_answer_like_one_index_with_all_records() {
    let mut random = StdRng::seed_from_u64(26);
    let documents: Vec<(String, Value)> = (0..number_of("CANTATA_FEDERATION_DOCUMENTS", 2_000))
        .map(|number| (format!("f{number}"), document(&mut random)))
        .collect();
    let mut parts: Vec<Vec<(String, Value)>> = vec![Vec::new(); NODES];
    for document in &documents {
        parts[random.random_range(0..NODES)].push(document.clone());
    }
    let cluster = engines::opensearch();
    let index = Index::named(&cluster);
    index.create(&json!({ "mappings": mapping() }));
    parts[4].chunks(BULK).for_each(|bulk| index.fill(bulk.iter().cloned()));

    // One server has the whole, two embedded nodes and the one on OpenSearch; the other asks, with two more nodes.
    let folder = tempfile::tempdir().unwrap();
    import(folder.path(), "whole", &documents);
    import(folder.path(), "part2", &parts[2]);
    import(folder.path(), "part3", &parts[3]);
    let files = [
        base("whole", "whole", json!({})),
        base("n2", "part2", json!({})),
        base("n3", "part3", json!({})),
        base("n4", &index.name, json!({ "esHost": cluster })),
    ];
    let nodes = start(folder, &files).await;
    nodes.until_available(&["whole", "n2", "n3", "n4"]).await;

    let folder = tempfile::tempdir().unwrap();
    import(folder.path(), "part0", &parts[0]);
    import(folder.path(), "part1", &parts[1]);
    let remote = |id: &str, kind: &str| {
        json!({ "displayName": id, "nodeId": id, "documentType": "file", "kind": kind, "timeout": 120,
            "graphqlUrl": format!("{}/{id}/graphql", nodes.base()) })
    };
    let network = json!({ "network": {
        "deadline": 120,
        "localNode": { "displayName": "n0", "nodeId": "n0" },
        "localNodes": [{ "displayName": "n1", "nodeId": "n1", "catalogue": "n1" }],
        "remoteNodes": [remote("n2", "cantata"), remote("n3", "arranger"), remote("n4", "cantata")],
    } });
    let files =
        [base("n0", "part0", json!({})), base("n1", "part1", json!({})), ("n0/network.json".to_owned(), network)];
    let server = start(folder, &files).await;
    until(
        "all nodes to be asked",
        || server.log(),
        async || {
            let answer = server.graphql("/n0/graphql", "{ network { complete } }", &json!({})).await;
            answer.ok()["data"]["network"]["complete"] == true
        },
    )
    .await;

    let whole = format!(
        "query{DECLARED} {{ file {{ hits(filters: $filters) {{ total }} aggregations({ARGUMENTS}) {{ {FACETS} }} }} }}"
    );
    let asked = format!(
        "query{DECLARED} {{ network({ARGUMENTS}) {{ complete nodes {{ name hits errors missingFields }} \
         aggregations {{ {FACETS} }} }} }}"
    );
    for round in 0..number_of("CANTATA_FEDERATION_FILTERS", 200) {
        let filter = if round == 0 { Value::Null } else { filter(&mut random, 3) };
        let variables =
            json!({ "filters": filter, "themselves": random.random_bool(0.5), "missing": random.random_bool(0.5) });
        let mut expected = nodes.graphql("/whole/graphql", &whole, &variables).await.ok()["data"]["file"].take();
        let mut found = server.graphql("/n0/graphql", &asked, &variables).await.ok()["data"]["network"].take();
        assert_eq!(found["complete"], true, "{variables}: {found}");
        let hits: u64 = found["nodes"].as_array().unwrap().iter().map(|node| node["hits"].as_u64().unwrap()).sum();
        assert_eq!(expected["hits"]["total"], hits, "{variables}");
        let (mut expected, mut found) = (expected["aggregations"].take(), found["aggregations"].take());
        sort_buckets(&mut expected);
        sort_buckets(&mut found);
        assert_eq!(found, expected, "{variables}");
    }
}
