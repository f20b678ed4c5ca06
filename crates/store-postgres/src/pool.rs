//! The connection pool, and single connections for what must not be shared.
//!
//! Every connection works in the schema `cantata` of its database, so that a database can be shared with other
//! programs. Timeouts on the server keep a process that hangs from blocking the others.

use std::sync::Arc;
use std::time::Duration;

use cantata_core::error_chain;
use cantata_store::{Result, StoreError};
use deadpool_postgres::{
    Hook, HookError, Manager, ManagerConfig, Object, Pool, PoolError, RecyclingMethod, Runtime, Timeouts,
};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt;
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::{Client, Connection, Socket};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::DatabaseUrl;
use crate::database_url::TlsMode;
use crate::error::unavailable;

/// How long an operation waits for a connection.
const POOL_TIMEOUT: Duration = Duration::from_secs(10);

/// The settings of every session. Commits are acknowledged only after they are durable. The statements are written for this
/// isolation level, whatever the default of the database is.
const SESSION_SETUP: &str = "
    SET search_path TO cantata;
    SET default_transaction_isolation TO 'read committed';
    SET statement_timeout TO '30s';
    SET lock_timeout TO '10s';
    SET idle_in_transaction_session_timeout TO '20s';
    SET jit TO off;
    SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off';
";

/// A client and the connection that must be polled for it.
pub(crate) type SingleConnection = (Client, Connection<Socket, <MakeRustlsConnect as MakeTlsConnect<Socket>>::Stream>);

/// The pool of connections to a database.
pub(crate) struct ConnectionPool {
    pool: Pool,
    url: DatabaseUrl,
    tls: MakeRustlsConnect,
}

impl ConnectionPool {
    /// Makes the pool, without connecting yet.
    pub(crate) fn new(url: &DatabaseUrl, max_connections: usize) -> Result<Self> {
        let tls = MakeRustlsConnect::new(tls_config(&url.tls)?);
        let recycling = ManagerConfig { recycling_method: RecyclingMethod::Fast };
        let manager = Manager::from_config(url.config.clone(), tls.clone(), recycling);
        let set_up = Hook::async_fn(|client, _| {
            Box::pin(async move { client.batch_execute(SESSION_SETUP).await.map_err(HookError::Backend) })
        });
        let timeouts = Timeouts { wait: Some(POOL_TIMEOUT), create: Some(POOL_TIMEOUT), recycle: Some(POOL_TIMEOUT) };
        let pool = Pool::builder(manager)
            .max_size(max_connections)
            .timeouts(timeouts)
            .runtime(Runtime::Tokio1)
            .post_create(set_up)
            .build()
            .map_err(|error| StoreError::failed("making a pool of connections", error))?;
        Ok(Self { pool, url: url.clone(), tls })
    }

    /// Takes a connection from the pool.
    pub(crate) async fn get(&self) -> Result<Object> {
        self.pool.get().await.map_err(|error| match error {
            PoolError::Backend(error) => unavailable("the database cannot be used")(error),
            PoolError::PostCreateHook(HookError::Backend(error)) => unavailable("a connection cannot be set up")(error),
            other => StoreError::unavailable(format!("no connection to the database: {other}")),
        })
    }

    /// Makes a connection outside of the pool, with the default settings.
    pub(crate) async fn connect(&self) -> Result<SingleConnection> {
        let connected = self.url.config.connect(self.tls.clone()).await;
        connected.map_err(unavailable("the database cannot be used"))
    }
}

impl DatabaseUrl {
    /// Makes a single connection with the default settings. It is closed with the client.
    pub async fn connect(&self) -> Result<Client> {
        let tls = MakeRustlsConnect::new(tls_config(&self.tls)?);
        let connected = self.config.connect(tls).await;
        let (client, connection) = connected.map_err(unavailable("the database cannot be used"))?;
        tokio::spawn(async move {
            if let Err(error) = connection.await.map_err(unavailable("a connection was lost")) {
                tracing::warn!(error = error_chain(&error), "a connection to a database was lost");
            }
        });
        Ok(client)
    }
}

fn tls_config(tls: &TlsMode) -> Result<ClientConfig> {
    let failed = |cause: String| StoreError::failed("preparing TLS", cause);
    let builder = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| failed(error.to_string()))?;
    let builder = match tls {
        TlsMode::Disabled => builder.with_root_certificates(RootCertStore::empty()),
        TlsMode::SystemRoots => builder.with_platform_verifier().map_err(|error| failed(error.to_string()))?,
        TlsMode::CustomRoots(file) => {
            let unusable = |cause: String| failed(format!("{}: {cause}", file.display()));
            let pem = fs_err::read(file).map_err(|error| failed(error.to_string()))?;
            let mut roots = RootCertStore::empty();
            for certificate in CertificateDer::pem_slice_iter(&pem) {
                let certificate = certificate.map_err(|error| unusable(error.to_string()))?;
                roots.add(certificate).map_err(|error| unusable(error.to_string()))?;
            }
            if roots.is_empty() {
                return Err(unusable("it has no certificates".to_owned()));
            }
            builder.with_root_certificates(roots)
        }
    };
    Ok(builder.with_no_client_auth())
}
