//! `cantata serve`: the parts put together, in an order in which whatever can fail does so before data is touched.

use std::io::{self, ErrorKind, Write};
use std::net::SocketAddr;
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

use crate::access::Access;
use crate::backup::DataFolder;
use crate::engines::AllEngines;
use crate::failure::Failure;
use crate::indexes::RunningServer;
use crate::indexing::start_indexing;
use crate::open_files::room_for_connections;
use crate::restore::refuse_half;
use crate::settings::{ServerSettings, Settings, StoreSettings};
use crate::signals::Signals;
use crate::stores::open_store;

/// The part of the data folder that the search engine has.
pub(crate) const SEARCH_FOLDER: &str = "search";

/// Runs the server until it is told to stop.
pub(crate) async fn serve(settings: &Settings) -> Result<(), Failure> {
    let listening = Listening::start(&settings.server).await?;
    let opened = Opened::open(settings).await?;
    let source = settings.search.source(settings.engine.settings()?);
    listening.serve(settings, opened, source, |_| Ok(())).await
}

/// Where the data is: the store, and the engine of the data folder.
pub(crate) struct Opened {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) engine: Arc<EmbeddedEngine>,
}

impl Opened {
    pub(crate) async fn open(settings: &Settings) -> Result<Self, Failure> {
        let folder = &settings.store.data_dir;
        refuse_half(folder)?;
        let store = open_store(&settings.database, folder).await?;
        Ok(Self { store, engine: Arc::new(open_engine(&settings.store)?) })
    }
}

/// A server that has its port, but answers nobody yet: who connects early waits.
pub(crate) struct Listening {
    listener: TcpListener,
    address: SocketAddr,
    pub(crate) signals: Signals,
}

impl Listening {
    /// Takes the port.
    pub(crate) async fn start(settings: &ServerSettings) -> Result<Self, Failure> {
        let signals = Signals::listen()
            .map_err(|error| Failure::Start(format!("the signals to stop cannot be listened to: {error}")))?;
        let refused = |error: io::Error| refused_address(settings, &error);
        let listener = TcpListener::bind(settings.address()).await.map_err(refused)?;
        let address = listener.local_addr().map_err(refused)?;
        Ok(Self { listener, address, signals })
    }

    /// Answers requests until a signal comes, then finishes those under way; a second signal ends at once.
    ///
    /// When it is ready it says so on standard output, where `tell` may add to it.
    pub(crate) async fn serve(
        mut self,
        settings: &Settings,
        opened: Opened,
        catalogues: Option<ConfigSource>,
        tell: impl FnOnce(SocketAddr) -> io::Result<()>,
    ) -> Result<(), Failure> {
        let Opened { store, engine } = opened;
        let metadata = MetadataService::start(
            Arc::clone(&store),
            settings.metadata.service_settings(),
            settings.external_validation.validator()?,
            settings.storage.client()?,
        );
        let metadata =
            metadata.await.map_err(|error| Failure::Start(format!("the metadata service cannot start: {error}")))?;
        let search = load_catalogues(catalogues, engine.clone()).await?;
        let Access { control, operator, first_key } = Access::open(settings)?;
        let relay = start_relay(settings, Arc::clone(&store))?;
        let indexing = search.as_ref().map(|search| {
            let indexing = start_indexing(&settings.store.data_dir, &store, search);
            Arc::new(indexing)
        });
        // A database server is backed up by its own means.
        let is_embedded = settings.database.address()?.is_none();
        let backup = is_embedded.then(|| DataFolder::new(&settings.store.data_dir, engine.clone()));
        let indexes = Some(Indexes { engine: engine.clone(), administration: engine });
        let services = Services {
            metadata: Arc::new(metadata),
            search,
            indexes,
            access: Arc::new(control),
            backup: backup.map(|folder| Arc::new(folder) as Arc<_>),
            outbox: relay.as_ref().map(Relay::watch),
            indexing: indexing.clone(),
        };
        let mut http = settings.http();
        http.limits.max_connections = room_for_connections(http.limits.max_connections);
        let app = cantata_server::app(services, http);
        let _announced = RunningServer::announce(&settings.store.data_dir, self.address, operator);
        // Nobody needs to read these lines; a closed pipe is no reason to stop.
        let _ = announce(self.address, first_key.as_ref()).and_then(|()| tell(self.address));

        let (stop, stopping) = oneshot::channel::<()>();
        let shutdown = async move {
            let _ = stopping.await;
        };
        let told_twice = async {
            self.signals.next().await;
            tracing::info!("stopping once the requests under way are answered");
            let _ = stop.send(());
            self.signals.next().await;
        };
        tokio::select! {
            served = cantata_server::serve(self.listener, app, shutdown) => {
                if let Some(indexing) = indexing {
                    indexing.stop().await;
                }
                if let Some(relay) = relay {
                    relay.stop().await;
                }
                served.map_err(|error| Failure::Start(format!("the server cannot go on: {error}")))
            }
            () = told_twice => {
                tracing::warn!("stopping at once; requests under way are cut off");
                Ok(())
            }
        }
    }
}

/// Starts sending events to Kafka, where that is wanted.
fn start_relay(settings: &Settings, store: Arc<dyn Store>) -> Result<Option<Relay>, Failure> {
    let kafka = settings.kafka()?;
    Ok(kafka.map(|kafka| Relay::start(store, kafka, Uuid::new_v4().to_string())))
}

/// Opens the search engine of the data folder.
fn open_engine(settings: &StoreSettings) -> Result<EmbeddedEngine, Failure> {
    EmbeddedEngine::open(&settings.data_dir.join(SEARCH_FOLDER)).map_err(|error| Failure::Start(error.to_string()))
}

/// Loads the catalogues, where there are any.
async fn load_catalogues(
    source: Option<ConfigSource>,
    engine: Arc<EmbeddedEngine>,
) -> Result<Option<Arc<SearchService>>, Failure> {
    let Some(source) = source else { return Ok(None) };
    let service = SearchService::start(AllEngines::new(engine), source)
        .await
        .map_err(|problems| Failure::Settings(problems.iter().map(ToString::to_string).collect()))?;
    let service = Arc::new(service);
    service.watch();
    Ok(Some(service))
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

fn refused_address(settings: &ServerSettings, error: &io::Error) -> Failure {
    let address = settings.address();
    Failure::Start(match error.kind() {
        ErrorKind::AddrInUse => {
            format!("{address} is taken by another program; stop it, or choose another port with SERVER_PORT")
        }
        ErrorKind::AddrNotAvailable => {
            format!("this machine does not have the address {}; choose another with BIND_ADDR", settings.bind_addr)
        }
        ErrorKind::PermissionDenied => {
            format!("{address} may not be listened on by this user; choose a port above 1023 with SERVER_PORT")
        }
        _ => format!("{address} cannot be listened on: {error}; SERVER_PORT and BIND_ADDR choose another"),
    })
}
