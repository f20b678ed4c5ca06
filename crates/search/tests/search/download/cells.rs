//! What stands in a cell.

use serde_json::{Value, json};

use super::support::{Fixture, sample_documents, sample_keys};

/// Downloads one column of one record as TSV and returns the cell.
async fn cell(fixture: &Fixture, id: &str, column: Value) -> String {
    let sqon = json!({ "op": "in", "content": { "fieldName": "object_id", "value": [id] } });
    let text = fixture.file(json!({ "sqon": sqon, "columns": [column] })).await;
    text.split_once('\n').unwrap().1.strip_suffix('\n').unwrap().to_owned()
}

#[tokio::test]
async fn a_column_may_name_its_field_in_several_ways() {
    let fixture = Fixture::sample().await;
    for (column, expected) in [
        (json!("donors.donor_id"), "DO1, DO2"),
        (json!("donors__donor_id"), "DO1, DO2"),
        (json!({ "accessor": "donors.donor_id" }), "DO1, DO2"),
        (json!({ "accessor": "access_level" }), "Open access"),
        (json!({ "jsonPath": "$.donors.hits.edges[*].node.donor_id" }), "DO1, DO2"),
        (json!({ "fieldName": "donors", "jsonPath": "$.donors.hits.edges[*].node.age" }), "40, 0"),
        (json!({ "fieldName": "my_ages", "accessor": "donors.age" }), "40, 0"),
        (json!({ "fieldName": "analysis" }), "\"{\"\"analysis_id\"\":\"\"AN1\"\"}\""),
        (json!("file_name.keyword"), "a.bam"),
        (json!("name_alias"), "FI1"),
        (json!("everything"), "AN1"),
        (json!("_id"), "1"),
        (json!("donors.donor_id.deeper"), "--"),
    ] {
        assert_eq!(cell(&fixture, "FI1", column.clone()).await, expected, "{column}");
    }
}

#[tokio::test]
async fn only_what_is_missing_is_empty() {
    let fixture = Fixture::sample().await;
    for (name, expected) in [
        ("size", "0"),
        ("is_open", "false"),
        ("file_name", "--"),
        ("released", "--"),
        ("tags", "--"),
        ("donors.age", "--"),
    ] {
        assert_eq!(cell(&fixture, "FI2", json!(name)).await, expected, "{name}");
    }
}

#[tokio::test]
async fn dates_are_written_by_their_pattern() {
    let fixture = Fixture::sample().await;
    for (format, expected) in [
        (None, "2024-05-01"),
        (Some("yyyy-MM-dd HH:mm:ss.SSS"), "2024-05-01 13:07:09.045"),
        (Some("d MMM yy"), "1 May 24"),
        (Some("EEEE, MMMM do, yyyy 'at' h:mm a"), "Wednesday, May 1st, 2024 at 1:07 PM"),
        (Some("MM/dd/yyyy"), "05/01/2024"),
        (Some("M/d/yyyy H:m:s"), "5/1/2024 13:7:9"),
        (Some("YYYY-MM-DD"), "2024-05-01"),
        (Some("yyyy-MM-dd'T'HH:mm:ssX"), "2024-05-01T13:07:09Z"),
        (Some("QQ D t ''"), "02 122 1714568829 '"),
    ] {
        let column = json!({ "fieldName": "released", "displayFormat": format });
        assert_eq!(cell(&fixture, "FI1", column).await, expected, "{format:?}");
    }
    let plain = json!({ "fieldName": "released", "displayType": "keyword" });
    assert_eq!(cell(&fixture, "FI1", plain).await, "2024-05-01T13:07:09.045Z");
    let no_date = json!({ "fieldName": "object_id", "type": "date", "displayFormat": "yyyy" });
    assert_eq!(cell(&fixture, "FI1", no_date).await, "FI1");
}

#[tokio::test]
async fn display_values_and_separators_come_from_the_request_first() {
    let fixture = Fixture::sample().await;
    for (column, expected) in [
        (json!({ "fieldName": "access-level", "displayValues": { "open": "Offen" } }), "Offen"),
        (json!({ "fieldName": "access-level", "extendedDisplayValues": {} }), "Open access"),
        (json!({ "fieldName": "is_open", "extendedDisplayValues": { "true": "yes" } }), "yes"),
        (json!({ "fieldName": "donors.age", "displayValues": { "0": "newborn" } }), "40, newborn"),
        (json!({ "fieldName": "tags", "isArray": false }), "x, y"),
        (json!({ "fieldName": "donors.donor_id", "isArray": true }), "DO1, DO2"),
    ] {
        assert_eq!(cell(&fixture, "FI1", column.clone()).await, expected, "{column}");
    }
}

#[tokio::test]
async fn cells_are_quoted_and_cannot_be_formulas() {
    let cases = [
        ("tab\there", "\"tab\there\"", "tab\there"),
        ("line\nbreak", "\"line\nbreak\"", "\"line\nbreak\""),
        ("return\rhere", "\"return\rhere\"", "\"return\rhere\""),
        ("a \"quote\"", "\"a \"\"quote\"\"\"", "\"a \"\"quote\"\"\""),
        ("a, b", "a, b", "\"a, b\""),
        ("=1+1", "'=1+1", "'=1+1"),
        ("+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"),
        ("@SUM(A1)", "'@SUM(A1)", "'@SUM(A1)"),
        ("-2+3", "'-2+3", "'-2+3"),
        ("=HYPERLINK(\"x\",\"y\")", "\"'=HYPERLINK(\"\"x\"\",\"\"y\"\")\"", "\"'=HYPERLINK(\"\"x\"\",\"\"y\"\")\""),
        ("\tx", "\"'\tx\"", "'\tx"),
        ("-12.5", "-12.5", "-12.5"),
        ("+", "+", "+"),
        ("--", "--", "--"),
    ];
    for (value, tsv, csv) in cases {
        let documents = [json!({ "_id": "1", "tags": [value] })];
        let fixture = Fixture::new(json!({}), &documents).await;
        let text = fixture.file(json!({ "columns": ["tags"] })).await;
        assert_eq!(text, format!("Tags\n{tsv}\n"));
        let text = fixture.file(json!({ "columns": ["tags"], "fileType": "csv" })).await;
        assert_eq!(text, format!("Tags\r\n{csv}\r\n"));
        let text = fixture.file(json!({ "columns": ["tags"], "fileType": "json" })).await;
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), json!([{ "tags": [value] }]));
    }
}

#[tokio::test]
async fn labels_and_what_stands_for_nothing_are_quoted_too() {
    let fixture = Fixture::sample().await;
    let sqon = json!({ "op": "in", "content": { "fieldName": "object_id", "value": ["FI3"] } });
    let columns = json!([{ "fieldName": "size", "displayName": "=Size\n" }]);
    let text = fixture.file(json!({ "sqon": sqon, "columns": columns, "valueWhenEmpty": "=\"none\"" })).await;
    assert_eq!(text, "\"'=Size\n\"\n\"'=\"\"none\"\"\"\n");
}

#[tokio::test]
async fn documents_in_an_envelope_are_read_from_it() {
    let mapping = json!({ "properties": { "data": { "properties": {
        "object_id": { "type": "keyword" },
        "size": { "type": "long" },
        "donors": { "type": "nested", "properties": { "donor_id": { "type": "keyword" } } },
    } } } });
    let documents = [
        json!({ "_id": "1", "data": { "object_id": "FI1", "size": 1, "donors": [{ "donor_id": "DO1" }] } }),
        json!({ "_id": "2", "data": { "object_id": "FI2", "size": 2, "donors": [
            { "donor_id": "DO2" }, { "donor_id": "DO3" },
        ] } }),
    ];
    let fixture = Fixture::with_mapping(json!({ "nestingPrefix": "data" }), mapping, &documents).await;
    let file = json!({
        "sqon": { "op": "in", "content": { "fieldName": "donors.donor_id", "value": ["DO1", "DO3"] } },
        "sort": [{ "fieldName": "size", "order": "desc" }],
        "columns": ["object_id", "donors.donor_id"],
        "uniqueBy": "donors.donor_id",
    });
    let text = fixture.file(file).await;
    assert_eq!(text, "Object Id\tDonors Donor Id\nFI2\tDO2\nFI2\tDO3\nFI1\tDO1\n");
}

#[tokio::test]
async fn a_hidden_field_of_the_table_can_be_asked_for() {
    let fixture = Fixture::new(sample_keys(), &sample_documents()).await;
    let columns = json!([{ "fieldName": "is_open", "show": false }]);
    assert_eq!(fixture.file(json!({ "columns": columns })).await, "Is Open\ntrue\nfalse\n--\n");
}
