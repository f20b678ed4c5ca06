//! Connections: a pool of them, one taken for each operation, and single ones for what must not be shared.
//!
//! Every connection works in the schema `cantata` of its database, so that a database can be shared with others.
//! Limits of time on the server see to it that a process that hangs cannot hold up the others.

use std::sync::Arc;
use std::time::Duration;

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

use crate::DatabaseAddress;
use crate::address::Tls;
use crate::failure::describe;

/// How long an operation waits for a free connection.
const PATIENCE: Duration = Duration::from_secs(10);

/// What every connection is set to. A server that answers before it has written is told not to.
const SESSION: &str = "
    SET search_path TO cantata;
    SET statement_timeout TO '30s';
    SET lock_timeout TO '10s';
    SET idle_in_transaction_session_timeout TO '20s';
    SET jit TO off;
    SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off';
";

/// A connection of its own; the second part must be driven for the first to work.
pub(crate) type Dedicated = (Client, Connection<Socket, <MakeRustlsConnect as MakeTlsConnect<Socket>>::Stream>);

/// The ways to reach the database.
pub(crate) struct Connections {
    pool: Pool,
    address: DatabaseAddress,
    tls: MakeRustlsConnect,
}

impl Connections {
    /// Makes the pool, without connecting yet.
    pub(crate) fn new(address: &DatabaseAddress, limit: usize) -> Result<Self> {
        let tls = MakeRustlsConnect::new(tls_settings(&address.tls)?);
        let recycling = ManagerConfig { recycling_method: RecyclingMethod::Fast };
        let manager = Manager::from_config(address.config.clone(), tls.clone(), recycling);
        let set_up = Hook::async_fn(|client, _| {
            Box::pin(async move { client.batch_execute(SESSION).await.map_err(HookError::Backend) })
        });
        let timeouts = Timeouts { wait: Some(PATIENCE), create: Some(PATIENCE), recycle: Some(PATIENCE) };
        let pool = Pool::builder(manager)
            .max_size(limit)
            .timeouts(timeouts)
            .runtime(Runtime::Tokio1)
            .post_create(set_up)
            .build()
            .map_err(|error| StoreError::failed("making a pool of connections", error))?;
        Ok(Self { pool, address: address.clone(), tls })
    }

    /// Takes a connection from the pool.
    pub(crate) async fn get(&self) -> Result<Object> {
        self.pool.get().await.map_err(|error| {
            StoreError::Unavailable(match error {
                PoolError::Backend(error) => format!("the database cannot be used: {}", describe(&error)),
                PoolError::PostCreateHook(HookError::Backend(error)) => {
                    format!("a connection cannot be set up: {}", describe(&error))
                }
                other => format!("no connection to the database: {other}"),
            })
        })
    }

    /// Makes a connection that belongs to nobody else, and is not set up.
    pub(crate) async fn dedicated(&self) -> Result<Dedicated> {
        let connected = self.address.config.connect(self.tls.clone()).await;
        connected.map_err(|error| StoreError::Unavailable(format!("the database cannot be used: {}", describe(&error))))
    }
}

impl DatabaseAddress {
    /// Makes a single connection to whatever database this is, in its usual schema. It ends with the client.
    pub async fn connect(&self) -> Result<Client> {
        let tls = MakeRustlsConnect::new(tls_settings(&self.tls)?);
        let failed = |error| StoreError::Unavailable(format!("the database cannot be used: {}", describe(&error)));
        let (client, connection) = self.config.connect(tls).await.map_err(failed)?;
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::warn!(error = describe(&error), "a connection to a database broke");
            }
        });
        Ok(client)
    }
}

fn tls_settings(tls: &Tls) -> Result<ClientConfig> {
    let failed = |cause: String| StoreError::Failed { operation: "preparing TLS", cause };
    let builder = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| failed(error.to_string()))?;
    let builder = match tls {
        Tls::Off => builder.with_root_certificates(RootCertStore::empty()),
        Tls::SystemRoots => builder.with_platform_verifier().map_err(|error| failed(error.to_string()))?,
        Tls::OwnRoots(file) => {
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
