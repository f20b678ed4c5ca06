//! The keys of the engine: which one, where, and with which credentials.

use std::path::PathBuf;
use std::time::Duration;

use super::reader::{ConfigReader, ConfigSection};
use crate::engine_choice::{EngineChoice, EngineName, EngineSettings};
use cantata_core::{ClusterCredentials, ClusterCredentialsError};

const ENGINE: &str = "searchEngine";
const HOST: &str = "esHost";
const USER: &str = "esUser";
const PASSWORD: &str = "esPass";
const API_KEY: &str = "esApiKey";

/// The keys whose values are secret; an address can hold a password.
pub(super) const SECRET_KEYS: [&str; 4] = [API_KEY, HOST, PASSWORD, USER];

/// Reads the keys, and returns the engine that they choose on a server with these settings.
pub(super) fn read(reader: &mut ConfigReader<'_>, root: &ConfigSection<'_>, server: &EngineSettings) -> EngineChoice {
    let own = EngineSettings {
        name: name(reader, root),
        hosts: hosts(reader, root),
        credentials: credentials(reader, root),
        ca_certificate: reader.filled_text(root, "esCaCertificate").map(PathBuf::from),
        timeout: timeout(reader, root),
        // That of the server counts for all catalogues.
        refresh_interval: None,
    };
    if own.name == Some(EngineName::Embedded) && !own.hosts.is_empty() {
        let expected = format!("no address, or `{ENGINE}` opensearch or elasticsearch");
        reader.warn(HOST.to_owned(), "an address beside the embedded engine, which is ignored", expected);
    }
    own.choose(server)
}

fn name(reader: &mut ConfigReader<'_>, root: &ConfigSection<'_>) -> Option<EngineName> {
    let text = reader.filled_text(root, ENGINE)?;
    let name = text.parse().ok();
    if name.is_none() {
        reader.fail(ENGINE.to_owned(), format!("{text:?}"), EngineName::EXPECTED);
    }
    name
}

fn hosts(reader: &mut ConfigReader<'_>, root: &ConfigSection<'_>) -> Vec<cantata_core::Secret> {
    let expected = "an address such as https://search-1:9200, or several separated by commas";
    let Some(text) = reader.secret_text(root, HOST, expected) else { return Vec::new() };
    EngineSettings::hosts(text.reveal())
}

fn credentials(reader: &mut ConfigReader<'_>, root: &ConfigSection<'_>) -> ClusterCredentials {
    let user = reader.secret(root, USER);
    let password = reader.secret(root, PASSWORD);
    let api_key = reader.secret(root, API_KEY);
    // A variable that is not set is reported as such, not as credentials that do not go together.
    let is_given = |name: &str| root.object.get(name).is_some_and(|value| !value.is_null());
    ClusterCredentials::new(user, password, api_key).unwrap_or_else(|error| {
        match error {
            ClusterCredentialsError::PasswordWithoutUser if is_given(USER) => {}
            ClusterCredentialsError::PasswordWithoutUser => {
                reader.fail(PASSWORD.to_owned(), error.to_string(), format!("`{USER}` beside it"));
            }
            ClusterCredentialsError::TwoKinds => {
                let expected = format!("either `{API_KEY}`, or `{USER}` and `{PASSWORD}`");
                reader.fail(API_KEY.to_owned(), error.to_string(), expected);
            }
        }
        ClusterCredentials::None
    })
}

fn timeout(reader: &mut ConfigReader<'_>, root: &ConfigSection<'_>) -> Option<Duration> {
    reader.count(root, "esTimeout", 1).map(|seconds| Duration::from_secs(seconds.into()))
}
