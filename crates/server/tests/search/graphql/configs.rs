//! `configs` and `mapping`: what portals build their pages from.

use cantata_testkit::{TestCatalogues, TestServer};
use serde_json::{Value, json};

use crate::support::{ask, base, documents, mapping, server};

const CONFIGS: &str = "configs { charts downloads { allowCustomMaxRows maxRows } extended facets { aggregations { displayName \
    displayType fieldName isActive show } } matchbox { displayName } table { columns { accessor canChangeShow displayFormat \
    displayName displayType displayValues fieldName id isArray jsonPath query show sortable type } defaultSorting { desc \
    fieldName } maxResultsWindow rowIdFieldName } }";

#[tokio::test]
async fn configurations_are_completed() {
    let server = server().await;
    let configs = ask(&server, CONFIGS, &json!({})).await["configs"].take();
    assert_eq!(configs["downloads"], json!({"allowCustomMaxRows": false, "maxRows": 0}));
    // Portals write the name of a facet into GraphQL, so it has no dots.
    assert_eq!(
        configs["facets"]["aggregations"],
        json!([
            {"displayName": "Gender", "displayType": "keyword", "fieldName": "donors__gender", "isActive": true, "show": true},
            {"displayName": "Size", "displayType": "long", "fieldName": "size", "isActive": true, "show": true}
        ])
    );
    let table = &configs["table"];
    assert_eq!(table["defaultSorting"], json!([{"desc": true, "fieldName": "analysis"}]));
    assert_eq!((&table["maxResultsWindow"], &table["rowIdFieldName"]), (&json!(10000), &json!("id")));
    let column = &table["columns"][0];
    for (name, value) in [
        ("accessor", json!("analysis")),
        ("canChangeShow", json!(true)),
        ("displayName", json!("Analysis")),
        ("fieldName", json!("analysis")),
        ("isArray", json!(false)),
        ("jsonPath", json!("$.analysis")),
        ("query", json!("analysis")),
        ("show", json!(true)),
        ("sortable", json!(true)),
    ] {
        assert_eq!(column[name], value, "{name}");
    }
    assert_eq!(table["columns"][2]["query"], "donors { hits { edges { node { donor_id } } } }");
    assert_eq!(configs["matchbox"], json!([]));
}

#[tokio::test]
async fn fields_are_described_and_may_be_chosen() {
    let server = server().await;
    let selection = "configs { extended some: extended(fieldNames: [\"size\", \"donors.gender\"]) }";
    let configs = ask(&server, selection, &json!({})).await["configs"].take();
    let names: Vec<&str> =
        configs["extended"].as_array().unwrap().iter().map(|field| field["fieldName"].as_str().unwrap()).collect();
    assert!(names.contains(&"donors") && names.contains(&"donors.specimens.samples.code"), "{names:?}");
    let size = configs["some"].as_array().unwrap().iter().find(|field| field["fieldName"] == "size").unwrap();
    assert_eq!(
        *size,
        json!({"displayName": "Size", "displayType": "long", "displayValues": {}, "fieldName": "size", "isActive": false,
            "isArray": false, "primaryKey": false, "quickSearchEnabled": false, "rangeStep": 0, "type": "long",
            "unit": "bytes"})
    );
    assert_eq!(configs["some"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn without_files_there_are_facets_and_columns_all_the_same() {
    let catalogues = TestCatalogues::new().file("base.json", &base(json!({})));
    let server = TestServer::with_catalogues(catalogues.index("files", &mapping(), documents())).await;
    let configs = ask(&server, CONFIGS, &json!({})).await["configs"].take();
    let facets = configs["facets"]["aggregations"].as_array().unwrap();
    assert!(!facets.is_empty() && facets.len() <= 10);
    // What the table says it shows can be asked for as it is written there.
    let columns = configs["table"]["columns"].as_array().unwrap();
    let queries: Vec<&str> = columns.iter().map(|column| column["query"].as_str().unwrap()).collect();
    let names: Vec<&str> = facets.iter().map(|facet| facet["fieldName"].as_str().unwrap()).collect();
    let selection = format!(
        "hits {{ edges {{ node {{ {} }} }} }} aggregations {{ {} }}",
        queries.join(" "),
        names.iter().map(|name| format!("{name} {{ buckets {{ key }} }}")).collect::<Vec<_>>().join(" ")
    );
    assert_eq!(ask(&server, &selection, &json!({})).await["hits"]["edges"].as_array().unwrap().len(), 5);
}

#[tokio::test]
async fn the_mapping_is_that_of_the_index() {
    let server = server().await;
    let answer = ask(&server, "mapping", &json!({})).await;
    assert_eq!(answer["mapping"], mapping()["properties"]);
}

#[tokio::test]
async fn legacy_names_in_facets_still_work() {
    let facets = json!({"facets": {"aggregations": [{"fieldName": "donors__gender", "isActive": true}]}});
    let catalogues = TestCatalogues::new().file("base.json", &base(json!({}))).file("facets.json", &facets);
    let server = TestServer::with_catalogues(catalogues.index("files", &mapping(), documents())).await;
    let answer =
        ask(&server, "configs { facets { aggregations { fieldName displayType isActive show } } }", &json!({})).await;
    let facet: Value = answer["configs"]["facets"]["aggregations"][0].clone();
    assert_eq!(
        facet,
        json!({"fieldName": "donors__gender", "displayType": "keyword", "isActive": true, "show": false})
    );
}
