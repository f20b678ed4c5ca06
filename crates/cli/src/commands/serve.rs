//! `cantata serve`: assembles the server. Everything that can fail does so before data is touched.

mod access;
mod housekeeping;
mod indexing;
mod open_files;
mod signals;
pub(crate) mod small_pages;

use std::io::{self, ErrorKind, Write};
use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;

use cantata_access::KeySecret;
use cantata_engine_embedded::EmbeddedEngine;
use cantata_metadata::MetadataService;
use cantata_outbox::Relay;
use cantata_search::{ConfigSource, SearchService};
use cantata_server::{Indexes, Services};
use cantata_store::Store;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use uuid::Uuid;

use self::access::ServerAccess;
use self::housekeeping::start_housekeeping;
use self::indexing::start_indexing;
use self::open_files::{clamp_connections, raise_limit};
use self::signals::StopSignals;
use self::small_pages::SmallPages;
use crate::backends::engines::EngineRegistry;
use crate::backends::{DataDirBackup, open_store};
use crate::data_dir::{SEARCH_FOLDER, ServerFile, ensure_metadata_is_not_behind, ensure_not_restoring};
use crate::error::CliError;
use crate::settings::{ServerSettings, Settings};

/// Runs the server until it receives a stop signal. It has small pages until it is ready.
pub(crate) async fn serve(settings: &Settings, small_pages: Option<SmallPages>) -> Result<ExitCode, CliError> {
    let server = BoundServer::bind(&settings.server).await?;
    let data = OpenedData::open(settings).await?;
    let source = settings.search.source_in(settings.search.configs_path.clone(), settings.engine.settings()?);
    let end_of_start = |_| {
        drop(small_pages);
        Ok(())
    };
    server.serve(settings, data, source, end_of_start).await
}

/// The store, and the engine of the data folder.
pub(crate) struct OpenedData {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) engine: Arc<EmbeddedEngine>,
}

impl OpenedData {
    pub(crate) async fn open(settings: &Settings) -> Result<Self, CliError> {
        let folder = &settings.store.data_dir;
        ensure_not_restoring(folder)?;
        let store = open_store(&settings.database, folder).await?;
        // The other half is for compiled analysis types.
        cantata_engine_embedded::set_query_cache_bytes(settings.limits.cache_memory() / 2);
        cantata_engine_embedded::set_max_search_bytes(settings.limits.search_memory());
        cantata_engine_embedded::set_build_memory_bytes(settings.limits.memory.build_memory());
        let engine = EmbeddedEngine::open(&folder.join(SEARCH_FOLDER))
            .map_err(|error| CliError::caused("the search engine cannot be opened", error))?;
        // A database server is restored on its own; indexing then builds what is ahead of it again.
        if settings.database.address()?.is_none() {
            ensure_metadata_is_not_behind(folder, &*store, &engine).await?;
        }
        Ok(Self { store, engine: Arc::new(engine) })
    }
}

/// A server that is bound to its port but does not answer yet; early connections wait.
pub(crate) struct BoundServer {
    listener: TcpListener,
    address: SocketAddr,
    /// The limit of open files, if there is one.
    open_files: Option<u64>,
    pub(crate) signals: StopSignals,
}

impl BoundServer {
    /// Binds the port.
    pub(crate) async fn bind(settings: &ServerSettings) -> Result<Self, CliError> {
        let open_files = raise_limit()?;
        let signals =
            StopSignals::listen().map_err(|error| CliError::caused("stop signals cannot be handled", error))?;
        let failed = |error: io::Error| bind_error(settings, error);
        let listener = TcpListener::bind(settings.address()).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        Ok(Self { listener, address, open_files, signals })
    }

    /// Answers requests until a stop signal, then finishes those in progress; a second signal stops at once.
    ///
    /// Readiness is announced on standard output, followed by what `announce_more` writes.
    pub(crate) async fn serve(
        mut self,
        settings: &Settings,
        data: OpenedData,
        catalogues: ConfigSource,
        announce_more: impl FnOnce(SocketAddr) -> io::Result<()>,
    ) -> Result<ExitCode, CliError> {
        let OpenedData { store, engine } = data;
        let closed_reads = settings.access.closed_reads(settings.server.bind_addr);
        let metadata = MetadataService::start(
            Arc::clone(&store),
            settings.metadata.service_settings(closed_reads, settings.limits.cache_memory() / 2),
            settings.external_validation.validator()?,
            settings.storage.client()?,
        );
        let metadata = metadata.await.map_err(|error| CliError::caused("the metadata service cannot start", error))?;
        let search = load_catalogues(catalogues, engine.clone(), &store).await?;
        if !closed_reads {
            warn_of_open_reads(&search);
        }
        let ServerAccess { control, operator, first_key } = ServerAccess::open(settings, &store).await?;
        let control = Arc::new(control);
        let housekeeping = start_housekeeping(Arc::clone(&store), Arc::clone(&control));
        let start_relay = |kafka| Relay::start(Arc::clone(&store), kafka, Uuid::new_v4().to_string());
        let relay = settings.kafka()?.map(start_relay);
        let indexing = Arc::new(start_indexing(&settings.store.data_dir, &store, &search));
        // A database server is backed up with its own tools.
        let is_embedded = settings.database.address()?.is_none();
        let backup = is_embedded.then(|| DataDirBackup::new(&settings.store.data_dir, engine.clone()));
        let indexes = Some(Indexes { engine: engine.clone(), administration: engine });
        let services = Services {
            metadata: Arc::new(metadata),
            search: Some(search),
            indexes,
            access: control,
            backup: backup.map(|folder| Arc::new(folder) as Arc<_>),
            outbox: relay.as_ref().map(Relay::watch),
            indexing: Some(Arc::clone(&indexing)),
        };
        let mut http = settings.http();
        http.limits.max_connections = clamp_connections(http.limits.max_connections, self.open_files);
        let app = cantata_server::app(services, http);
        let _server_file = ServerFile::write(&settings.store.data_dir, self.address, operator);
        // A closed pipe is no reason to stop.
        let _ = announce(self.address, first_key.as_ref()).and_then(|()| announce_more(self.address));

        let (stop, stopping) = oneshot::channel::<()>();
        let shutdown = async move {
            let _ = stopping.await;
        };
        let stopped_twice = async {
            self.signals.next().await;
            tracing::info!("stopping after the requests in progress");
            let _ = stop.send(());
            self.signals.next().await;
        };
        tokio::select! {
            served = cantata_server::serve(self.listener, app, shutdown) => {
                housekeeping.abort();
                indexing.stop().await;
                if let Some(relay) = relay {
                    relay.stop().await;
                }
                served.map_err(|error| CliError::caused("the server failed", error))?;
            }
            () = stopped_twice => tracing::warn!("stopping at once; requests in progress are aborted"),
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Loads the catalogues, and follows their configuration.
async fn load_catalogues(
    source: ConfigSource,
    engine: Arc<EmbeddedEngine>,
    store: &Arc<dyn Store>,
) -> Result<Arc<SearchService>, CliError> {
    let service = SearchService::start(EngineRegistry::new(engine, Arc::clone(store)), source)
        .await
        .map_err(|problems| CliError::Settings(problems.iter().map(ToString::to_string).collect()))?;
    let service = Arc::new(service);
    service.watch();
    Ok(service)
}

/// Warns where the metadata service shows everybody what a catalogue hides.
fn warn_of_open_reads(search: &SearchService) {
    let catalogues = search.catalogues();
    for (config, _) in catalogues.configured().filter(|(config, _)| config.access.is_some() && config.source.is_some())
    {
        tracing::warn!(
            catalogue = config.id,
            "reading is open to everybody, so /studies, /events and /entities show what the access rules of this catalogue \
             hide; set AUTH_MODE, and leave REQUIRE_AUTH_FOR_READS unset"
        );
    }
}

fn announce(address: SocketAddr, first_key: Option<&KeySecret>) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    writeln!(stdout, "cantata is ready on http://{address}")?;
    if let Some(key) = first_key {
        let text = "The first key, which allows everything; keep it, it is not shown again:";
        writeln!(stdout, "{text}\n{}", key.reveal())?;
    }
    stdout.flush()
}

fn bind_error(settings: &ServerSettings, error: io::Error) -> CliError {
    let address = settings.address();
    let message = match error.kind() {
        ErrorKind::AddrInUse => {
            format!("{address} is taken by another program; stop it, or choose another port with SERVER_PORT")
        }
        ErrorKind::AddrNotAvailable => {
            format!("this machine does not have the address {}; choose another with BIND_ADDR", settings.bind_addr)
        }
        ErrorKind::PermissionDenied => {
            format!("{address} may not be listened on by this user; choose a port above 1023 with SERVER_PORT")
        }
        _ => {
            return CliError::caused(format!("{address} cannot be listened on"), error)
                .with_hint("SERVER_PORT and BIND_ADDR choose another");
        }
    };
    CliError::failed(message)
}
