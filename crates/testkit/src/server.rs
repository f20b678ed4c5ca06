//! A server on its own folder and port, for as long as the value lives.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use cantata_catalogue::SourceConfig;
use cantata_engine::SearchEngine;
use cantata_engine_embedded::EmbeddedEngine;
use cantata_indexing::{AnalysisSource, IndexedCatalogue, Indexing, IndexingContext, StoreSource};
use cantata_metadata::external::{DEFAULT_TIMEOUT, ExternalValidator};
use cantata_metadata::storage::StorageClient;
use cantata_metadata::{MetadataService, MetadataSettings};
use cantata_search::SearchService;
use cantata_server::{AccessControl, HttpSettings, Indexes, LimitSettings, MetricsAccess, Origins, Services};
use cantata_store::Store;
use cantata_store_postgres::{DatabaseUrl, PostgresStore};
use cantata_store_sqlite::SqliteStore;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use crate::databases::{self, TestDatabase};
use crate::{TestCatalogues, TestClient, catalogues};

/// Starts servers that differ from the default.
#[derive(Debug, Clone)]
pub struct TestServerBuilder {
    metadata: MetadataSettings,
    http: HttpSettings,
    score_url: Option<String>,
    call_timeout: Duration,
    catalogues: Option<TestCatalogues>,
    access: Arc<AccessControl>,
    data_folder: Option<PathBuf>,
}

/// A running server; dropping it stops it. It can be used as a [`TestClient`] of itself.
pub struct TestServer {
    client: TestClient,
    address: SocketAddr,
    first_segments: BTreeSet<String>,
    /// Dropping it stops the server.
    _running: oneshot::Sender<()>,
    engine: Arc<EmbeddedEngine>,
    folder: PathBuf,
    /// The folder, unless the test has given one.
    _temporary: Option<TempDir>,
    _database: Option<TestDatabase>,
}

impl TestServer {
    /// Starts a server with the default settings.
    pub async fn start() -> Self {
        Self::builder().start().await
    }

    /// Returns a builder for a server with other settings.
    pub fn builder() -> TestServerBuilder {
        TestServerBuilder {
            metadata: MetadataSettings::default(),
            http: HttpSettings::default(),
            score_url: None,
            call_timeout: DEFAULT_TIMEOUT,
            catalogues: None,
            access: Arc::default(),
            data_folder: None,
        }
    }

    /// Starts a server with catalogues.
    pub async fn with_catalogues(catalogues: TestCatalogues) -> Self {
        Self::builder().catalogues(catalogues).start().await
    }

    /// Returns the first segments of the server's paths.
    pub fn first_segments(&self) -> &BTreeSet<String> {
        &self.first_segments
    }

    /// Returns where the server listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the engine of its catalogues.
    pub fn engine(&self) -> &dyn SearchEngine {
        &*self.engine
    }

    /// Writes a configuration file of a server that has catalogues.
    pub fn write_config(&self, path: &str, content: &str) {
        catalogues::write_config(&self.folder, path, content);
    }

    /// Removes a configuration file, or a folder of them, of a server that has catalogues.
    pub fn remove_config(&self, path: &str) {
        catalogues::remove_config(&self.folder, path);
    }
}

impl Deref for TestServer {
    type Target = TestClient;

    fn deref(&self) -> &TestClient {
        &self.client
    }
}

impl TestServerBuilder {
    /// Allows only the latest version of each analysis type.
    pub fn enforce_latest(mut self) -> Self {
        self.metadata.enforce_latest = true;
        self
    }

    /// Looks for duplicate files among published analyses only.
    pub fn duplicates_in_published_only(mut self) -> Self {
        self.metadata.duplicates_in_published_only = true;
        self
    }

    /// Limits the size of bodies.
    pub fn body_limit(mut self, bytes: usize) -> Self {
        self.http.body_limit = bytes;
        self
    }

    /// Changes the limits.
    pub fn limits(mut self, change: impl FnOnce(&mut LimitSettings)) -> Self {
        change(&mut self.http.limits);
        self
    }

    /// Changes who may read the metrics.
    pub fn metrics(mut self, allowed: MetricsAccess) -> Self {
        self.http.metrics = allowed;
        self
    }

    /// Asks a storage server before an analysis is published.
    pub fn score_url(mut self, url: &str) -> Self {
        self.score_url = Some(url.to_owned());
        self
    }

    /// Sets the timeout for the servers that it calls.
    pub fn call_timeout(mut self, timeout: Duration) -> Self {
        self.call_timeout = timeout;
        self
    }

    /// Checks who sends requests.
    pub fn access(mut self, access: AccessControl) -> Self {
        self.metadata.hide_other_studies = access.closed_reads;
        self.access = Arc::new(access);
        self
    }

    /// Adds catalogues.
    pub fn catalogues(mut self, catalogues: TestCatalogues) -> Self {
        self.catalogues = Some(catalogues);
        self
    }

    /// Allows cross-origin requests from these origins only.
    pub fn allowed_origins<const N: usize>(mut self, origins: [&str; N]) -> Self {
        self.http.allowed_origins = origins.join(",").parse().unwrap();
        self
    }

    /// Names the only address by which the server is asked for.
    pub fn public_url(mut self, address: &str) -> Self {
        self.http.public_address.origins = Origins::with_paths(address).unwrap();
        self.http.public_address.is_exclusive = true;
        self
    }

    /// Names more hosts by which the server is asked for.
    pub fn allowed_hosts(mut self, hosts: &str) -> Self {
        self.http.public_address.hosts = hosts.parse().unwrap();
        self
    }

    /// Changes the paths of the liveness and readiness probes.
    pub fn health_paths(mut self, ping: &str, ready: &str) -> Self {
        self.http.ping_path = ping.to_owned();
        self.http.ready_path = ready.to_owned();
        self
    }

    /// Keeps everything in a folder of the test, the store too; what another server left there is opened.
    pub fn data_folder(mut self, folder: &Path) -> Self {
        self.data_folder = Some(folder.to_owned());
        self
    }

    /// Starts the server.
    pub async fn start(self) -> TestServer {
        let (folder, temporary) = match self.data_folder {
            Some(folder) => (folder, None),
            None => {
                let temporary = TempDir::new().unwrap();
                (temporary.path().to_owned(), Some(temporary))
            }
        };
        let (store, database) = open_store(&folder, temporary.is_some()).await;
        let external = ExternalValidator::new(self.call_timeout).unwrap();
        let storage = self.score_url.map(|url| StorageClient::new(&url, None, self.call_timeout).unwrap());
        let service = MetadataService::start(Arc::clone(&store), self.metadata, external, storage).await.unwrap();
        let engine = Arc::new(EmbeddedEngine::open(&folder.join("search")).unwrap());
        let search = match self.catalogues {
            Some(catalogues) => Some(catalogues.start(&folder, engine.clone()).await),
            None => None,
        };
        let indexing = search.as_ref().map(|search| Arc::new(start_indexing(&folder, store, Arc::clone(search))));
        let indexes = Some(Indexes { engine: engine.clone(), administration: engine.clone() });
        let services = Services {
            metadata: Arc::new(service),
            search,
            indexes,
            access: self.access,
            backup: None,
            outbox: None,
            indexing,
        };
        let app = cantata_server::app(services, self.http);
        let first_segments = app.first_segments();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (running, stopped) = oneshot::channel::<()>();
        tokio::spawn(cantata_server::serve(listener, app, async {
            let _ = stopped.await;
        }));
        let client = TestClient::connect(&format!("http://{address}")).await;
        TestServer {
            client,
            address,
            first_segments,
            _running: running,
            engine,
            folder,
            _temporary: temporary,
            _database: database,
        }
    }
}

/// Keeps the indexes of catalogues up to date that have a source.
fn start_indexing(folder: &Path, store: Arc<dyn Store>, search: Arc<SearchService>) -> Indexing {
    let source: Arc<dyn AnalysisSource> = Arc::new(StoreSource::new(Arc::clone(&store)));
    Indexing::start(IndexingContext {
        folder: folder.join("indexing"),
        store,
        holder: "test".to_owned(),
        open_source: Box::new(move |_: &SourceConfig| Ok(Arc::clone(&source))),
        catalogues: Box::new(move || {
            let catalogues = search.catalogues();
            catalogues.configured().filter_map(|(config, engine)| IndexedCatalogue::of(config, engine)).collect()
        }),
    })
}

/// Opens the store in the folder; an empty one, where CANTATA_TEST_STORE is `postgres`, in a database of its own.
async fn open_store(folder: &Path, is_empty: bool) -> (Arc<dyn Store>, Option<TestDatabase>) {
    if is_empty && std::env::var("CANTATA_TEST_STORE").is_ok_and(|store| store == "postgres") {
        let database = databases::postgres();
        let address = DatabaseUrl::parse(&database.address()).unwrap();
        return (Arc::new(PostgresStore::open(&address, 8).await.unwrap()), Some(database));
    }
    (Arc::new(SqliteStore::open(folder).unwrap()), None)
}
