//! What the files say of the engine: which one, where, and with which credentials.

use std::path::PathBuf;
use std::time::Duration;

use super::reader::{Reader, Section};
use crate::engine_choice::{Credentials, CredentialsError, EngineChoice, EngineName, EngineSettings};

const ENGINE: &str = "searchEngine";
const HOST: &str = "esHost";
const USER: &str = "esUser";
const PASSWORD: &str = "esPass";
const API_KEY: &str = "esApiKey";

/// The keys whose values no message shows; an address can hold a password, and clients need not know it.
pub(super) const HIDDEN: [&str; 4] = [API_KEY, HOST, PASSWORD, USER];

/// Reads what the files say, and returns the engine it leads to on a server of these settings.
pub(super) fn read(reader: &mut Reader<'_>, whole: &Section<'_>, server: &EngineSettings) -> EngineChoice {
    let own = EngineSettings {
        name: name(reader, whole),
        hosts: hosts(reader, whole),
        credentials: credentials(reader, whole),
        ca_certificate: reader.filled_text(whole, "esCaCertificate").map(PathBuf::from),
        timeout: timeout(reader, whole),
    };
    if own.name == Some(EngineName::Embedded) && !own.hosts.is_empty() {
        let expected = format!("no address, or `{ENGINE}` opensearch or elasticsearch");
        reader.warn(HOST.to_owned(), "an address beside the embedded engine, which is ignored", expected);
    }
    own.choose(server)
}

fn name(reader: &mut Reader<'_>, whole: &Section<'_>) -> Option<EngineName> {
    let text = reader.filled_text(whole, ENGINE)?;
    let name = text.parse().ok();
    if name.is_none() {
        let expected = format!("{}; it counts as not set", EngineName::EXPECTED);
        reader.warn(ENGINE.to_owned(), format!("{text:?}"), expected);
    }
    name
}

fn hosts(reader: &mut Reader<'_>, whole: &Section<'_>) -> Vec<crate::Secret> {
    let expected = "an address such as https://search-1:9200, or several separated by commas";
    let Some(text) = reader.hidden_text(whole, HOST, expected) else { return Vec::new() };
    EngineSettings::hosts(text.reveal())
}

fn credentials(reader: &mut Reader<'_>, whole: &Section<'_>) -> Credentials {
    let user = reader.secret(whole, USER);
    let password = reader.secret(whole, PASSWORD);
    let api_key = reader.secret(whole, API_KEY);
    // A variable that is not set is reported as such, not as credentials that do not go together.
    let is_given = |name: &str| whole.object.get(name).is_some_and(|value| !value.is_null());
    Credentials::new(user, password, api_key).unwrap_or_else(|error| {
        match error {
            CredentialsError::PasswordWithoutUser if is_given(USER) => {}
            CredentialsError::PasswordWithoutUser => {
                reader.fail(PASSWORD.to_owned(), error.to_string(), format!("`{USER}` beside it"));
            }
            CredentialsError::TwoKinds => {
                let expected = format!("either `{API_KEY}`, or `{USER}` and `{PASSWORD}`");
                reader.fail(API_KEY.to_owned(), error.to_string(), expected);
            }
        }
        Credentials::None
    })
}

fn timeout(reader: &mut Reader<'_>, whole: &Section<'_>) -> Option<Duration> {
    reader.count(whole, "esTimeout", 1).map(|seconds| Duration::from_secs(seconds.into()))
}
