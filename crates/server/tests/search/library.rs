//! The routes of the search service within another server.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::routing::get;
use cantata_catalogue::{CatalogueConfig, CatalogueConfigs, ConfigDefaults};
use cantata_engine::{IndexAdmin, IndexMaintenance, IndexWriter, WriteOperation};
use cantata_engine_embedded::EmbeddedEngine;
use cantata_server::{HttpSettings, search};
use cantata_testkit::put_documents;
use http::Request;
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tempfile::TempDir;
use tower::ServiceExt;

use crate::support::{base, documents, mapping};

async fn engine(folder: &TempDir) -> Arc<EmbeddedEngine> {
    let engine = Arc::new(EmbeddedEngine::open(&folder.path().join("search")).unwrap());
    engine.create_index("files", Some(&mapping())).await.unwrap();
    put_documents(&*engine, "files", documents().map(|(id, document)| (id.to_owned(), document))).await;
    engine
}

fn config(id: &str) -> CatalogueConfig {
    CatalogueConfig::from_value(id, &base(json!({})), &ConfigDefaults::default()).unwrap()
}

async fn send(router: &Router, path: &str, query: Option<&str>) -> (u16, String) {
    let request = match query {
        Some(query) => Request::post(path).body(Body::from(json!({"query": query}).to_string())).unwrap(),
        None => Request::get(path).body(Body::empty()).unwrap(),
    };
    let response = router.clone().oneshot(request).await.unwrap();
    let status = response.status().as_u16();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    (status, String::from_utf8(body.to_vec()).unwrap())
}

async fn total(router: &Router, path: &str) -> Value {
    let (status, body) = send(router, path, Some("{ file { hits { total } } }")).await;
    assert_eq!(status, 200, "{body}");
    serde_json::from_str::<Value>(&body).unwrap()["data"]["file"]["hits"]["total"].take()
}

#[tokio::test]
async fn a_router_takes_configurations_and_stands_beside_other_routes() {
    let folder = TempDir::new().unwrap();
    let engine = engine(&folder).await;
    let settings = HttpSettings::default();
    let single = search::router(engine.clone(), CatalogueConfigs::single(config("mine")), &settings).await.unwrap();
    let own = Router::new().route("/", get(async || "home")).route("/own", get(async || "own"));
    let whole: Router = own.merge(single).fallback(async || "nothing");
    assert_eq!(total(&whole, "/graphql").await, 5);
    for (path, text) in [("/", "home"), ("/own", "own"), ("/unknown", "nothing"), ("/Arranger-Table", "nothing")] {
        assert_eq!(send(&whole, path, None).await, (200, text.to_owned()));
    }
    let several = CatalogueConfigs::multiple(vec![config("a"), config("b")]).unwrap();
    let below: Router = Router::new().nest("/search", search::router(engine, several, &settings).await.unwrap());
    assert_eq!(total(&below, "/search/a/graphql").await, 5);
    assert_eq!(send(&below, "/search/graphql", Some("{ __typename }")).await.0, 404);
    assert_eq!(send(&below, "/search/file/introspection", None).await.0, 409);
}

#[tokio::test]
async fn a_router_with_a_state_of_its_own_is_served_too() {
    let folder = TempDir::new().unwrap();
    let (configs, settings) = (CatalogueConfigs::single(config("mine")), HttpSettings::default());
    let routes = search::router::<u8>(engine(&folder).await, configs, &settings).await.unwrap();
    let router: Router = routes.with_state(7);
    assert_eq!(total(&router, "/graphql").await, 5);
}

#[tokio::test]
#[expect(deprecated, reason = "it works until it is removed")]
async fn a_folder_still_works() {
    let folder = TempDir::new().unwrap();
    let engine = engine(&folder).await;
    let configs = folder.path().join("configs");
    std::fs::create_dir_all(configs.join("only")).unwrap();
    std::fs::write(configs.join("only/base.json"), base(json!({})).to_string()).unwrap();
    let settings = HttpSettings::default();
    let router: Router = search::router_from_folder(engine.clone(), &configs, &settings).await.unwrap();
    assert_eq!(total(&router, "/graphql").await, 5);
    let nothing = search::router_from_folder::<()>(engine, folder.path().join("none"), &settings).await;
    assert!(nothing.unwrap_err()[0].to_string().contains("no such folder"));
}

#[tokio::test]
async fn an_index_that_cannot_be_written_makes_the_server_not_ready_and_is_searched_all_the_same() {
    let folder = TempDir::new().unwrap();
    let engine = engine(&folder).await;
    let (configs, settings) = (CatalogueConfigs::single(config("mine")), HttpSettings::default());
    let router: Router = search::router(engine.clone(), configs, &settings).await.unwrap();
    assert_eq!(send(&router, "/ready", None).await.0, 200);
    // A folder stands where the next manifest would be written.
    let obstacle = folder.path().join("search/files/manifest.json.new");
    std::fs::create_dir(&obstacle).unwrap();
    assert!(engine.compact("files").await.is_err());
    assert_eq!(send(&router, "/ready", None).await.0, 503);
    assert_eq!(total(&router, "/graphql").await, 5);
    std::fs::remove_dir(&obstacle).unwrap();
    until_ready(&router).await;
    assert_eq!(total(&router, "/graphql").await, 5);
}

/// An index of which most was deleted is merged.
#[tokio::test]
async fn an_index_that_cannot_be_merged_is_ready_and_says_so() {
    let folder = TempDir::new().unwrap();
    let engine = engine(&folder).await;
    engine.compact("files").await.unwrap();
    let (configs, settings) = (CatalogueConfigs::single(config("mine")), HttpSettings::default());
    let router: Router = search::router(engine.clone(), configs, &settings).await.unwrap();
    let (status, body) = send(&router, "/ready", None).await;
    assert!(status == 200 && !body.contains("message"), "{status}: {body}");
    // Folders stand where the next segment files would be written.
    let index = folder.path().join("search/files");
    let manifest: Value = serde_json::from_slice(&std::fs::read(index.join("manifest.json")).unwrap()).unwrap();
    let next = manifest["next_file"].as_u64().unwrap();
    let obstacles: Vec<_> = (next..next + 50).map(|number| index.join(format!("{number}.segment"))).collect();
    obstacles.iter().for_each(|obstacle| std::fs::create_dir(obstacle).unwrap());
    let deleted = documents().into_iter().take(3).map(|(id, _)| WriteOperation::Delete { id: id.to_owned() }).collect();
    engine.write("files", deleted).await.unwrap();
    engine.wait_until_idle().await;
    let (status, body) = send(&router, "/ready", None).await;
    assert!(status == 200 && body.contains("cannot be flushed or merged"), "{status}: {body}");
    assert_eq!(total(&router, "/graphql").await, 2);
    obstacles.iter().for_each(|obstacle| std::fs::remove_dir(obstacle).unwrap());
    for _ in 0..1_200 {
        if !send(&router, "/ready", None).await.1.contains("merged") {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("{}", send(&router, "/ready", None).await.1);
}

/// Waits until a server is ready: an index that has failed is tried again once a second.
async fn until_ready(router: &Router) {
    for _ in 0..1_200 {
        if send(router, "/ready", None).await.0 == 200 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("{}", send(router, "/ready", None).await.1);
}

#[tokio::test]
async fn an_index_that_cannot_be_opened_makes_the_server_not_ready_and_only_the_log_names_it() {
    let folder = TempDir::new().unwrap();
    let first = engine(&folder).await;
    first.wait_until_idle().await;
    drop(first);
    // A folder stands where the manifest would be read.
    let (manifest, hidden) = (folder.path().join("search/files/manifest.json"), folder.path().join("hidden"));
    std::fs::rename(&manifest, &hidden).unwrap();
    std::fs::create_dir(&manifest).unwrap();
    let engine = Arc::new(EmbeddedEngine::open(&folder.path().join("search")).unwrap());
    let (configs, settings) = (CatalogueConfigs::single(config("mine")), HttpSettings::default());
    let router: Router = search::router(engine, configs, &settings).await.unwrap();
    let (status, body) = send(&router, "/ready", None).await;
    assert!(status == 503 && body.contains("an index cannot be opened") && !body.contains("files"), "{status}: {body}");
    std::fs::remove_dir(&manifest).unwrap();
    std::fs::rename(&hidden, &manifest).unwrap();
    for _ in 0..1_200 {
        if !send(&router, "/ready", None).await.1.contains("cannot be opened") {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("{}", send(&router, "/ready", None).await.1);
}
