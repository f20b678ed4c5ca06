//! Access control from the settings and the keys in the store.

use std::sync::Arc;

use cantata_access::{AuditLog, Authenticator, KeyError, KeyRecord, KeyRegistry, KeySecret, Sessions, import_key_file};
use cantata_server::AccessControl;
use cantata_store::Store;

use crate::data_dir::unusable;
use crate::error::CliError;
use crate::settings::{AuthMode, Settings};

/// The name of the key that a new server creates.
const FIRST_KEY_NAME: &str = "administrator";

/// The access control of a server.
pub(super) struct ServerAccess {
    pub(super) control: AccessControl,
    /// The secret for local commands, generated at each start.
    pub(super) operator: Option<KeySecret>,
    /// The first key, to be shown once.
    pub(super) first_key: Option<KeySecret>,
}

impl ServerAccess {
    /// Sets up authentication; a server with API keys on a store that never had one creates the first.
    pub(super) async fn open(settings: &Settings, store: &Arc<dyn Store>) -> Result<Self, CliError> {
        let data_dir = &settings.store.data_dir;
        let modes = settings.access.modes(settings.server.bind_addr);
        let scopes = settings.access.scopes()?;
        let mut authenticator = Authenticator::default();
        let mut first_key = None;
        if modes.has(AuthMode::ApiKey) {
            let keys = KeyRegistry::new(Arc::clone(store)).for_owners(scopes.clone(), settings.access.owner_access());
            import_key_file(data_dir, &keys).await.map_err(|error| unusable(data_dir, error))?;
            first_key = create_first_key(&keys, scopes.system()).await?;
            authenticator = authenticator.with_keys(Arc::new(keys));
        }
        if let Some(tokens) = settings.access.tokens(&modes)? {
            authenticator = authenticator.with_tokens(tokens);
        }
        if let Some(introspection) = settings.access.introspection(&modes)? {
            authenticator = authenticator.with_introspection(introspection);
        }
        let mut sign_in = None;
        if let Some((provider, secret)) = settings.access.sign_in(&modes, settings.server.public_url.as_ref())? {
            let sessions = Sessions::new(Arc::clone(store), secret.reveal(), settings.access.session_times());
            authenticator = authenticator.with_sessions(sessions);
            sign_in = Some(provider);
        }
        let mut operator = None;
        if authenticator.is_enabled() {
            let secret = KeySecret::generate()
                .map_err(|error| CliError::caused("the system provides no random numbers", error))?;
            authenticator = authenticator.with_operator(&secret, scopes.system());
            operator = Some(secret);
        }
        let control = AccessControl {
            authenticator,
            scopes,
            closed_reads: settings.access.closed_reads(settings.server.bind_addr),
            public_studies: settings.access.reads.public_studies.clone().unwrap_or_default(),
            storage_servers: settings.access.storage_servers.clone().unwrap_or_default(),
            audit: Some(AuditLog::in_folder(data_dir).required(settings.access.audit_required)),
            sign_in,
        };
        Ok(Self { control, operator, first_key })
    }
}

async fn create_first_key(keys: &KeyRegistry, scope: &str) -> Result<Option<KeySecret>, KeyError> {
    if !keys.is_new().await? {
        // Problems with the keys are reported at the start, not to the first client.
        return keys.list().await.map(|_| None);
    }
    let (record, secret) = KeyRecord::new(FIRST_KEY_NAME, &[scope.to_owned()], None)?;
    match keys.add(record).await {
        Ok(()) => Ok(Some(secret)),
        // Another server on the same new database was faster.
        Err(KeyError::NameTaken(_)) => Ok(None),
        Err(error) => Err(error),
    }
}
