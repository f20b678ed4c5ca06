//! A catalogue of files with donors, specimens and samples, nested three deep, on a real engine.

use std::sync::Arc;

use cantata_access::Identity;
use cantata_catalogue::{CatalogueConfig, CatalogueConfigs, ConfigDefaults};
use cantata_engine::{IndexAdmin, IndexWriter, WriteOperation};
use cantata_engine_embedded::EmbeddedEngine;
use cantata_search::{
    CatalogueLookup, ConfigSource, Download, DownloadError, DownloadRequest, SearchService, ServedCatalogue,
};
use futures_util::StreamExt;
use serde_json::{Map, Value, json};
use tempfile::TempDir;

/// A service with one catalogue.
pub(crate) struct Fixture {
    pub(crate) served: Arc<ServedCatalogue>,
    engine: Arc<EmbeddedEngine>,
    _folder: TempDir,
}

impl Fixture {
    /// Serves documents; `keys` are added to the configuration.
    pub(crate) async fn new(keys: Value, documents: &[Value]) -> Self {
        Self::with_mapping(keys, json!({ "properties": properties() }), documents).await
    }

    /// The same with a mapping.
    pub(crate) async fn with_mapping(keys: Value, mapping: Value, documents: &[Value]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let engine = Arc::new(EmbeddedEngine::open(folder.path()).unwrap());
        engine.create_index("files", Some(&mapping)).await.unwrap();
        let mut config = json!({
            "esIndex": "files",
            "documentType": "file",
            "maxDepth": 20,
            "downloads": { "allowCustomMaxRows": true, "maxRows": 1000 },
        });
        config.as_object_mut().unwrap().extend(keys.as_object().unwrap().clone());
        let config = CatalogueConfig::from_value("files", &config, &ConfigDefaults::default()).unwrap();
        let service =
            SearchService::start(engine.clone(), ConfigSource::Fixed(CatalogueConfigs::single(config))).await.unwrap();
        let Some(CatalogueLookup::Available(served)) = service.catalogues().only(&Identity::unchecked()) else {
            panic!("the catalogue is not served")
        };
        let fixture = Self { served, engine, _folder: folder };
        fixture.write(documents).await;
        fixture
    }

    /// The sample catalogue with its documents.
    pub(crate) async fn sample() -> Self {
        Self::new(sample_keys(), &sample_documents()).await
    }

    /// Writes documents, each with its id in `_id`.
    pub(crate) async fn write(&self, documents: &[Value]) {
        let batch = documents.iter().map(|document| {
            let mut members: Map<String, Value> = document.as_object().unwrap().clone();
            let id = members.remove("_id").unwrap().as_str().unwrap().to_owned();
            WriteOperation::Put { id, source: serde_json::to_vec(&members).unwrap() }
        });
        let report = self.engine.write("files", batch.collect()).await.unwrap();
        assert_eq!(report.rejected, []);
    }

    /// Begins a download.
    pub(crate) async fn begin(&self, params: &Value) -> Result<Download, DownloadError> {
        let request = DownloadRequest::parse(&params.to_string())?;
        self.served.download(&request).await
    }

    /// Downloads one file and returns its text.
    #[track_caller]
    pub(crate) fn file(&self, file: Value) -> impl Future<Output = String> {
        let params = json!({ "files": [file] });
        async move { String::from_utf8(bytes(self.begin(&params).await.unwrap()).await).unwrap() }
    }

    /// Returns why a request is refused.
    pub(crate) async fn refusal(&self, params: &Value) -> DownloadError {
        match self.begin(params).await {
            Ok(download) => panic!("{params} was accepted as {}", download.file_name),
            Err(error) => error,
        }
    }
}

/// Reads a download to its end.
pub(crate) async fn bytes(mut download: Download) -> Vec<u8> {
    let mut bytes = Vec::new();
    while let Some(piece) = download.body.next().await {
        bytes.extend_from_slice(&piece.unwrap());
    }
    bytes
}

fn properties() -> Value {
    json!({
        "object_id": { "type": "keyword" },
        "file_name": { "type": "text", "fields": { "keyword": { "type": "keyword" } } },
        "size": { "type": "long" },
        "is_open": { "type": "boolean" },
        "released": { "type": "date" },
        "access-level": { "type": "keyword" },
        "tags": { "type": "keyword" },
        "name_alias": { "type": "alias", "path": "object_id" },
        "everything": { "type": "keyword" },
        "analysis": { "properties": {
            "analysis_id": { "type": "keyword", "copy_to": "everything" },
        } },
        "donors": { "type": "nested", "properties": {
            "donor_id": { "type": "keyword" },
            "age": { "type": "byte" },
            "specimens": { "type": "nested", "properties": {
                "specimen_type": { "type": "keyword" },
                "samples": { "type": "nested", "properties": {
                    "sample_id": { "type": "keyword" },
                    "score": { "type": "double" },
                } },
            } },
        } },
    })
}

/// What the configuration of the sample catalogue says.
pub(crate) fn sample_keys() -> Value {
    json!({
        "extended": [
            { "fieldName": "access-level", "displayName": "Access", "displayValues": { "open": "Open access" } },
            { "fieldName": "tags", "isArray": true },
        ],
        "table": { "columns": [
            { "fieldName": "object_id", "displayName": "Object", "show": true },
            { "fieldName": "size", "show": true },
            { "fieldName": "is_open", "show": false },
            { "fieldName": "donors.donor_id", "displayName": "Donors", "show": true },
        ] },
    })
}

/// The documents of the sample catalogue.
pub(crate) fn sample_documents() -> Vec<Value> {
    vec![
        json!({
            "_id": "1", "object_id": "FI1", "file_name": "a.bam", "size": 5_000_000_000_u64, "is_open": true,
            "released": "2024-05-01T13:07:09.045Z", "access-level": "open", "tags": ["x", "y"],
            "analysis": { "analysis_id": "AN1" },
            "donors": [
                { "donor_id": "DO1", "age": 40, "specimens": [
                    { "specimen_type": "tumour", "samples": [
                        { "sample_id": "SA1", "score": 0.5 }, { "sample_id": "SA2", "score": 2.0 },
                    ] },
                    { "specimen_type": "normal", "samples": [{ "sample_id": "SA3" }] },
                ] },
                { "donor_id": "DO2", "age": 0, "specimens": [] },
            ],
        }),
        json!({
            "_id": "2", "object_id": "FI2", "file_name": "", "size": 0, "is_open": false, "released": null,
            "access-level": "controlled", "tags": [], "analysis": {},
            "donors": [{ "donor_id": "DO3", "specimens": [{ "samples": { "sample_id": "SA4", "score": -1.25 } }] }],
        }),
        json!({ "_id": "3", "object_id": "FI3" }),
    ]
}
