//! The mappings of indexes, from a server or a data folder.

use std::collections::HashMap;

use cantata_catalogue::{
    CatalogueConfig, CatalogueConfigs, CatalogueError, CatalogueErrorCode, ConfigProblem, EngineChoice,
};
use cantata_engine::{EngineError, IndexReader};
use cantata_mapping::IndexMapping;
use serde_json::{Value, json};

use super::CheckArguments;
use super::list_sample::list_warnings;
use super::plan::{IndexPlan, plan, types};
use crate::backends::engines::remote_engine;
use crate::backends::{IndexAccess, parse_mapping};
use crate::client::api_error::CallError;
use crate::client::server::{CLIENT_SERVER_OPTION, ServerClient};
use crate::data_dir::{SEARCH_FOLDER, ServerFile};
use crate::error::CliError;

/// The source of mappings.
pub(super) enum MappingSource {
    /// A server that has the indexes, or the catalogues.
    Server(ServerClient),
    /// The data folder, and the clusters of the configuration.
    Folder {
        indexes: Option<IndexAccess>,
        /// The server that uses the folder.
        running: Option<ServerClient>,
    },
}

/// The mappings and planned changes, by catalogue id.
#[derive(Default)]
pub(super) struct IndexMappings {
    /// The mappings, or why there is none.
    mappings: HashMap<String, Result<IndexMapping, CatalogueError>>,
    /// The planned changes of the indexes of catalogues with a source.
    pub(super) plans: HashMap<String, IndexPlan>,
    /// The fields of clusters that have lists, and are not marked to have them or not.
    pub(super) list_warnings: HashMap<String, Vec<ConfigProblem>>,
}

impl IndexMappings {
    /// Removes and returns the mapping of a catalogue.
    pub(super) fn take(&mut self, id: &str) -> Result<IndexMapping, CatalogueError> {
        self.mappings
            .remove(id)
            .unwrap_or_else(|| Err(CatalogueError::new(CatalogueErrorCode::MappingFetchError, "it was not fetched")))
    }
}

impl MappingSource {
    /// Opens the source; none if there is none, or none is wanted.
    pub(super) fn open(arguments: &CheckArguments) -> Result<Option<Self>, CliError> {
        if arguments.files_only {
            return Ok(None);
        }
        if arguments.server.has_server() {
            return Ok(Some(Self::Server(arguments.server.connect()?)));
        }
        let data_dir = &arguments.store.data_dir;
        let has_indexes = data_dir.join(SEARCH_FOLDER).is_dir();
        let indexes = has_indexes.then(|| IndexAccess::open_folder(data_dir, false)).transpose()?;
        let is_remote = arguments.engine.location.is_remote();
        let running = match (&indexes, ServerFile::read(data_dir)) {
            (Some(IndexAccess::Remote(_)), Some(ServerFile { url, credential })) => {
                Some(ServerClient::new(&url, credential.as_deref(), CLIENT_SERVER_OPTION)?)
            }
            _ => None,
        };
        Ok((has_indexes || is_remote).then_some(Self::Folder { indexes, running }))
    }

    /// Fetches the mappings of all catalogues with valid files.
    pub(super) async fn fetch(&self, configs: &CatalogueConfigs) -> Result<IndexMappings, CliError> {
        let mut found = IndexMappings::default();
        let usable = || configs.catalogues.iter().filter_map(|configured| configured.config.as_ref().ok());
        let types = match self.types_server() {
            Some(server) if usable().any(|config| config.source.is_some()) => types(server).await?,
            _ => Vec::new(),
        };
        for config in usable() {
            let mut mapping = match self {
                Self::Server(server) => on_server(server, config).await?,
                Self::Folder { indexes, .. } => in_folder(indexes.as_ref(), config).await,
            };
            if let (Self::Folder { .. }, EngineChoice::Remote(cluster), Ok(mapping)) = (self, &config.engine, &mapping)
            {
                found.list_warnings.insert(config.id.clone(), list_warnings(cluster, config, mapping).await);
            }
            let is_missing = mapping.as_ref().is_err_and(|error| error.code == CatalogueErrorCode::IndexNotFound);
            let source = config.source.as_ref().filter(|_| !types.is_empty() && (mapping.is_ok() || is_missing));
            if let Some((planned, plan)) = source.and_then(|source| plan(source, &types, mapping.as_ref().ok())) {
                mapping = Ok(planned);
                found.plans.insert(config.id.clone(), plan);
            }
            found.mappings.insert(config.id.clone(), mapping);
        }
        Ok(found)
    }

    /// Returns the server that knows the analysis types, if any.
    fn types_server(&self) -> Option<&ServerClient> {
        match self {
            Self::Server(server) => Some(server),
            Self::Folder { running, .. } => running.as_ref(),
        }
    }
}

async fn in_folder(indexes: Option<&IndexAccess>, config: &CatalogueConfig) -> Result<IndexMapping, CatalogueError> {
    let missing = || Err(EngineError::IndexNotFound(config.index.clone()));
    let found = match (&config.engine, indexes) {
        (EngineChoice::Embedded, None) => missing(),
        (EngineChoice::Embedded, Some(indexes)) => match indexes.mapping(&config.index).await {
            Ok(None) => missing(),
            Ok(Some(mapping)) => Ok(mapping),
            Err(error) => Err(error),
        },
        (EngineChoice::Remote(connection), _) => match remote_engine(connection) {
            Ok(engine) => engine.mapping(&config.index).await,
            Err(error) => return Err(CatalogueError::new(CatalogueErrorCode::UnknownError, error.to_string())),
        },
    };
    found.map(|mapping| IndexMapping::clone(&mapping)).map_err(|error| {
        let code = match error {
            EngineError::IndexNotFound(_) => CatalogueErrorCode::IndexNotFound,
            EngineError::PermissionDenied => CatalogueErrorCode::PermissionDenied,
            EngineError::Unreachable
            | EngineError::TimedOut
            | EngineError::Busy
            | EngineError::IndexUnavailable { .. } => CatalogueErrorCode::ConnectionError,
            _ => CatalogueErrorCode::MappingFetchError,
        };
        CatalogueError::new(code, error.to_string())
    })
}

/// Fetches the mapping of the index or, if that is missing or not allowed, of the catalogue.
async fn on_server(
    server: &ServerClient,
    config: &CatalogueConfig,
) -> Result<Result<IndexMapping, CatalogueError>, CliError> {
    let asked = server.get::<Value>(&["admin", "indexes", &config.index, "mapping"], &[]).await;
    let reason = match asked {
        Ok(mapping) => return Ok(parsed(&mapping)),
        Err(CallError::Rejected(error) | CallError::NotAllowed(error)) => error,
        Err(error) => return Err(error.into()),
    };
    let catalogue = match server.catalogue(&config.id).await {
        Ok(catalogue) => catalogue,
        Err(CallError::Rejected(_)) => {
            return Ok(Err(CatalogueError::new(CatalogueErrorCode::IndexNotFound, reason.message)));
        }
        Err(error) => return Err(error.into()),
    };
    let mut answer = catalogue.query(server, "", "mapping", json!({})).await?;
    Ok(parsed(&json!({"properties": answer["mapping"].take()})))
}

fn parsed(mapping: &Value) -> Result<IndexMapping, CatalogueError> {
    parse_mapping(mapping)
        .map_err(|problems| CatalogueError::new(CatalogueErrorCode::MappingFetchError, problems.to_string()))
}
