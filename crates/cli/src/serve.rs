//! `cantata serve`: the parts put together, in an order in which whatever can fail does so before data is touched.

use std::io::{self, ErrorKind, Write};
use std::net::SocketAddr;
use std::sync::Arc;

use cantata_metadata::MetadataService;
use cantata_server::HttpSettings;
use cantata_store::Store;
use cantata_store_sqlite::SqliteStore;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use crate::failure::Failure;
use crate::settings::{ServerSettings, Settings, StoreSettings};
use crate::signals::Signals;

/// Runs the server until it is told to stop.
pub(crate) async fn serve(settings: &Settings) -> Result<(), Failure> {
    let listening = Listening::start(&settings.server).await?;
    let store = open_store(&settings.store)?;
    listening.serve(settings, store, |_| Ok(())).await
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
        store: Arc<dyn Store>,
        tell: impl FnOnce(SocketAddr) -> io::Result<()>,
    ) -> Result<(), Failure> {
        let metadata = MetadataService::start(
            store,
            settings.metadata.service_settings(),
            settings.external_validation.validator()?,
            settings.storage.client()?,
        );
        let metadata =
            metadata.await.map_err(|error| Failure::Start(format!("the metadata service cannot start: {error}")))?;
        let app = cantata_server::app(Arc::new(metadata), HttpSettings { body_limit: settings.server.body_limit });
        // Nobody needs to read these lines; a closed pipe is no reason to stop.
        let _ = announce(self.address).and_then(|()| tell(self.address));

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
                served.map_err(|error| Failure::Start(format!("the server cannot go on: {error}")))
            }
            () = told_twice => {
                tracing::warn!("stopping at once; requests under way are cut off");
                Ok(())
            }
        }
    }
}

/// Opens the store of the data folder.
pub(crate) fn open_store(settings: &StoreSettings) -> Result<Arc<dyn Store>, Failure> {
    let folder = &settings.data_dir;
    let store = SqliteStore::open(folder).map_err(|error| {
        Failure::Start(format!(
            "the data folder {} cannot be used: {error}; DATA_DIR names the data folder",
            folder.display()
        ))
    })?;
    Ok(Arc::new(store))
}

fn announce(address: SocketAddr) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    writeln!(stdout, "cantata is ready on http://{address}")?;
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
