//! The HTTP client of commands.

use std::time::Duration;

use cantata_core::Secret;
use cantata_http_client::bearer;
use memchr::memchr2;
use reqwest::header::{AUTHORIZATION, HeaderMap};
use reqwest::{Client, ClientBuilder, Url};

use crate::error::CliError;
use crate::settings::environment;

/// The timeout of a connection attempt; requests themselves have none.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// The variables that carry a key, in order of precedence.
const KEY_VARIABLES: [&str; 2] = ["CANTATA_KEY", "CANTATA_API_KEY"];

/// Returns the key of the command line, else that of the environment.
pub(crate) fn credential(given: Option<&Secret>) -> Option<Secret> {
    let in_environment = || KEY_VARIABLES.into_iter().find_map(environment);
    let found = || in_environment().map(|key| Secret::new(key.to_string_lossy()));
    given.cloned().or_else(found)
}

/// Creates a client for the server at an address; nothing is sent yet.
pub(crate) fn connect(address: &str, credential: Option<&str>) -> Result<(Url, Client), CliError> {
    let unusable = |reason: String| {
        CliError::setting(format!(
            "'{address}' is no address of a server: {reason}; expected one such as http://127.0.0.1:5050"
        ))
    };
    let base = Url::parse(address).map_err(|error| unusable(error.to_string()))?;
    if !matches!(base.scheme(), "http" | "https") {
        return Err(unusable(format!("the scheme is '{}'", base.scheme())));
    }
    let mut headers = HeaderMap::new();
    if let Some(credential) = credential {
        let value = bearer(credential)
            .map_err(|_| CliError::setting("CANTATA_KEY: expected a key or a token, without line breaks"))?;
        headers.insert(AUTHORIZATION, value);
    }
    let http = builder(&base).default_headers(headers).build().map_err(|error| unusable(error.to_string()))?;
    Ok((base, http))
}

/// Returns the builder of a client for a server; only `https` loads the certificates of the system.
pub(crate) fn builder(base: &Url) -> ClientBuilder {
    // An error means that the process has chosen its TLS implementation already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = Client::builder().connect_timeout(CONNECT_TIMEOUT);
    if base.scheme() == "http" { builder.no_proxy().tls_certs_only([]) } else { builder }
}

/// Adds a JSON document to a body with one document per line.
pub(crate) fn push_json_line(body: &mut Vec<u8>, document: &[u8]) {
    let start = body.len();
    body.extend_from_slice(document);
    // Outside of strings a line break is whitespace; JSON strings cannot contain one.
    if memchr2(b'\n', b'\r', &body[start..]).is_some() {
        body[start..].iter_mut().filter(|byte| matches!(byte, b'\n' | b'\r')).for_each(|byte| *byte = b' ');
    }
    body.push(b'\n');
}
