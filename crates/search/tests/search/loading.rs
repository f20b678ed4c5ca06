//! Loading catalogues, and what is logged about it.

use std::io;
use std::sync::{Arc, Mutex};

use cantata_access::Identity;
use cantata_engine::{IndexAdmin, IndexWriter, WriteOperation};
use cantata_engine_embedded::EmbeddedEngine;
use cantata_search::{CatalogueLookup, ConfigSource, SearchService};
use serde_json::json;

/// A log in memory.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn everything_wrong_with_a_file_is_told_whether_the_catalogue_is_served_or_not() {
    let folder = tempfile::tempdir().unwrap();
    let engine = Arc::new(EmbeddedEngine::open(&folder.path().join("search")).unwrap());
    engine.create_index("plants", Some(&json!({ "properties": { "name": { "type": "keyword" } } }))).await.unwrap();
    for (name, depth) in [("served", json!(9)), ("plants", json!("nine"))] {
        let base = json!({ "esIndex": "plants", "documentType": name, "maxAliasses": 3, "maxDepth": depth });
        let catalogue = folder.path().join("configs").join(name);
        fs_err::create_dir_all(&catalogue).unwrap();
        fs_err::write(catalogue.join("base.json"), base.to_string()).unwrap();
    }
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt().with_ansi(false).with_writer(move || writer.clone()).finish();
    let told = tracing::subscriber::set_default(subscriber);
    let source = ConfigSource::Folder(folder.path().join("configs"), Box::default());
    SearchService::start(engine, source).await.unwrap();
    drop(told);
    let log = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    let guide = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/catalogues.md");
    let guide = fs_err::read_to_string(guide).unwrap();
    for told in [
        "plants/base.json, `maxDepth`: found the string \"nine\", expected a whole number from 1 to 2147483647",
        "plants/base.json, `maxAliasses`: found an unknown key, which is ignored, expected a known key, such as `maxAliases`",
    ] {
        assert!(log.contains(told), "{told:?} is not in {log}");
        assert!(guide.contains(told), "{told:?} is not in the guide");
    }
    assert!(log.contains("served/base.json, `maxAliasses`"), "{log}");
}

#[tokio::test]
async fn a_failure_that_stays_is_told_once_and_ends_with_a_mapping_that_fits() {
    let folder = tempfile::tempdir().unwrap();
    let engine = Arc::new(EmbeddedEngine::open(&folder.path().join("search")).unwrap());
    engine.create_index("plants", None).await.unwrap();
    let configs = folder.path().join("configs");
    fs_err::create_dir_all(&configs).unwrap();
    let base = json!({ "esIndex": "plants", "documentType": "plant", "nestingPrefix": "data" });
    fs_err::write(configs.join("base.json"), base.to_string()).unwrap();
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt().with_ansi(false).with_writer(move || writer.clone()).finish();
    let told = tracing::subscriber::set_default(subscriber);
    let service = SearchService::start(engine.clone(), ConfigSource::Folder(configs, Box::default())).await.unwrap();
    service.refresh().await.unwrap();
    service.refresh().await.unwrap();
    drop(told);
    let log = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    assert_eq!(log.matches("a catalogue cannot be served").count(), 1, "{log}");

    let put = WriteOperation::Put { id: "p1".to_owned(), source: br#"{"data": {"name": "Daisy"}}"#.to_vec() };
    engine.write("plants", vec![put]).await.unwrap();
    service.refresh().await.unwrap();
    assert!(matches!(service.catalogues().only(&Identity::unchecked()), Some(CatalogueLookup::Available(_))));
}
