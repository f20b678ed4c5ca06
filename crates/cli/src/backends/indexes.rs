//! Access to the indexes of a command: those of an unused data folder, else through the server that uses it.
//!
//! The lock of the search folder decides. If another process holds it, the server file in the data folder has the address.

mod remote;

use std::path::Path;
use std::sync::Arc;

use cantata_core::Secret;
use cantata_engine::{EngineError, IndexAdmin, IndexMaintenance, IndexReader, IndexSummary};
use cantata_engine_embedded::{EmbeddedEngine, OpenError, set_build_memory_bytes};
use cantata_mapping::{IndexMapping, MappingError};
use clap::Args;
use serde_json::Value;

pub(crate) use self::remote::RemoteIndexes;
use crate::data_dir::{SEARCH_FOLDER, ServerFile, ensure_not_restoring, unusable};
use crate::error::CliError;
use crate::http::credential;
use crate::settings::ConfigArgument;
use crate::settings::{EngineLocation, LoggingSettings, MemorySettings, StoreSettings, secret};

/// The arguments that locate the indexes.
#[derive(Debug, Args)]
pub(crate) struct IndexAccessArguments {
    /// The URL of a running server; unset, the server that uses the data folder, if any
    #[arg(long, value_name = "URL")]
    server: Option<String>,
    /// The key or token for that server; other users of the machine can read flags, so prefer the variable
    /// [env: CANTATA_KEY]
    #[arg(long, value_name = "KEY", alias = "api-key", value_parser = secret)]
    key: Option<Secret>,
    #[command(flatten)]
    config: ConfigArgument,
    #[command(flatten)]
    store: StoreSettings,
    #[command(flatten)]
    memory: MemorySettings,
    #[command(flatten)]
    engine: EngineLocation,
    #[command(flatten)]
    pub(crate) logging: LoggingSettings,
}

impl IndexAccessArguments {
    /// Returns whether a server is given.
    pub(crate) fn has_server(&self) -> bool {
        self.server.is_some()
    }

    /// Returns the data folder.
    pub(crate) fn data_dir(&self) -> &Path {
        &self.store.data_dir
    }
}

/// Access to indexes.
pub(crate) enum IndexAccess {
    /// The indexes of a data folder, locked for as long as this lives.
    Local(EmbeddedEngine),
    /// The indexes of a server.
    Remote(RemoteIndexes),
}

impl IndexAccess {
    /// Opens the indexes; a data folder without any is created only if `create` is set.
    pub(crate) fn open(arguments: &IndexAccessArguments, create: bool) -> Result<Self, CliError> {
        if arguments.engine.is_remote() {
            tracing::warn!(
                "this command works on the indexes of the embedded engine, but SEARCH_ENGINE or ES_HOST selects a cluster \
                 for catalogues whose base.json does not say \"searchEngine\": \"embedded\""
            );
        }
        if let Some(address) = &arguments.server {
            let key = credential(arguments.key.as_ref());
            return RemoteIndexes::new(address, key.as_ref().map(Secret::reveal)).map(Self::Remote);
        }
        set_build_memory_bytes(arguments.memory.build_memory());
        Self::open_folder(&arguments.store.data_dir, create)
    }

    /// Opens the indexes of a data folder; one without any is created only if `create` is set.
    pub(crate) fn open_folder(data_dir: &Path, create: bool) -> Result<Self, CliError> {
        ensure_not_restoring(data_dir)?;
        let folder = data_dir.join(SEARCH_FOLDER);
        if !create && !folder.is_dir() {
            return Err(CliError::failed(format!(
                "the data folder {} has no indexes; DATA_DIR names the data folder, --server a running server",
                data_dir.display()
            )));
        }
        match EmbeddedEngine::open(&folder) {
            Ok(engine) => Ok(Self::Local(engine)),
            Err(OpenError::InUse(_)) => Self::through_server(data_dir),
            Err(OpenError::Io(error)) => Err(unusable(data_dir, error)),
        }
    }

    fn through_server(data_dir: &Path) -> Result<Self, CliError> {
        match ServerFile::read(data_dir) {
            Some(server) => RemoteIndexes::new(&server.url, server.credential.as_deref()).map(Self::Remote),
            None => Err(CliError::failed(format!(
                "the indexes in {} are in use by another process that is not a ready server; wait until it is done, or \
                 name a server with --server",
                data_dir.display()
            ))),
        }
    }

    /// Returns the administration of the indexes.
    pub(crate) fn administration(&self) -> &dyn IndexMaintenance {
        match self {
            Self::Local(engine) => engine,
            Self::Remote(client) => client,
        }
    }

    /// Returns all indexes, by name.
    pub(crate) async fn list(&self) -> Result<Vec<IndexSummary>, EngineError> {
        match self {
            Self::Local(engine) => engine.indexes().await,
            Self::Remote(client) => client.indexes().await,
        }
    }

    /// Returns the mapping of an index, if there is one of this name.
    pub(crate) async fn mapping(&self, name: &str) -> Result<Option<Arc<IndexMapping>>, EngineError> {
        let found = match self {
            Self::Local(engine) => engine.mapping(name).await,
            Self::Remote(client) => client.mapping(name).await.map(Arc::new),
        };
        match found {
            Err(EngineError::IndexNotFound(_)) => Ok(None),
            found => found.map(Some),
        }
    }

    /// Creates an index.
    pub(crate) async fn create(&self, name: &str, mapping: Option<&Value>) -> Result<(), EngineError> {
        match self {
            Self::Local(engine) => engine.create(name, mapping),
            Self::Remote(client) => client.create(name, mapping).await,
        }
    }

    /// Removes an index with everything in it.
    pub(crate) async fn delete(&self, name: &str) -> Result<(), EngineError> {
        match self {
            Self::Local(engine) => engine.delete(name),
            Self::Remote(client) => client.delete(name).await,
        }
    }
}

impl From<EngineError> for CliError {
    fn from(error: EngineError) -> Self {
        Self::failed(explain(&error))
    }
}

/// Explains an engine error to the user.
pub(crate) fn explain(error: &EngineError) -> String {
    match error {
        EngineError::IndexNotFound(name) => {
            format!("index `{name}` was not found; `cantata index list` lists the indexes")
        }
        other => other.to_string(),
    }
}

/// All problems of a mapping.
#[derive(Debug, thiserror::Error)]
#[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
pub(crate) struct MappingProblems(Vec<MappingError>);

/// Parses a mapping.
pub(crate) fn parse_mapping(mapping: &Value) -> Result<IndexMapping, MappingProblems> {
    IndexMapping::parse(mapping).map_err(MappingProblems)
}
