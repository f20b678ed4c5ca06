//! Payloads of analyses.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use cantata_core::json::parse_json;
use cantata_metadata::external::ExternalValidator;
use cantata_metadata::{MetadataService, MetadataSettings, SubmitOptions};
use cantata_store_sqlite::SqliteStore;
use serde_json::{Map, Value};
use tempfile::TempDir;

use crate::sample::RUNTIME;

const STUDY: &str = "S";

/// A service with one study. Nothing is stored, so all inputs meet the same one.
struct Fixture {
    service: MetadataService,
    /// Removed with the service.
    _folder: TempDir,
}

thread_local! {
    static SERVICE: Fixture = Fixture::start();
}

impl Fixture {
    fn start() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let service = RUNTIME.block_on(async {
            let store = SqliteStore::open(folder.path()).expect("the store opens");
            let external = ExternalValidator::new(Duration::from_secs(1)).expect("a client can be made");
            let service = MetadataService::start(Arc::new(store), MetadataSettings::default(), external, None);
            let service = service.await.expect("the service starts");
            let study = Map::from_iter([("studyId".to_owned(), Value::from(STUDY))]);
            service.create_study(STUDY, study).await.expect("the study can be made");
            service
        });
        Self { service, _folder: folder }
    }
}

/// Validates a payload. It is refused as a mistake of the client, or is an analysis of the study whose files have different
/// names.
pub fn target(data: &[u8]) {
    let (payload, options) = (Bytes::copy_from_slice(data), SubmitOptions::default());
    let validated = SERVICE.with(|fixture| RUNTIME.block_on(fixture.service.validate(STUDY, payload, options)));
    match validated {
        Err(error) => assert!(error.id.status() < 500, "{error}"),
        Ok(()) => {
            let payload = parse_json(data).expect("a payload is JSON");
            assert_eq!(payload["studyId"], STUDY);
            let files = payload["files"].as_array().expect("a payload has files");
            let names: HashSet<Option<&str>> = files.iter().map(|file| file["fileName"].as_str()).collect();
            assert!(names.len() == files.len() && !names.contains(&None), "{names:?}");
        }
    }
}
