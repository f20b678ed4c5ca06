//! Access to the API keys of a command: those of the configured database, of an unused data folder, else through the server
//! that uses the folder. Keys are JSON as the server lists them.

use std::path::Path;

use cantata_access::{KeyError, KeyRecord, KeyRegistry, import_key_file};
use cantata_core::Timestamp;
use cantata_engine_embedded::EmbeddedEngine;
use reqwest::Method;
use serde::Deserialize;
use serde_json::{Value, json};

use super::open_store;
use crate::client::ServerClient;
use crate::data_dir::{SEARCH_FOLDER, ServerFile, ensure_not_restoring};
use crate::error::CliError;
use crate::settings::DatabaseSettings;

/// Access to keys.
pub(crate) enum KeyAccess {
    /// The keys of a store.
    Store(Box<KeyRegistry>),
    /// The keys of a server.
    Server(ServerClient),
}

/// The response that lists keys.
#[derive(Deserialize)]
struct ListedKeys {
    keys: Vec<Value>,
}

impl KeyAccess {
    /// Opens the keys; those of an earlier version are imported.
    pub(crate) async fn open(database: &DatabaseSettings, data_dir: &Path) -> Result<Self, CliError> {
        // Also a server whose database the command does not know of.
        if database.address()?.is_none() && EmbeddedEngine::is_in_use(&data_dir.join(SEARCH_FOLDER)) {
            return Self::through_server(data_dir);
        }
        ensure_not_restoring(data_dir)?;
        let keys = KeyRegistry::new(open_store(database, data_dir).await?);
        import_key_file(data_dir, &keys).await?;
        Ok(Self::Store(Box::new(keys)))
    }

    fn through_server(data_dir: &Path) -> Result<Self, CliError> {
        match ServerFile::read(data_dir) {
            Some(server) => ServerClient::new(&server.url, server.credential.as_deref(), "DATA_DIR").map(Self::Server),
            None => Err(CliError::failed(format!(
                "the data folder {} is in use by another process that is not a ready server; wait until it is done",
                data_dir.display()
            ))),
        }
    }

    /// Creates a key; the result has its secret as the member `key`.
    pub(crate) async fn create(
        &self,
        name: &str,
        scopes: &[String],
        expires: Option<Timestamp>,
    ) -> Result<Value, CliError> {
        // Also checks the arguments for the server.
        let (record, secret) = KeyRecord::new(name, scopes, expires)?;
        match self {
            Self::Store(keys) => {
                let mut created = json!(record.summary());
                keys.add(record).await?;
                created["key"] = json!(secret.reveal());
                Ok(created)
            }
            Self::Server(server) => {
                let body = json!({"name": name, "scopes": scopes, "expiresAt": expires});
                Ok(server.send(Method::POST, &["admin", "keys"], &body).await?)
            }
        }
    }

    /// Returns every key, oldest first.
    pub(crate) async fn list(&self) -> Result<Vec<Value>, CliError> {
        match self {
            Self::Store(keys) => Ok(keys.list().await?.iter().map(|key| json!(key.summary())).collect()),
            Self::Server(server) => Ok(server.get::<ListedKeys>(&["admin", "keys"], &[]).await?.keys),
        }
    }

    /// Revokes the active key with a name or an id, and returns it.
    pub(crate) async fn revoke(&self, name_or_id: &str) -> Result<Value, CliError> {
        let server = match self {
            Self::Store(keys) => return Ok(json!(keys.revoke(name_or_id).await?.summary())),
            Self::Server(server) => server,
        };
        let is_named = |key: &Value| key["name"] == name_or_id || key["id"] == name_or_id;
        let is_meant = |key: &&Value| key["revoked"].is_null() && is_named(key);
        let listed = self.list().await?;
        let unknown = || KeyError::Unknown(name_or_id.to_owned());
        let id = listed.iter().find(is_meant).and_then(|key| key["id"].as_str()).ok_or_else(unknown)?;
        server.execute(server.request(Method::DELETE, &["admin", "keys", id], &[])).await?;
        self.list().await?.into_iter().find(|key| key["id"] == id).ok_or_else(|| unknown().into())
    }
}
