//! Catalogues with rules, and people who ask them.

use std::sync::Arc;

use cantata_access::{AuthMethod, Identity};
use cantata_catalogue::{CatalogueConfig, CatalogueConfigs, ConfigDefaults, EngineChoice};
use cantata_engine::{IndexAdmin, IndexWriter, SearchEngine, WriteOperation};
use cantata_engine_embedded::EmbeddedEngine;
use cantata_search::{
    CatalogueLookup, ConfigSource, DownloadError, DownloadRequest, EngineProvider, EngineSetupError, SearchService,
    ServedCatalogue,
};
use cantata_store::Store;
use futures_util::StreamExt;
use serde_json::{Value, json};
use tempfile::TempDir;

/// A service with one catalogue, `files`.
pub(crate) struct Bed {
    pub(crate) service: SearchService,
    pub(crate) engine: Arc<EmbeddedEngine>,
    folder: Arc<TempDir>,
}

/// The engine of one of several servers on a store.
struct SharingProvider {
    engine: Arc<EmbeddedEngine>,
    store: Arc<dyn Store>,
}

impl EngineProvider for SharingProvider {
    fn engine(&self, _choice: &EngineChoice) -> Result<Arc<dyn SearchEngine>, EngineSetupError> {
        Ok(Arc::clone(&self.engine) as Arc<dyn SearchEngine>)
    }

    fn set_store(&self) -> Option<Arc<dyn Store>> {
        Some(Arc::clone(&self.store))
    }
}

/// Returns an identity with scopes and claims.
pub(crate) fn identity_with(scopes: &[&str], claims: Value) -> Identity {
    Identity {
        auth_method: AuthMethod::Token,
        name: "ada".to_owned(),
        scopes: scopes.iter().map(|scope| (*scope).to_owned()).collect(),
        claims: claims.as_object().unwrap().clone(),
        person: None,
    }
}

/// A rule that opens everything to everybody.
pub(crate) fn open() -> Value {
    json!([{ "scope": "*", "filter": null }])
}

impl Bed {
    pub(crate) async fn new(keys: Value, properties: Value, documents: &[(String, Value)]) -> Self {
        let folder = Arc::new(tempfile::tempdir().unwrap());
        let engine = Arc::new(EmbeddedEngine::open(folder.path()).unwrap());
        engine.create_index("files", Some(&json!({ "properties": properties }))).await.unwrap();
        let put = |(id, document): &(String, Value)| WriteOperation::Put {
            id: id.clone(),
            source: document.to_string().into_bytes(),
        };
        let report = engine.write("files", documents.iter().map(put).collect()).await.unwrap();
        assert_eq!(report.rejected, []);
        Self::serving(Arc::clone(&engine), engine, folder, keys).await
    }

    /// Returns a service with another configuration on the same indexes.
    pub(crate) async fn with_other(&self, keys: Value) -> Self {
        Self::serving(Arc::clone(&self.engine), Arc::clone(&self.engine), Arc::clone(&self.folder), keys).await
    }

    /// Returns a service on the same indexes whose saved sets are in a store.
    pub(crate) async fn with_store(&self, store: &Arc<dyn Store>, keys: Value) -> Self {
        let provider = SharingProvider { engine: Arc::clone(&self.engine), store: Arc::clone(store) };
        Self::serving(provider, Arc::clone(&self.engine), Arc::clone(&self.folder), keys).await
    }

    async fn serving(
        provider: impl EngineProvider,
        engine: Arc<EmbeddedEngine>,
        folder: Arc<TempDir>,
        keys: Value,
    ) -> Self {
        let mut config = json!({
            "esIndex": "files", "documentType": "file", "maxDepth": 20, "enableSets": true,
            "downloads": { "maxRows": 0 },
        });
        config.as_object_mut().unwrap().extend(keys.as_object().unwrap().clone());
        let config = CatalogueConfig::from_value("files", &config, &ConfigDefaults::default()).unwrap();
        let source = ConfigSource::Fixed(CatalogueConfigs::single(config));
        let service = SearchService::start(provider, source).await.unwrap();
        Self { service, engine, folder }
    }

    pub(crate) fn seen_by(&self, identity: &Identity) -> Arc<ServedCatalogue> {
        match self.service.catalogues().only(identity) {
            Some(CatalogueLookup::Available(served)) => served,
            Some(CatalogueLookup::Failed(failed)) => panic!("{}", failed.error),
            _ => panic!("the catalogue is not served"),
        }
    }

    /// Returns the body of the answer, whatever it is.
    pub(crate) async fn body(&self, identity: &Identity, query: &str, variables: &Value) -> String {
        let served = self.seen_by(identity);
        let request = serde_json::from_value(json!({ "query": query, "variables": variables })).unwrap();
        let body = match served.prepare(&request) {
            Ok(prepared) => served.execute(&prepared).await,
            Err(refused) => refused.bytes,
        };
        String::from_utf8(body).unwrap()
    }

    /// Returns what an answer without errors has.
    pub(crate) async fn ask(&self, identity: &Identity, query: &str, variables: Value) -> Value {
        let body = self.body(identity, query, &variables).await;
        let mut answer: Value = serde_json::from_str(&body).unwrap();
        assert_eq!(answer.get("errors"), None, "{query}: {answer}");
        answer["data"].take()
    }

    /// Returns the ids of the records that an identity sees.
    pub(crate) async fn ids(&self, identity: &Identity, filter: Value) -> Vec<String> {
        let query = "query($f: JSON) { file { hits(filters: $f, first: 1000) { total edges { node { id } } } } }";
        let hits = self.ask(identity, query, json!({ "f": filter })).await["file"]["hits"].take();
        let ids: Vec<String> =
            hits["edges"].as_array().unwrap().iter().map(|e| e["node"]["id"].as_str().unwrap().to_owned()).collect();
        assert_eq!(hits["total"], ids.len());
        ids
    }

    /// Downloads files.
    pub(crate) async fn download(&self, identity: &Identity, params: &Value) -> Result<Vec<u8>, DownloadError> {
        let served = self.seen_by(identity);
        let request = DownloadRequest::parse(&params.to_string())?;
        let mut body = served.download(&request).await?.body;
        let mut bytes = Vec::new();
        while let Some(piece) = body.next().await {
            bytes.extend_from_slice(&piece.unwrap());
        }
        Ok(bytes)
    }
}

/// A condition on one field.
pub(crate) fn leaf(op: &str, field: &str, value: Value) -> Value {
    json!({ "op": op, "content": { "fieldName": field, "value": value } })
}
