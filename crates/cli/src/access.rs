//! Who may use the server, put together from the settings and the keys in the data folder.

use std::path::Path;
use std::sync::Arc;

use cantata_access::{AuditLog, Authenticator, KeyError, KeyFile, KeyRecord, KeySecret};
use cantata_server::AccessControl;

use crate::failure::Failure;
use crate::settings::{AuthMode, Settings};

/// The name of the key that a server makes when there is none.
const FIRST_KEY: &str = "administrator";

/// What a server needs to know who may use it.
pub(crate) struct Access {
    pub(crate) control: AccessControl,
    /// Lets commands in that find the server by its data folder; new at each start.
    pub(crate) operator: Option<KeySecret>,
    /// The first key of all, to be shown once.
    pub(crate) first_key: Option<KeySecret>,
}

impl Access {
    /// Prepares to check credentials. A server that takes keys and never had one makes the first.
    pub(crate) fn open(settings: &Settings) -> Result<Self, Failure> {
        let data_dir = &settings.store.data_dir;
        let modes = settings.access.modes(settings.server.bind_addr);
        let scopes = settings.access.scopes()?;
        let mut authenticator = Authenticator::default();
        let mut first_key = None;
        if modes.has(AuthMode::ApiKey) {
            let keys = KeyFile::in_folder(data_dir);
            first_key = make_first_key(&keys, scopes.system()).map_err(|error| unusable(data_dir, &error))?;
            authenticator = authenticator.with_keys(Arc::new(keys));
        }
        if let Some(tokens) = settings.access.tokens(&modes)? {
            authenticator = authenticator.with_tokens(tokens);
        }
        if let Some(introspection) = settings.access.introspection(&modes)? {
            authenticator = authenticator.with_introspection(introspection);
        }
        let mut operator = None;
        if authenticator.is_enabled() {
            let secret = KeySecret::generate()
                .map_err(|error| Failure::Start(format!("the system gives no random numbers: {error}")))?;
            authenticator = authenticator.with_operator(&secret, scopes.system());
            operator = Some(secret);
        }
        let control = AccessControl {
            authenticator,
            scopes,
            closed_reads: settings.access.require_auth_for_reads,
            audit: Some(AuditLog::in_folder(data_dir)),
        };
        Ok(Self { control, operator, first_key })
    }
}

fn make_first_key(keys: &KeyFile, scope: &str) -> Result<Option<KeySecret>, KeyError> {
    if !keys.is_new()? {
        // Whatever is wrong with the keys should be told now, not to the first client.
        return keys.list().map(|_| None);
    }
    let (record, secret) = KeyRecord::new(FIRST_KEY, &[scope.to_owned()], None)?;
    keys.add(record)?;
    Ok(Some(secret))
}

fn unusable(data_dir: &Path, error: &KeyError) -> Failure {
    Failure::Start(format!("in the data folder {}, {error}", data_dir.display()))
}
