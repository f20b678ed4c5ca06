//! Each format, letter by letter.

use serde_json::{Value, json};

use super::support::{Fixture, bytes};

fn columns() -> Value {
    json!([
        { "fieldName": "id" },
        { "fieldName": "size", "displayName": "Size" },
        { "fieldName": "is_open", "Header": "Open?" },
        { "fieldName": "access-level" },
        { "fieldName": "tags" },
        { "fieldName": "donors.specimens.samples.score" },
        { "fieldName": "computed_by_the_portal" },
    ])
}

#[tokio::test]
async fn tsv_has_labels_and_values_for_people() {
    let fixture = Fixture::sample().await;
    let text = fixture.file(json!({ "columns": columns() })).await;
    assert_eq!(
        text,
        "id\tSize\tOpen?\tAccess\tTags\tDonors Specimens Samples Score\tcomputed_by_the_portal\n\
         1\t5000000000\ttrue\tOpen access\tx, y\t0.5, 2\t--\n\
         2\t0\tfalse\tcontrolled\t--\t-1.25\t--\n\
         3\t--\t--\t--\t--\t--\t--\n"
    );
}

#[tokio::test]
async fn csv_is_quoted_as_rfc_4180_has_it() {
    let fixture = Fixture::sample().await;
    let text = fixture.file(json!({ "fileType": "csv", "columns": columns(), "valueWhenEmpty": "" })).await;
    assert_eq!(
        text,
        "id,Size,Open?,Access,Tags,Donors Specimens Samples Score,computed_by_the_portal\r\n\
         1,5000000000,true,Open access,\"x, y\",\"0.5, 2\",\r\n\
         2,0,false,controlled,,-1.25,\r\n\
         3,,,,,,\r\n"
    );
}

#[tokio::test]
async fn json_is_a_list_of_objects_with_values_of_their_types() {
    let fixture = Fixture::sample().await;
    let text = fixture.file(json!({ "fileType": "json", "columns": columns() })).await;
    let rows: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        rows,
        json!([
            { "id": "1", "size": 5_000_000_000_u64, "is_open": true, "access-level": "open", "tags": ["x", "y"],
              "donors.specimens.samples.score": [0.5, 2.0], "computed_by_the_portal": null },
            { "id": "2", "size": 0, "is_open": false, "access-level": "controlled", "tags": [],
              "donors.specimens.samples.score": [-1.25], "computed_by_the_portal": null },
            { "id": "3", "size": null, "is_open": null, "access-level": null, "tags": [],
              "donors.specimens.samples.score": [], "computed_by_the_portal": null },
        ])
    );
}

#[tokio::test]
async fn json_lines_are_the_same_objects_without_a_list() {
    let fixture = Fixture::sample().await;
    let columns = json!([{ "fieldName": "object_id" }, { "fieldName": "size", "show": false }, "is_open", "is_open"]);
    for file_type in ["jsonl", "ndjson"] {
        let text = fixture.file(json!({ "fileType": file_type, "columns": columns })).await;
        assert_eq!(
            text,
            "{\"object_id\":\"FI1\",\"is_open\":true}\n{\"object_id\":\"FI2\",\"is_open\":false}\n\
             {\"object_id\":\"FI3\",\"is_open\":null}\n"
        );
    }
}

#[tokio::test]
async fn without_columns_there_are_those_of_the_table() {
    let fixture = Fixture::sample().await;
    let expected = "Object\tSize\tDonors\nFI1\t5000000000\tDO1, DO2\nFI2\t0\tDO3\nFI3\t--\t--\n";
    assert_eq!(fixture.file(json!({})).await, expected);
    assert_eq!(fixture.file(json!({ "columns": [] })).await, expected);
}

#[tokio::test]
async fn no_rows_leave_the_header() {
    let fixture = Fixture::sample().await;
    let nothing = json!({ "op": "in", "content": { "fieldName": "object_id", "value": ["FI9"] } });
    for (file_type, expected) in
        [("tsv", "Object\tSize\tDonors\n"), ("csv", "Object,Size,Donors\r\n"), ("json", "[\n]\n"), ("jsonl", "")]
    {
        assert_eq!(fixture.file(json!({ "fileType": file_type, "sqon": nothing })).await, expected);
    }
}

#[tokio::test]
async fn names_and_media_types_follow_the_format() {
    let fixture = Fixture::sample().await;
    let cases = [
        (json!({}), json!({}), "file.tsv", "text/plain; charset=utf-8"),
        (json!({ "fileType": "CSV" }), json!({}), "file.csv", "text/csv; charset=utf-8"),
        (json!({ "fileType": "csv" }), json!({ "fileType": "json" }), "file.json", "application/json"),
        (json!({ "fileName": "all" }), json!({ "fileType": "jsonl" }), "all.jsonl", "application/x-ndjson"),
        (json!({ "fileName": "all" }), json!({ "fileName": "own.txt" }), "own.txt", "text/plain; charset=utf-8"),
        (json!({}), json!({ "fileName": "../a\"b\r\nX: y/.." }), "_a_b__X_ y_", "text/plain; charset=utf-8"),
        (json!({}), json!({ "fileName": " .. " }), "file.tsv", "text/plain; charset=utf-8"),
    ];
    for (mut params, file, name, content_type) in cases {
        params["files"] = json!([file]);
        let download = fixture.begin(&params).await.unwrap();
        let expected = if name.contains('.') { name.to_owned() } else { format!("{name}.tsv") };
        assert_eq!((download.file_name.as_str(), download.content_type), (expected.as_str(), content_type));
    }
}

#[tokio::test]
async fn a_header_shows_a_name_in_ascii_and_in_full() {
    let fixture = Fixture::sample().await;
    let plain = fixture.begin(&json!({ "files": [{ "fileName": "a b.tsv" }] })).await.unwrap();
    assert_eq!(plain.content_disposition(), "attachment; filename=\"a b.tsv\"");
    let other = fixture.begin(&json!({ "files": [{ "fileName": "größe.tsv" }] })).await.unwrap();
    assert_eq!(other.content_disposition(), "attachment; filename=\"gr__e.tsv\"; filename*=UTF-8''gr%C3%B6%C3%9Fe.tsv");
}

#[tokio::test]
async fn parameters_may_be_wrapped() {
    let fixture = Fixture::sample().await;
    let params = json!({ "files": [{ "columns": ["object_id"], "maxRows": 1 }] });
    for request in [json!({ "params": params }), json!({ "params": params.to_string() }), params] {
        let download = fixture.begin(&request).await.unwrap();
        assert_eq!(bytes(download).await, b"Object Id\nFI1\n");
    }
}
