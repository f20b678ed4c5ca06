//! The address of a node.

use cantata_core::{ClusterCredentials, Secret};
use percent_encoding::percent_decode_str;
use reqwest::Url;

use super::SettingsError;

/// The address of a node and the credentials for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NodeAddress {
    /// Scheme, host, port and path prefix, without a trailing slash and without secrets.
    pub(crate) base: String,
    pub(crate) is_https: bool,
    /// Whether the node is on this machine.
    pub(crate) is_local: bool,
    pub(crate) credentials: ClusterCredentials,
}

impl NodeAddress {
    /// Parses an address. A user in it counts if there are no other credentials.
    pub(crate) fn read(text: &str, credentials: &ClusterCredentials) -> Result<Self, SettingsError> {
        let problem = |reason: &str| {
            let found = redacted(text);
            SettingsError(format!(
                "the address `{found}` of the search engine (ES_HOST, esHost) cannot be used: {reason}; expected one \
                 like https://search-1:9200"
            ))
        };
        let text = text.trim();
        let url = if text.contains("://") { Url::parse(text) } else { Url::parse(&format!("http://{text}")) };
        let mut url = url.map_err(|error| problem(&error.to_string()))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(problem("its scheme is neither http nor https"));
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(problem("it has a query or a fragment"));
        }
        let credentials = match credentials {
            ClusterCredentials::None if !url.username().is_empty() => ClusterCredentials::Basic {
                user: decoded(url.username()).ok_or_else(|| problem("its user is not UTF-8"))?,
                password: decoded(url.password().unwrap_or_default())
                    .ok_or_else(|| problem("its password is not UTF-8"))?,
            },
            given => given.clone(),
        };
        // These only fail for URLs without a host, which http and https do not allow.
        let _ = url.set_username("");
        let _ = url.set_password(None);
        Ok(Self {
            base: url.as_str().trim_end_matches('/').to_owned(),
            is_https: url.scheme() == "https",
            is_local: is_local(&url),
            credentials,
        })
    }
}

fn decoded(text: &str) -> Option<Secret> {
    percent_decode_str(text).decode_utf8().ok().map(Secret::new)
}

fn is_local(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let ip = host.trim_start_matches('[').trim_end_matches(']').parse::<std::net::IpAddr>();
    ip.map_or(host == "localhost", |ip| ip.is_loopback())
}

/// Returns an address without what may be a user, a password or a token, however it was mistyped.
pub(super) fn redacted(text: &str) -> String {
    let is_scheme = |(scheme, _): &(&str, &str)| scheme.chars().all(|character| character.is_ascii_alphanumeric());
    let (scheme, rest) = text.split_once("://").filter(is_scheme).unwrap_or(("", text));
    let separator = if scheme.is_empty() { "" } else { "://" };
    let (mask, host) = rest.rsplit_once('@').map_or(("", rest), |(_, host)| ("…@", host));
    let host = host.split(['?', '#']).next().unwrap_or_default();
    format!("{scheme}{separator}{mask}{host}")
}
