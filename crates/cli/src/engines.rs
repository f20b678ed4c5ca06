//! The engines behind the catalogues: the embedded one, and one for each cluster.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use cantata_catalogue::{Connection, Credentials, EngineChoice, EngineName};
use cantata_engine::SearchEngine;
use cantata_engine_embedded::EmbeddedEngine;
use cantata_engine_remote::{self as remote, Product, RemoteEngine, RemoteSettings};
use cantata_search::Engines;

/// All engines. Catalogues that reach a cluster in the same way share its connections, and when none does any more
/// they are closed.
pub(crate) struct AllEngines {
    embedded: Arc<EmbeddedEngine>,
    clusters: Mutex<HashMap<Connection, Weak<RemoteEngine>>>,
}

impl AllEngines {
    /// Begins without a cluster.
    pub(crate) fn new(embedded: Arc<EmbeddedEngine>) -> Self {
        Self { embedded, clusters: Mutex::default() }
    }
}

impl Engines for AllEngines {
    fn engine(&self, choice: &EngineChoice) -> Result<Arc<dyn SearchEngine>, String> {
        let connection = match choice {
            EngineChoice::Embedded => return Ok(Arc::clone(&self.embedded) as Arc<dyn SearchEngine>),
            EngineChoice::Remote(connection) => connection,
        };
        let mut clusters = self.clusters.lock().unwrap_or_else(PoisonError::into_inner);
        clusters.retain(|_, engine| engine.strong_count() > 0);
        if let Some(engine) = clusters.get(&**connection).and_then(Weak::upgrade) {
            return Ok(engine);
        }
        let engine = Arc::new(cluster(connection)?);
        clusters.insert((**connection).clone(), Arc::downgrade(&engine));
        Ok(engine)
    }
}

/// Prepares the way to a cluster; nothing is sent yet. If the settings cannot be used, says why.
pub(crate) fn cluster(connection: &Connection) -> Result<RemoteEngine, String> {
    let settings = RemoteSettings {
        hosts: connection.hosts.iter().map(|host| host.reveal().to_owned()).collect(),
        product: connection.product.and_then(|name| match name {
            EngineName::OpenSearch => Some(Product::OpenSearch),
            EngineName::Elasticsearch => Some(Product::Elasticsearch),
            EngineName::Embedded => None,
        }),
        credentials: match &connection.credentials {
            Credentials::None => remote::Credentials::None,
            Credentials::Basic { user, password } => {
                remote::Credentials::Basic { user: user.reveal().to_owned(), password: password.reveal().to_owned() }
            }
            Credentials::ApiKey(key) => remote::Credentials::ApiKey(key.reveal().to_owned()),
        },
        ca_certificate: connection.ca_certificate.clone(),
        timeout: connection.timeout,
        // Only saved sets are written, and whoever saves one waits for it.
        refresh_at_once: true,
    };
    RemoteEngine::new(settings).map_err(|error| error.to_string())
}
