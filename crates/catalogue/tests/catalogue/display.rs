//! What portals are told.

use serde_json::{Value, json};

use crate::support::{build, sample, sample_properties, warnings};

#[test]
fn extended_can_be_asked_for_some_fields() {
    let display = sample().display;
    let names = ["donors__age".to_owned(), "size".to_owned(), "nope".to_owned()];
    let found: Vec<&str> = display.extended_of(Some(&names)).map(|field| field.field_name.as_str()).collect();
    assert_eq!(found, ["size", "donors.age"]);
    assert_eq!(display.extended_of(None).count(), display.extended.len());
    assert_eq!(display.extended_of(Some(&[])).count(), 0);
}

#[test]
fn names_that_the_index_does_not_have_are_left_out_and_reported() {
    let catalogue = build(
        json!({
            "extended": [{ "fieldName": "nope" }, { "fieldName": "size" }, { "fieldName": "size" }],
            "facets": { "aggregations": [
                { "fieldName": "nope" }, { "fieldName": "donors" }, { "fieldName": "donors__age" },
                { "fieldName": "donors.age" },
            ] },
            "table": {
                "columns": [
                    { "fieldName": "nope" }, { "fieldName": "analysis" }, { "fieldName": "score" },
                    { "fieldName": "own", "query": "analysis{analysis_id}" },
                ],
                "defaultSorting": [{ "fieldName": "nope" }, { "fieldName": "_id" }],
            },
            "matchbox": [{ "fieldName": "donors", "searchFields": ["nope"] }],
        }),
        sample_properties(),
    );
    let display = serde_json::to_value(&catalogue.display).unwrap();
    let names = |list: &Value| list.as_array().unwrap().iter().map(|e| e["fieldName"].clone()).collect::<Value>();
    assert_eq!(names(&display["facets"]["aggregations"]), json!(["donors__age"]));
    assert_eq!(names(&display["table"]["columns"]), json!(["score", "own"]));
    assert_eq!(names(&display["table"]["defaultSorting"]), json!(["_id"]));
    assert_eq!(display["matchbox"][0]["searchFieldNames"], json!([]));
    assert_eq!(
        warnings(&catalogue)[1..],
        [
            "configuration, `extended[0].fieldName`: found \"nope\", which is left out, expected a field of the index",
            "configuration, `extended[2].fieldName`: found a second entry for \"size\", expected one entry; the first \
             counts",
            "configuration, `facets.aggregations[0].fieldName`: found \"nope\", which is left out, expected a field \
             of the index",
            "configuration, `facets.aggregations[1].fieldName`: found \"donors\", which is left out, expected a field \
             that can be counted, not a nested container",
            "configuration, `facets.aggregations[2].fieldName`: found \"donors__age\", the older form of a name, \
             expected the dotted path \"donors.age\"",
            "configuration, `facets.aggregations[3].fieldName`: found a second facet for \"donors.age\", expected one \
             facet; the first counts",
            "configuration, `table.columns[0].fieldName`: found \"nope\", which is left out, expected a field of the \
             index",
            "configuration, `table.columns[1].fieldName`: found \"analysis\", which is left out, expected a field \
             with values, or a `query` that selects what to show of a container",
            "configuration, `table.defaultSorting[0].fieldName`: found \"nope\", which is left out, expected a field \
             of the index",
            "configuration, `matchbox[0].searchFields`: found \"nope\", which is left out, expected a field of the \
             index",
        ]
    );
}

#[test]
fn what_a_column_says_itself_is_kept() {
    let column = json!({
        "accessor": "a", "canChangeShow": false, "displayFormat": "yyyy", "displayName": "Size", "displayType": "bits",
        "displayValues": { "1": "one" }, "fieldName": "size", "id": "s", "isArray": false, "jsonPath": "$.s",
        "query": "size", "show": true, "sortable": true,
    });
    let display = build(json!({ "table": { "columns": [column] } }), sample_properties()).display;
    assert_eq!(serde_json::to_value(&display.table.columns[0]).unwrap(), column);
}

#[test]
fn charts_have_a_query_in_any_case() {
    assert_eq!(sample().display.charts, json!({ "query": "" }));
    let charts = json!({ "query": "{ file }", "more": [1] });
    assert_eq!(build(json!({ "charts": charts }), json!({})).display.charts, charts);
}

#[test]
fn a_table_deeper_than_requests_may_go_is_reported_and_never_generated() {
    let properties = || json!({ "rows": { "type": "nested", "properties": { "x": { "type": "keyword" } } } });
    let columns = json!({ "columns": [{ "fieldName": "rows.x" }] });
    assert_eq!(
        warnings(&build(json!({ "table": columns }), properties())),
        ["configuration, `maxDepth`: found the limit 7, expected at least 9, for the column \"rows.x\""]
    );
    assert_eq!(warnings(&build(json!({ "maxDepth": 9, "table": columns }), properties())), [""; 0]);
    assert!(build(json!({}), properties()).display.table.columns.is_empty());
    assert_eq!(build(json!({ "maxDepth": 9 }), properties()).display.table.columns.len(), 1);
}

#[test]
fn a_facet_of_which_nothing_is_counted_is_reported() {
    let facets = json!({ "facets": { "aggregations": [{ "fieldName": "o" }] } });
    let catalogue = build(facets, json!({ "o": { "properties": { "x": { "type": "keyword" } } } }));
    assert_eq!(
        warnings(&catalogue),
        ["configuration, `facets.aggregations[0].fieldName`: found \"o\", of which nothing is counted, expected a \
          field with values"]
    );
}
