//! The metadata service: what can be done with studies, analysis types, analyses and files, without HTTP.
//!
//! [`MetadataService`] is the whole of it. Each file adds one group of operations; all of them speak the types of
//! `cantata-core`, store through the `Store` trait and fail with an error of the one error table. Every change of an
//! analysis is computed from a revision and stored only if that is still the latest, so there are no locks here.

mod analyses;
pub mod batch;
mod documents;
mod entities;
mod events;
mod export;
pub mod external;
mod files;
mod optimistic_update;
mod payload;
mod plain_payload;
mod sheets;
mod states;
pub mod storage;
mod studies;
mod submit;
mod types;
mod updates;

use std::sync::Arc;

use cantata_core::{PartialTypeOptions, Result, Timestamp};
use cantata_schema::builtin_types;
use cantata_store::{NewAnalysisType, Store};

pub use analyses::{AnalysisPage, parse_states};
pub use documents::DocumentStream;
pub use entities::{EntityPage, EntityRequest};
pub use events::{EventStream, StreamedEvent};
pub use export::{StudyExport, to_payload};
pub use files::{FileUpdate, FileUpdateType};
pub use sheets::{SheetSubmission, SheetsOfType};
pub use submit::SubmitOptions;
pub use types::{RegisteredType, SchemaView, TypePage, TypeRegistration};
pub use updates::merge_patch;

use crate::external::ExternalValidator;
use crate::storage::StorageClient;
use crate::types::TypeCache;

/// How the service behaves where the operator has a choice.
#[derive(Debug, Clone)]
pub struct MetadataSettings {
    /// Whether only the latest version of an analysis type may be used.
    pub enforce_latest: bool,
    /// Whether the duplicate check looks at published analyses only.
    pub duplicates_in_published_only: bool,
    /// Whether nothing of another study than that of the path is named, because not everybody may read every study.
    pub hide_other_studies: bool,
    /// The name of this server in its events.
    pub server_id: String,
    /// How many bytes the cache of compiled analysis types may have.
    pub type_cache_bytes: usize,
}

impl Default for MetadataSettings {
    fn default() -> Self {
        Self {
            enforce_latest: false,
            duplicates_in_published_only: false,
            hide_other_studies: false,
            server_id: "song.overture".to_owned(),
            type_cache_bytes: 64 << 20,
        }
    }
}

/// The metadata service.
pub struct MetadataService {
    store: Arc<dyn Store>,
    settings: MetadataSettings,
    types: TypeCache,
    external: ExternalValidator,
    storage: Option<StorageClient>,
}

impl MetadataService {
    /// Starts the service on a store, which then has the built-in analysis types.
    pub async fn start(
        store: Arc<dyn Store>,
        settings: MetadataSettings,
        external: ExternalValidator,
        storage: Option<StorageClient>,
    ) -> Result<Self> {
        let created_at = Timestamp::now();
        let seeds = builtin_types().iter().map(|builtin| NewAnalysisType {
            name: builtin.id.name.clone(),
            schema: builtin.schema.clone(),
            options: PartialTypeOptions::default(),
            created_at,
        });
        store.seed_types(seeds.collect()).await?;
        let types = TypeCache::new(settings.type_cache_bytes);
        Ok(Self { store, settings, types, external, storage })
    }

    /// Returns the number of the latest event that is stored.
    pub fn latest_event(&self) -> u64 {
        *self.store.latest_event().borrow()
    }

    /// Fails when the store cannot be read.
    pub async fn check_health(&self) -> Result<()> {
        Ok(self.store.check_health().await?)
    }
}
