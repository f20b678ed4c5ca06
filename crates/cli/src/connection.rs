//! Reaching a server by HTTP: its address, and the key that is shown to it.

use std::time::Duration;

use cantata_catalogue::Secret;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use reqwest::{Client, Url};

use crate::failure::Failure;
use crate::settings::environment;

/// How long a server may take to accept a connection. What it is asked to do may take as long as it takes.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// The variables that carry a key, the one that counts first.
const KEY_VARIABLES: [&str; 2] = ["CANTATA_KEY", "CANTATA_API_KEY"];

/// Returns the key that is shown to a server: that of the command line, else that of the environment.
pub(crate) fn credential(given: Option<&Secret>) -> Option<Secret> {
    let in_environment = || KEY_VARIABLES.into_iter().find_map(environment);
    let found = || in_environment().map(|key| Secret::new(key.to_string_lossy()));
    given.cloned().or_else(found)
}

/// Prepares to speak to the server at an address; nothing is sent yet.
pub(crate) fn connect(address: &str, credential: Option<&str>) -> Result<(Url, Client), Failure> {
    let unusable = |reason: String| {
        Failure::setting(format!(
            "'{address}' is no address of a server: {reason}; expected one such as http://127.0.0.1:5050"
        ))
    };
    let base = Url::parse(address).map_err(|error| unusable(error.to_string()))?;
    if !matches!(base.scheme(), "http" | "https") {
        return Err(unusable(format!("the scheme is '{}'", base.scheme())));
    }
    // An error only says that the process has chosen its TLS implementation already, which serves as well.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut headers = HeaderMap::new();
    if let Some(credential) = credential {
        let mut value = HeaderValue::try_from(format!("Bearer {credential}"))
            .map_err(|_| Failure::setting("CANTATA_KEY: expected a key or a token, without line breaks"))?;
        value.set_sensitive(true);
        headers.insert(AUTHORIZATION, value);
    }
    let builder = Client::builder().connect_timeout(CONNECT_TIMEOUT).default_headers(headers);
    let builder = if base.scheme() == "http" { builder.no_proxy().tls_certs_only([]) } else { builder };
    let http = builder.build().map_err(|error| unusable(error.to_string()))?;
    Ok((base, http))
}
