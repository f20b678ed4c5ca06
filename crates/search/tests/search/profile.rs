//! A catalogue of which nothing is configured: its values decide what it shows.

use std::sync::Arc;

use cantata_access::Identity;
use cantata_catalogue::Catalogue;
use cantata_engine::{IndexAdmin, IndexWriter, WriteOperation};
use cantata_engine_embedded::EmbeddedEngine;
use cantata_search::{CatalogueLookup, ConfigSource, SearchService};
use serde_json::{Map, Value, json};

/// A mapping of 200 columns of which few are worth anything: as they come, the first ten are the same everywhere.
fn mapping() -> Value {
    let keyword = json!({"type": "keyword"});
    let constant = (0..195).map(|number| (format!("c{number:03}"), keyword.clone()));
    let useful = ["sample_id", "site", "sex"].map(|name| (name.to_owned(), keyword.clone()));
    let numbers = [("age".to_owned(), json!({"type": "integer"})), ("collected".to_owned(), json!({"type": "date"}))];
    let properties: Map<String, Value> = constant.chain(useful).chain(numbers).collect();
    json!({ "properties": properties })
}

fn records(from: usize, to: usize) -> Vec<WriteOperation> {
    let record = |number: usize| {
        let (site, sex) = (["Lung", "Breast", "Skin"][number % 3], ["f", "m"][number % 2]);
        let mut source = json!({
            "sample_id": format!("S{number:04}"),
            "site": site,
            "sex": sex,
            "age": 20 + number % 50,
            "collected": format!("2020-01-{:02}", 1 + number % 28),
        });
        for column in 0..195 {
            source[format!("c{column:03}")] = json!("same");
        }
        WriteOperation::Put { id: format!("r{number}"), source: source.to_string().into_bytes() }
    };
    (from..to).map(record).collect()
}

fn catalogue(service: &SearchService) -> Arc<Catalogue> {
    match service.catalogues().only(&Identity::unchecked()) {
        Some(CatalogueLookup::Available(served)) => Arc::clone(&served.catalogue),
        _ => panic!("the catalogue is not available"),
    }
}

fn facets(catalogue: &Catalogue) -> Vec<&str> {
    catalogue.display.facets.aggregations.iter().map(|facet| facet.field_name.as_str()).collect()
}

#[tokio::test]
async fn what_is_shown_follows_from_the_values_and_from_more_of_them() {
    let folder = tempfile::tempdir().unwrap();
    let engine = Arc::new(EmbeddedEngine::open(&folder.path().join("search")).unwrap());
    engine.create_index("samples", Some(&mapping())).await.unwrap();
    let configs = folder.path().join("configs");
    fs_err::create_dir_all(&configs).unwrap();
    let base = json!({ "esIndex": "samples", "documentType": "sample", "catalogId": "samples" });
    fs_err::write(configs.join("base.json"), base.to_string()).unwrap();
    let source = ConfigSource::Folder(configs, Box::default());
    let service = SearchService::start(Arc::clone(&engine), source).await.unwrap();
    assert_eq!(facets(&catalogue(&service))[0], "c000", "an empty index says nothing");

    engine.write("samples", records(0, 100)).await.unwrap();
    // Every few probes the records are counted, and their values where there are many more of them.
    for _ in 0..6 {
        service.refresh().await.unwrap();
    }
    let chosen = catalogue(&service);
    assert_eq!(facets(&chosen), ["site", "sex", "age", "collected"]);
    let columns: Vec<&str> = chosen.display.table.columns.iter().map(|column| column.field_name.as_str()).collect();
    assert_eq!(columns, ["sample_id", "site", "sex", "age", "collected"]);
    assert!(chosen.display.field("sample_id").unwrap().primary_key);
    assert!(chosen.display.field("sample_id").unwrap().quick_search_enabled);
}
