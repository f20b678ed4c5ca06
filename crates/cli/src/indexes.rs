//! The indexes that a command works on: those of a data folder that nobody uses, else through the server that uses it.
//!
//! The lock of the search folder decides. If another process has it, the file that a server leaves in the data folder
//! says where that server listens.

mod client;
mod running;

use std::path::Path;
use std::sync::Arc;

use cantata_catalogue::Secret;
use cantata_engine::{EngineError, IndexAdministration, IndexSummary, SearchEngine};
use cantata_engine_embedded::{EmbeddedEngine, OpenError};
use cantata_mapping::IndexMapping;
use clap::Args;
use serde_json::Value;

pub(crate) use self::client::ServerClient;
pub(crate) use self::running::RunningServer;
use crate::command::ConfigArgument;
use crate::connection::credential;
use crate::failure::Failure;
use crate::restore::refuse_half;
use crate::serve::SEARCH_FOLDER;
use crate::settings::{EnginePlace, LoggingSettings, StoreSettings, secret};

/// Where the indexes are.
#[derive(Debug, Args)]
pub(crate) struct IndexesArguments {
    /// The address of a running server to work through; unset, the data folder tells whether one uses it
    #[arg(long, value_name = "URL")]
    server: Option<String>,
    /// The key or token to show to that server, if it asks for one; as a flag, everybody on the machine could read it
    /// [env: CANTATA_KEY]
    #[arg(long, value_name = "KEY", alias = "api-key", value_parser = secret)]
    key: Option<Secret>,
    #[command(flatten)]
    config: ConfigArgument,
    #[command(flatten)]
    store: StoreSettings,
    #[command(flatten)]
    engine: EnginePlace,
    #[command(flatten)]
    pub(crate) logging: LoggingSettings,
}

impl IndexesArguments {
    /// Says whether the address of a server is given.
    pub(crate) fn names_server(&self) -> bool {
        self.server.is_some()
    }

    /// Returns the data folder.
    pub(crate) fn data_dir(&self) -> &Path {
        &self.store.data_dir
    }
}

/// The indexes, as a command reaches them.
pub(crate) enum Indexes {
    /// Those of a data folder, which is ours alone for as long as this lives.
    Local(EmbeddedEngine),
    /// Those of a server.
    Remote(ServerClient),
}

impl Indexes {
    /// Reaches the indexes. A data folder without any is made only if `make` says so.
    pub(crate) fn reach(arguments: &IndexesArguments, make: bool) -> Result<Self, Failure> {
        if arguments.engine.is_remote() {
            tracing::warn!(
                "this command works on the indexes of the embedded engine; by SEARCH_ENGINE or ES_HOST catalogues are \
                 searched on a cluster, unless their base.json says \"searchEngine\": \"embedded\""
            );
        }
        if let Some(address) = &arguments.server {
            let key = credential(arguments.key.as_ref());
            return ServerClient::new(address, key.as_ref().map(Secret::reveal)).map(Self::Remote);
        }
        Self::in_folder(&arguments.store.data_dir, make)
    }

    /// Reaches the indexes of a data folder. One without any is made only if `make` says so.
    pub(crate) fn in_folder(data_dir: &Path, make: bool) -> Result<Self, Failure> {
        let folder = data_dir.join(SEARCH_FOLDER);
        if !make && !folder.is_dir() {
            return Err(Failure::Start(format!(
                "the data folder {} has no indexes; DATA_DIR names the data folder, --server a running server",
                data_dir.display()
            )));
        }
        refuse_half(data_dir)?;
        match EmbeddedEngine::open(&folder) {
            Ok(engine) => Ok(Self::Local(engine)),
            Err(OpenError::InUse(_)) => Self::through_server(data_dir),
            Err(OpenError::Io(error)) => Err(Failure::Start(format!(
                "the data folder {} cannot be used: {error}; DATA_DIR names the data folder",
                data_dir.display()
            ))),
        }
    }

    fn through_server(data_dir: &Path) -> Result<Self, Failure> {
        match RunningServer::of(data_dir) {
            Some(server) => ServerClient::new(&server.url, server.credential.as_deref()).map(Self::Remote),
            None => Err(Failure::Start(format!(
                "the indexes in {} are in use by another process, which is no server that is ready; wait until it is \
                 done, or name a server with --server",
                data_dir.display()
            ))),
        }
    }

    /// Returns what fills indexes and looks after them.
    pub(crate) fn administration(&self) -> &dyn IndexAdministration {
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

    /// Makes an index.
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

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Self {
        Self::Start(explain(&error))
    }
}

/// Explains to the person at the keyboard why an index cannot be worked on.
pub(crate) fn explain(error: &EngineError) -> String {
    match error {
        EngineError::IndexNotFound(name) => {
            format!("index `{name}` was not found; `cantata index list` shows those that there are")
        }
        other => other.to_string(),
    }
}
