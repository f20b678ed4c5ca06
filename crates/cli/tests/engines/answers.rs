//! The same requests on the embedded engine and on real clusters, and what they cost a cluster.

use std::io::{Seek, Write};
use std::process::Command;

use cantata_demo::catalogue::{FILE_INDEX, catalogue_files, document, mapping};
use cantata_tabular::ParquetReader;
use cantata_testkit::engines;
use cantata_testkit::fault_proxy::FaultProxy;
use serde_json::{Value, json};

use crate::cluster::Index;
use crate::server::Server;

/// How many documents there are.
const COUNT: u64 = 600;

/// A page of a portal: records in order, and facets on all levels beside it.
const PAGE: &str = "query($filters: JSON) { file {
    hits(first: 20, filters: $filters, sort: [{fieldName: \"size\", order: desc}]) {
        total
        edges { searchAfter node { id object_id size file_name analysis { analysis_type } donors { hits { edges { node {
            donor_id age_at_diagnosis specimens { hits { total edges { node { specimen_type } } } } } } } } } }
    }
    aggregations(filters: $filters) {
        study_id { bucket_count buckets { key doc_count } }
        donors__primary_site { bucket_count buckets { key doc_count } }
        donors__gender { buckets { key doc_count } }
        donors__specimens__specimen_type { buckets { key doc_count } }
        donors__specimens__samples__sample_type { buckets { key doc_count } }
        data_category { buckets { key doc_count } }
        file_access { buckets { key doc_count } }
        is_released { buckets { key key_as_string doc_count } }
        size { stats { min max avg sum count } }
        analysis__first_published_at { bucket_count }
    }
} }";

fn documents() -> impl Iterator<Item = Value> {
    (0..COUNT).map(|number| document(1, number))
}

/// Returns the files of the sample catalogue for an index of another name, with more keys.
fn files(id: &'static str, index: &str, more: Value) -> Vec<(String, Value)> {
    let files = catalogue_files().iter().filter_map(|(path, text)| Some((path.strip_prefix("files/")?, text)));
    let read = |(name, text): (&str, &&str)| {
        let mut value: Value = serde_json::from_str(text).unwrap();
        if name == "base.json" {
            let base = value.as_object_mut().unwrap();
            base.extend([("catalogId".to_owned(), json!(id)), ("esIndex".to_owned(), json!(index))]);
            base.extend(more.as_object().unwrap().clone());
        }
        (format!("{id}/{name}"), value)
    };
    files.map(read).collect()
}

/// Makes an index of the sample documents on a cluster.
fn indexed(cluster: &str) -> Index {
    let index = Index::named(cluster);
    index.create(&json!({ "mappings": mapping(FILE_INDEX) }));
    index.fill(documents().map(|mut document| {
        let id = document.as_object_mut().unwrap().remove("_id").unwrap();
        (id.as_str().unwrap().to_owned(), document)
    }));
    index
}

fn leaf(op: &str, field: &str, value: Value) -> Value {
    json!({ "op": op, "content": { "fieldName": field, "value": value } })
}

fn filters() -> Vec<Value> {
    let and = |content: Vec<Value>| json!({ "op": "and", "content": content });
    vec![
        Value::Null,
        leaf("in", "donors.gender", json!(["Female"])),
        and(vec![
            leaf("gte", "donors.age_at_diagnosis", json!(60)),
            leaf("in", "data_category", json!(["Sequencing Reads"])),
            json!({ "op": "not", "content": [leaf("in", "donors.specimens.samples.sample_type", json!(["Total DNA"]))] }),
        ]),
        leaf("lt", "analysis.first_published_at", json!("2022-01-01")),
        json!({ "op": "wildcard", "content": { "fieldNames": ["file_name.keyword"], "value": "*1*.bam" } }),
        leaf("in", "is_released", json!([false])),
        leaf("in", "size", json!([0])),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn every_engine_gives_the_same_answers_to_the_letter() {
    let clusters = [engines::opensearch(), engines::opensearch3(), engines::elasticsearch()];
    let indexes: Vec<Index> = clusters.iter().map(|cluster| indexed(cluster)).collect();
    let folder = tempfile::tempdir().unwrap();
    let (lines, shape) = (folder.path().join("files.ndjson"), folder.path().join("mapping.json"));
    fs_err::write(&lines, documents().map(|document| format!("{document}\n")).collect::<String>()).unwrap();
    fs_err::write(&shape, mapping(FILE_INDEX).to_string()).unwrap();
    let mut import = Command::new(env!("CARGO_BIN_EXE_cantata"));
    import.args(["import", "--index", "files", "--mapping"]).arg(&shape).arg(&lines).env_clear();
    let import = import.arg("--data-dir").arg(folder.path().join("data")).output().unwrap();
    assert!(import.status.success(), "{import:?}");

    let mut configs = files("embedded", "files", json!({}));
    for (id, (cluster, index)) in
        ["opensearch", "opensearch3", "elasticsearch"].into_iter().zip(clusters.iter().zip(&indexes))
    {
        configs.extend(files(id, &index.name, json!({ "esHost": cluster })));
    }
    let configs: Vec<(&str, Value)> = configs.iter().map(|(path, value)| (path.as_str(), value.clone())).collect();
    let server = Server::start_in(folder, &configs, &[]).await;
    server.until_available(&["embedded", "opensearch", "opensearch3", "elasticsearch"]).await;
    for filter in filters() {
        let ask = async |id: &str| server.graphql(&format!("/{id}/graphql"), PAGE, &json!({ "filters": filter })).await;
        let expected = ask("embedded").await;
        assert!(expected.ok()["data"]["file"]["hits"]["total"].is_u64(), "{}", expected.text());
        let file = json!({ "sqon": filter, "columns": ["object_id", "size", "donors.donor_id"], "fileType": "tsv",
            "sort": [{ "fieldName": "size" }] });
        let download = async |id: &str| server.post(&format!("/{id}/download"), &json!({ "files": [file] })).await;
        let expected_file = download("embedded").await;
        expected_file.assert_status(200);
        for id in ["opensearch", "opensearch3", "elasticsearch"] {
            let found = ask(id).await;
            assert_eq!(found.text(), expected.text(), "{id} for {filter}");
            let found = download(id).await;
            assert_eq!(found.text(), expected_file.text(), "download of {id} for {filter}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_that_a_cluster_does_not_tell_of_has_all_values_in_every_format() {
    let mapping = json!({ "mappings": { "properties": {
        "name": { "type": "keyword" }, "sites": { "type": "keyword" }, "sizes": { "type": "long" },
    } } });
    for cluster in [engines::opensearch(), engines::elasticsearch()] {
        let index = Index::named(&cluster);
        index.create(&mapping);
        index.fill([
            ("1".to_owned(), json!({ "name": "a", "sites": ["lung", "skin"], "sizes": [1, 2] })),
            ("2".to_owned(), json!({ "name": "b", "sites": "liver" })),
        ]);
        let server = Server::of_plants(&index.name, &cluster).await;
        server.until_available(&["plants"]).await;
        let download = async |file_type: &str| {
            let file = json!({ "columns": ["name", "sites", "sizes"], "fileType": file_type });
            let answer = server.post("/download", &json!({ "files": [file] })).await;
            answer.assert_status(200);
            answer
        };
        let csv = download("csv").await;
        let lines: Vec<&str> = csv.text().lines().skip(1).collect();
        assert_eq!(lines, [r#"a,"lung, skin","1, 2""#, "b,liver,"]);
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&download("parquet").await.body).unwrap();
        file.rewind().unwrap();
        let mut reader = ParquetReader::open(file).unwrap();
        let rows: Vec<Value> = std::iter::from_fn(|| reader.next_row().unwrap()).map(Value::Object).collect();
        let first = json!({ "name": "a", "sites": ["lung", "skin"], "sizes": [1, 2] });
        assert_eq!(rows, [first, json!({ "name": "b", "sites": ["liver"], "sizes": [] })]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_of_a_portal_is_one_request_to_the_cluster() {
    let index = indexed(&engines::opensearch());
    let proxy = FaultProxy::start(&engines::opensearch());
    let configs = files("files", &index.name, json!({}));
    let configs: Vec<(&str, Value)> = configs.iter().map(|(path, value)| (path.as_str(), value.clone())).collect();
    let server = Server::start(&configs, &[("ES_HOST", &proxy.url())]).await;
    server.until_available(&["files"]).await;
    for filter in filters() {
        proxy.clear_requests();
        let answer = server.graphql("/graphql", PAGE, &json!({ "filters": filter })).await.ok();
        assert!(answer["errors"].is_null(), "{answer}");
        // The looks at the index ask for its mapping and for its number of records, not for records or facets.
        let is_of_page = |body: &str| body.contains("\"aggs\"") || body.contains("\"sort\"");
        let asked = proxy.requests().into_iter().filter(|seen| is_of_page(&String::from_utf8_lossy(&seen.body)));
        let asked: Vec<String> = asked.map(|seen| seen.target).collect();
        assert_eq!(asked.len(), 1, "{asked:?} for {filter}");
    }
}
