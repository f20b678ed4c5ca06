//! `/download`: in every encoding of the request, in every format of the answer.

use std::io::Read;

use cantata_testkit::{TestResponse, TestServer};
use flate2::read::GzDecoder;
use http::Method;
use serde_json::{Value, json};

use crate::support::{leaf, server, server_with};

fn file(more: Value) -> Value {
    let mut file = json!({"columns": ["analysis", "size"], "sort": [{"fieldName": "size", "missing": "last"}],
        "sqon": leaf("in", "analysis", json!(["A1", "A3"]))});
    file.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    json!({"files": [file]})
}

async fn raw_json(server: &TestServer, body: String) -> TestResponse {
    server.send(Method::POST, "/download", &[("content-type", "application/json")], Some(body.into())).await
}

#[tokio::test]
async fn a_request_comes_in_every_encoding() {
    let server = server().await;
    let params = file(json!({"fileName": "a.tsv"}));
    let expected = "Analysis\tSize\nA1\t10\nA1\t5000000000\nA3\t\n";
    let answers = [
        server.post_form("/download", &[("params", &params.to_string())]).await,
        server
            .post_form("/download", &[("downloadKey", "x"), ("params", &params.to_string()), ("httpHeaders", "")])
            .await,
        server.post("/download", &json!({"params": params.to_string()})).await,
        server.post("/download", &json!({"params": params})).await,
        server.post("/download", &params).await,
        raw_json(&server, format!(" {params}\n")).await,
    ];
    for answer in answers {
        answer.assert_text(200, expected);
        assert_eq!(answer.header("content-type"), Some("text/plain; charset=utf-8"));
        assert_eq!(answer.header("content-disposition"), Some("attachment; filename=\"a.tsv\""));
    }
}

#[tokio::test]
async fn an_address_alone_asks_for_a_file() {
    let server = server().await;
    let filters = leaf("in", "analysis", json!(["A1", "A3"])).to_string();
    let address = |more: &str| {
        let query = form_urlencoded::Serializer::new(String::new()).append_pair("filters", &filters).finish();
        format!("/download?{query}{more}")
    };
    let csv = server.get(&address("&columns=analysis,size&sort=-size&fileType=csv&fileName=a.csv")).await;
    csv.assert_text(200, "Analysis,Size\r\nA1,5000000000\r\nA1,10\r\nA3,\r\n");
    assert_eq!(csv.header("content-disposition"), Some("attachment; filename=\"a.csv\""));
    assert_eq!(csv.header("cache-control"), Some("no-store"));
    server.get(&address("&columns=analysis&sort=analysis")).await.assert_text(200, "Analysis\nA1\nA1\nA3\n");
    server.get("/download?filters=&columns=analysis&fileType=tsv").await.assert_status(200);
    for (file_type, media_type, start) in [
        ("parquet", "application/vnd.apache.parquet", &b"PAR1"[..]),
        ("arrow", "application/vnd.apache.arrow.stream", b"\xff\xff\xff\xff"),
        ("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", b"PK\x03\x04"),
    ] {
        let file = server.get(&address(&format!("&columns=analysis,size&fileType={file_type}"))).await;
        file.assert_status(200);
        assert_eq!(file.header("content-type"), Some(media_type));
        assert!(file.body.starts_with(start), "{file_type}");
    }
    for (query, part) in [
        ("filters={", "filters: found \"{\", which is no JSON"),
        ("filters=5", "files[0]"),
        ("fileType=xml", "fileType: found \"xml\""),
        ("maxRows=many", "maxRows: found \"many\"; expected a whole number"),
        ("columns=nowhere", "nowhere"),
        ("column=size", "the unknown parameter \"column\""),
        ("columns=size&columns=analysis", "columns: found it twice"),
    ] {
        let refused = server.get(&format!("/download?{query}")).await;
        refused.assert_status(400);
        assert!(refused.text().contains(part), "{query}: {}", refused.text());
    }
}

#[tokio::test]
async fn a_file_comes_in_every_format() {
    let server = server().await;
    let get = async |file_type: &str| server.post("/download", &file(json!({"fileType": file_type}))).await;
    get("csv").await.assert_text(200, "Analysis,Size\r\nA1,10\r\nA1,5000000000\r\nA3,\r\n");
    let rows = json!([{"analysis": "A1", "size": 10}, {"analysis": "A1", "size": 5_000_000_000_i64}]);
    let whole = get("json").await.ok();
    assert_eq!(whole.as_array().unwrap()[..2], *rows.as_array().unwrap());
    for file_type in ["jsonl", "ndjson"] {
        let lines = get(file_type).await;
        let lines: Vec<Value> = lines.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(Value::from(lines), whole, "{file_type}");
    }
    let none = file(json!({"sqon": leaf("in", "tags", json!("nothing"))}));
    server.post("/download", &none).await.assert_text(200, "Analysis\tSize\n");
}

#[tokio::test]
async fn several_files_come_in_one_archive() {
    let server = server().await;
    let mut params = file(json!({"fileName": "one.tsv"}));
    let second = json!({"fileName": "two", "fileType": "csv", "columns": ["analysis"]});
    params["files"].as_array_mut().unwrap().push(second);
    params["fileName"] = json!("all");
    let answer = server.post("/download", &params).await;
    answer.assert_status(200);
    assert_eq!(answer.header("content-type"), Some("application/gzip"));
    assert_eq!(answer.header("content-disposition"), Some("attachment; filename=\"all.tar.gz\""));
    let mut archive = String::new();
    GzDecoder::new(&answer.body[..]).read_to_string(&mut archive).unwrap();
    for part in ["one.tsv", "two.csv", "Analysis\tSize\nA1\t10\n", "Analysis\r\n"] {
        assert!(archive.contains(part), "{part}");
    }
}

#[tokio::test]
async fn rows_are_capped_exactly() {
    let rows = async |server: &TestServer, more: Value| {
        let mut params = json!({"columns": ["analysis"]});
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let answer = server.post("/download", &json!({"chunkSize": 2, "files": [params]})).await;
        answer.assert_status(200);
        answer.text().lines().count() - 1
    };
    let fixed = server_with(json!({"downloads": {"maxRows": 3}})).await;
    assert_eq!(rows(&fixed, json!({})).await, 3);
    assert_eq!(rows(&fixed, json!({"maxRows": 4})).await, 3);
    let cut = fixed.post("/download", &json!({"files": [{"columns": ["analysis"]}]})).await;
    assert_eq!(cut.header("x-row-limit"), Some("files[0]=3"));
    let free = server_with(json!({"downloads": {"maxRows": 3, "allowCustomMaxRows": true}})).await;
    assert_eq!(rows(&free, json!({"maxRows": 4})).await, 4);
    assert_eq!(rows(&free, json!({"maxRows": 0})).await, 3);
    for unlimited in [json!({"downloads": {"maxRows": 0}}), json!({})] {
        let unlimited = server_with(unlimited).await;
        assert_eq!(rows(&unlimited, json!({})).await, 5);
        let whole = unlimited.post("/download", &json!({"files": [{"columns": ["analysis"]}]})).await;
        assert_eq!(whole.header("x-row-limit"), None);
    }
}

#[tokio::test]
async fn what_is_wrong_is_said_by_place_before_the_first_byte() {
    let server = server().await;
    for (params, place) in [
        (json!({}), "files"),
        (json!({"files": []}), "files"),
        (json!({"files": "x"}), "files"),
        (json!({"files": [5]}), "files[0]"),
        (json!({"files": [{"fileType": "exe"}]}), "files[0].fileType"),
        (json!({"files": [{"columns": [{}]}]}), "files[0].columns[0]"),
        (json!({"files": [{"columns": ["analysis", "analisis"]}]}), "files[0].columns[1]"),
        (json!({"files": [{"sqon": {"op": "nope"}}]}), "files[0]"),
        (json!({"files": [{}, {"sort": [{"fieldName": "nothing"}]}]}), "files[1]"),
        (json!({"files": [{"uniqueBy": "nothing"}]}), "uniqueBy"),
        (json!({"files": [{"maxRows": -1}]}), "maxRows"),
        (json!({"chunkSize": 0, "files": [{}]}), "chunkSize"),
    ] {
        let answer = server.post("/download", &params).await;
        answer.assert_status(400);
        assert!(answer.text().contains(place), "{params}: {}", answer.text());
        assert_eq!(answer.header("content-type"), Some("text/plain; charset=utf-8"));
    }
    for body in ["", "{", "null", "[]", "\"x\""] {
        raw_json(&server, body.to_owned()).await.assert_status(400);
    }
    server.post_form("/download", &[("other", "x")]).await.assert_status(400);
    server.post_form("/download", &[("params", "undefined")]).await.assert_status(400);
}

#[tokio::test]
async fn downloads_can_be_switched_off() {
    let server = server_with(json!({"disableDownloads": true})).await;
    let refused = server.post("/download", &file(json!({}))).await;
    refused.assert_status(403);
    assert!(refused.text().contains("disableDownloads"));
}

#[tokio::test]
async fn elements_get_rows_of_their_own() {
    let server = server().await;
    let params = json!({"files": [{"columns": ["analysis", "donors.donor_id"], "uniqueBy":
        "donors.hits.edges[].node.donor_id", "sqon": leaf("in", "analysis", json!("A1"))}]});
    let text = server.post("/download", &params).await;
    text.assert_text(200, "Analysis\tDonors Donor Id\nA1\tD1\nA1\tD2\nA1\tD3\n");
}
