//! Where the mappings of the indexes come from.

use std::collections::HashMap;

use cantata_catalogue::{CatalogueConfig, CatalogueError, Configs, EngineChoice, ErrorCode};
use cantata_engine::{EngineError, SearchEngine};
use cantata_mapping::IndexMapping;
use serde_json::{Value, json};

use super::CheckArguments;
use super::plan::{Plan, plan, types};
use crate::client::{CallError, Server};
use crate::connection::connect;
use crate::engines::cluster;
use crate::failure::Failure;
use crate::indexes::{Indexes, RunningServer};
use crate::serve::SEARCH_FOLDER;

/// Where the mappings come from.
pub(super) enum Mappings {
    /// A server that has the indexes, or the catalogues.
    Server(Server),
    /// The data folder, and the clusters that the files name.
    Folder {
        indexes: Option<Indexes>,
        /// The server that uses the folder.
        running: Option<Server>,
    },
}

/// What was found of the indexes of catalogues, by the ids of these.
#[derive(Default)]
pub(super) struct Found {
    /// The mappings, or why there is none.
    mappings: HashMap<String, Result<IndexMapping, CatalogueError>>,
    /// What becomes of the indexes of catalogues that have a source.
    pub(super) plans: HashMap<String, Plan>,
}

impl Found {
    /// Hands out the mapping of a catalogue.
    pub(super) fn take(&mut self, id: &str) -> Result<IndexMapping, CatalogueError> {
        self.mappings
            .remove(id)
            .unwrap_or_else(|| Err(CatalogueError::new(ErrorCode::MappingFetchError, "it was not asked for")))
    }
}

impl Mappings {
    /// Finds out where mappings are; nothing if there are none, or none are wanted.
    pub(super) fn reach(arguments: &CheckArguments) -> Result<Option<Self>, Failure> {
        if arguments.files_only {
            return Ok(None);
        }
        if arguments.server.names_server() {
            return Ok(Some(Self::Server(arguments.server.connect()?)));
        }
        let data_dir = &arguments.store.data_dir;
        let has_indexes = data_dir.join(SEARCH_FOLDER).is_dir();
        let indexes = has_indexes.then(|| Indexes::in_folder(data_dir, false)).transpose()?;
        let is_remote = arguments.engine.place.is_remote();
        let running = match (&indexes, RunningServer::of(data_dir)) {
            (Some(Indexes::Remote(_)), Some(RunningServer { url, credential })) => {
                let (base, http) = connect(&url, credential.as_deref())?;
                Some(Server::new(base, http))
            }
            _ => None,
        };
        Ok((has_indexes || is_remote).then_some(Self::Folder { indexes, running }))
    }

    /// Asks for the mappings of all catalogues whose files can be used.
    pub(super) async fn of(&self, configs: &Configs) -> Result<Found, Failure> {
        let mut found = Found::default();
        let usable = || configs.catalogues.iter().filter_map(|configured| configured.config.as_ref().ok());
        let types = match self.asked_for_types() {
            Some(server) if usable().any(|config| config.source.is_some()) => types(server).await?,
            _ => Vec::new(),
        };
        for config in usable() {
            let mut mapping = match self {
                Self::Server(server) => on_server(server, config).await?,
                Self::Folder { indexes, .. } => in_folder(indexes.as_ref(), config).await,
            };
            let is_unmade = mapping.as_ref().is_err_and(|error| error.code == ErrorCode::IndexNotFound);
            let source = config.source.as_ref().filter(|_| !types.is_empty() && (mapping.is_ok() || is_unmade));
            if let Some((planned, plan)) = source.and_then(|source| plan(source, &types, mapping.as_ref().ok())) {
                mapping = Ok(planned);
                found.plans.insert(config.id.clone(), plan);
            }
            found.mappings.insert(config.id.clone(), mapping);
        }
        Ok(found)
    }

    /// Returns the server that knows the analysis types, if one is there.
    fn asked_for_types(&self) -> Option<&Server> {
        match self {
            Self::Server(server) => Some(server),
            Self::Folder { running, .. } => running.as_ref(),
        }
    }
}

async fn in_folder(indexes: Option<&Indexes>, config: &CatalogueConfig) -> Result<IndexMapping, CatalogueError> {
    let missing = || Err(EngineError::IndexNotFound(config.index.clone()));
    let found = match (&config.engine, indexes) {
        (EngineChoice::Embedded, None) => missing(),
        (EngineChoice::Embedded, Some(indexes)) => match indexes.mapping(&config.index).await {
            Ok(None) => missing(),
            Ok(Some(mapping)) => Ok(mapping),
            Err(error) => Err(error),
        },
        (EngineChoice::Remote(connection), _) => match cluster(connection) {
            Ok(engine) => engine.mapping(&config.index).await,
            Err(reason) => return Err(CatalogueError::new(ErrorCode::UnknownError, reason)),
        },
    };
    found.map(|mapping| IndexMapping::clone(&mapping)).map_err(|error| {
        let code = match error {
            EngineError::IndexNotFound(_) => ErrorCode::IndexNotFound,
            EngineError::PermissionDenied => ErrorCode::PermissionDenied,
            EngineError::Unreachable | EngineError::TimedOut | EngineError::Busy => ErrorCode::ConnectionError,
            _ => ErrorCode::MappingFetchError,
        };
        CatalogueError::new(code, error.to_string())
    })
}

/// Asks a server for the index; where it has none, or the key does not allow that, for the catalogue.
async fn on_server(server: &Server, config: &CatalogueConfig) -> Result<Result<IndexMapping, CatalogueError>, Failure> {
    let asked = server.get::<Value>(&["admin", "indexes", &config.index, "mapping"], &[]).await;
    let reason = match asked {
        Ok(mapping) => return Ok(parsed(&mapping)),
        Err(CallError::Refused(refusal) | CallError::NotAllowed(refusal)) => refusal,
        Err(error) => return Err(error.into()),
    };
    let catalogue = match server.catalogue(&config.id).await {
        Ok(catalogue) => catalogue,
        Err(CallError::Refused(_)) => {
            return Ok(Err(CatalogueError::new(ErrorCode::IndexNotFound, reason.message)));
        }
        Err(error) => return Err(error.into()),
    };
    let mut answer = catalogue.ask(server, "", "mapping", json!({})).await?;
    Ok(parsed(&json!({"properties": answer["mapping"].take()})))
}

fn parsed(mapping: &Value) -> Result<IndexMapping, CatalogueError> {
    IndexMapping::parse(mapping).map_err(|errors| {
        let reasons: Vec<String> = errors.iter().map(ToString::to_string).collect();
        CatalogueError::new(ErrorCode::MappingFetchError, reasons.join("; "))
    })
}
