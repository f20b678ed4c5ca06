//! Which rows there are, in which order, and how many.

use futures_util::{FutureExt, StreamExt};
use serde_json::{Value, json};

use super::support::{Fixture, bytes, sample_documents};

fn many(count: usize, mark: &str) -> Vec<Value> {
    (0..count).map(|number| json!({ "_id": format!("{number:06}"), "size": number, "file_name": mark })).collect()
}

fn data_rows(text: &str) -> usize {
    text.lines().count() - 1
}

#[tokio::test]
async fn each_nested_element_becomes_a_row() {
    let fixture = Fixture::sample().await;
    let columns =
        json!(["object_id", "donors.donor_id", "donors.specimens.specimen_type", "donors.specimens.samples.sample_id"]);
    for unique_by in ["donors.hits.edges[].node.donor_id", "donors.donor_id", "donors", "donors__donor_id"] {
        let text = fixture.file(json!({ "columns": columns, "uniqueBy": unique_by })).await;
        let rows: Vec<&str> = text.lines().skip(1).collect();
        assert_eq!(rows, ["FI1\tDO1\ttumour, normal\tSA1, SA2, SA3", "FI1\tDO2\t\t", "FI2\tDO3\t\tSA4"], "{unique_by}");
    }
    let deepest = "donors.hits.edges[].node.specimens.hits.edges[].node.samples.hits.edges[].node.sample_id";
    let text = fixture.file(json!({ "columns": columns, "uniqueBy": deepest })).await;
    let rows: Vec<&str> = text.lines().skip(1).collect();
    assert_eq!(rows, ["FI1\tDO1\ttumour\tSA1", "FI1\tDO1\ttumour\tSA2", "FI1\tDO1\tnormal\tSA3", "FI2\tDO3\t\tSA4"]);
}

#[tokio::test]
async fn in_json_what_is_of_the_row_is_no_list() {
    let fixture = Fixture::sample().await;
    let columns = json!(["donors.donor_id", "donors.specimens.specimen_type", "donors"]);
    let file = json!({ "fileType": "json", "columns": columns, "uniqueBy": "donors", "maxRows": 2 });
    let rows: Value = serde_json::from_str(&fixture.file(file).await).unwrap();
    assert_eq!(rows[0]["donors.donor_id"], "DO1");
    assert_eq!(rows[0]["donors.specimens.specimen_type"], json!(["tumour", "normal"]));
    assert_eq!(
        rows[1],
        json!({
            "donors.donor_id": "DO2",
            "donors.specimens.specimen_type": [],
            "donors": { "donor_id": "DO2", "age": 0, "specimens": [] },
        })
    );
}

#[tokio::test]
async fn a_field_of_the_record_gives_a_row_for_each_record() {
    let fixture = Fixture::sample().await;
    let text = fixture.file(json!({ "columns": ["object_id"], "uniqueBy": "object_id" })).await;
    assert_eq!(text, "Object Id\nFI1\nFI2\nFI3\n");
}

#[tokio::test]
async fn the_limit_is_exact() {
    let documents = many(50, "a");
    for (downloads, max_rows, expected) in [
        (json!({ "maxRows": 30 }), json!(40), 30),
        (json!({ "maxRows": 30 }), json!(null), 30),
        (json!({ "maxRows": 0 }), json!(7), 50),
        (json!({ "maxRows": 30, "allowCustomMaxRows": true }), json!(40), 40),
        (json!({ "maxRows": 30, "allowCustomMaxRows": true }), json!(0), 30),
        (json!({ "maxRows": 30, "allowCustomMaxRows": true }), json!(false), 30),
        (json!({ "maxRows": 30, "allowCustomMaxRows": true }), json!(1000), 50),
        (json!({ "maxRows": 0, "allowCustomMaxRows": true }), json!(null), 50),
    ] {
        let fixture = Fixture::new(json!({ "downloads": downloads }), &documents).await;
        for chunk_size in [1, 7, 20, 1_000_000] {
            let params = json!({ "chunkSize": chunk_size, "files": [{ "columns": ["size"], "maxRows": max_rows }] });
            let text = String::from_utf8(bytes(fixture.begin(&params).await.unwrap()).await).unwrap();
            assert_eq!(data_rows(&text), expected, "{downloads} {max_rows} {chunk_size}");
        }
    }
}

#[tokio::test]
async fn all_rows_come_unless_a_limit_is_configured() {
    let fixture = Fixture::new(json!({ "downloads": {} }), &many(150, "a")).await;
    assert_eq!(data_rows(&fixture.file(json!({ "columns": ["size"] })).await), 150);
}

#[tokio::test]
async fn a_download_says_what_its_limit_cuts() {
    let fixture = Fixture::new(json!({ "downloads": { "maxRows": 30 } }), &many(31, "a")).await;
    let below = |size: u64| json!({ "op": "lt", "content": { "fieldName": "size", "value": size } });
    let file = |size: u64| json!({ "columns": ["size"], "sqon": below(size) });
    for (files, expected) in [
        (json!([file(30)]), None),
        (json!([file(31)]), Some("files[0]=30")),
        (json!([file(31), file(2), file(31)]), Some("files[0]=30, files[2]=30")),
    ] {
        let download = fixture.begin(&json!({ "files": files })).await.unwrap();
        assert_eq!(download.row_limits.as_deref(), expected, "{files}");
    }
    // How many rows the elements give is not known before they are read.
    let fixture = Fixture::sample().await;
    let elements = json!({ "files": [{ "columns": ["donors.donor_id"], "uniqueBy": "donors", "maxRows": 1 }] });
    assert_eq!(fixture.begin(&elements).await.unwrap().row_limits.as_deref(), Some("files[0]=1"));
}

#[tokio::test]
async fn the_limit_counts_rows_where_elements_become_rows() {
    let fixture = Fixture::sample().await;
    let file = |rows: u64| json!({ "columns": ["donors.donor_id"], "uniqueBy": "donors", "maxRows": rows });
    assert_eq!(fixture.file(file(1)).await.lines().last(), Some("DO1"));
    assert_eq!(fixture.file(file(2)).await.lines().last(), Some("DO2"));
    assert_eq!(fixture.file(file(3)).await.lines().last(), Some("DO3"));
}

#[tokio::test]
async fn rows_are_sorted_as_hits_are() {
    let fixture = Fixture::sample().await;
    for (sort, expected) in [
        (json!([{ "fieldName": "size", "order": "desc" }]), ["FI1", "FI2", "FI3"]),
        (json!([{ "fieldName": "size", "order": "asc" }]), ["FI3", "FI2", "FI1"]),
        (json!([{ "fieldName": "size", "missing": "last" }]), ["FI2", "FI1", "FI3"]),
        (json!([{ "fieldName": "donors.age", "order": "desc", "missing": "first" }]), ["FI2", "FI3", "FI1"]),
        (json!([{ "fieldName": "_id", "order": "desc" }]), ["FI3", "FI2", "FI1"]),
    ] {
        let text = fixture.file(json!({ "columns": ["object_id"], "sort": sort })).await;
        assert_eq!(text.lines().skip(1).collect::<Vec<_>>(), expected, "{sort}");
    }
}

#[tokio::test]
async fn one_record_may_expand_to_more_than_a_piece() {
    let donors: Vec<Value> = (0..3000).map(|number| json!({ "donor_id": format!("DO{number}") })).collect();
    let long = "x".repeat(300);
    let documents = [
        json!({ "_id": "1", "object_id": long, "donors": donors }),
        json!({ "_id": "2", "object_id": "short", "donors": [{ "donor_id": "last" }] }),
    ];
    let fixture = Fixture::new(json!({ "downloads": { "maxRows": 0 } }), &documents).await;
    let params = json!({ "files": [{ "columns": ["object_id", "donors.donor_id"], "uniqueBy": "donors" }] });
    let mut download = fixture.begin(&params).await.unwrap();
    let mut text = Vec::new();
    while let Some(piece) = download.body.next().await {
        let piece = piece.unwrap();
        assert!(piece.len() < 200_000, "a piece of {} bytes", piece.len());
        text.extend_from_slice(&piece);
    }
    let text = String::from_utf8(text).unwrap();
    let expected = (0..3000).map(|number| format!("{long}\tDO{number}")).chain(["short\tlast".to_owned()]);
    assert!(text.lines().skip(1).eq(expected));
}

#[tokio::test]
async fn a_download_shows_one_state_of_the_index() {
    let fixture = Fixture::new(json!({ "downloads": { "maxRows": 0 } }), &many(5000, "before")).await;
    let params = json!({ "chunkSize": 100, "files": [{ "columns": ["id", "file_name"] }] });
    let mut download = fixture.begin(&params).await.unwrap();
    let mut text = download.body.next().await.unwrap().unwrap().to_vec();
    fixture.write(&many(6000, "after")).await;
    text.extend_from_slice(&bytes(download).await);
    let text = String::from_utf8(text).unwrap();
    let expected = (0..5000).map(|number| format!("{number:06}\tbefore"));
    assert!(text.lines().skip(1).eq(expected));
    let after = String::from_utf8(bytes(fixture.begin(&params).await.unwrap()).await).unwrap();
    assert_eq!((data_rows(&after), after.contains("before")), (6000, false));
}

#[tokio::test]
async fn a_download_may_be_left() {
    let fixture = Fixture::new(json!({ "downloads": { "maxRows": 0 } }), &many(5000, "a")).await;
    let params = json!({ "chunkSize": 1, "files": [{}, {}] });
    let mut download = fixture.begin(&params).await.unwrap();
    assert!(download.body.next().now_or_never().is_none(), "nothing is made before it is asked for");
    drop(download);
    fixture.write(&sample_documents()).await;
}

#[tokio::test]
async fn saved_sets_are_loaded() {
    let fixture = Fixture::new(json!({ "enableSets": true }), &sample_documents()).await;
    let query = "mutation($sqon: JSON!) { saveSet(type: file, path: \"object_id\", sqon: $sqon) { setId } }";
    let two = json!({ "op": "in", "content": { "fieldName": "object_id", "value": ["FI1", "FI3"] } });
    let request = serde_json::from_value(json!({ "query": query, "variables": { "sqon": two } })).unwrap();
    let Ok(prepared) = fixture.served.prepare(&request) else { panic!("the mutation is refused") };
    let answer: Value = serde_json::from_slice(&fixture.served.execute(&prepared).await).unwrap();
    let set_id = answer["data"]["saveSet"]["setId"].as_str().unwrap_or_else(|| panic!("{answer}"));
    let sqon = json!({ "op": "in", "content": { "fieldName": "object_id", "value": [format!("set_id:{set_id}")] } });
    let text = fixture.file(json!({ "sqon": sqon, "columns": ["object_id"] })).await;
    assert_eq!(text, "Object Id\nFI1\nFI3\n");
}
