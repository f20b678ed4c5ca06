//! Limits for one client and for all of them together, so that no client can take the server from the others.
//!
//! A client is the identity that its credential proves, else the address it comes from. Nothing here is
//! allocated for a request that is not an export, and no lock is shared by requests that are none.

mod body_timeout;
mod client_address;
mod exports;
mod pace;
mod rate_limiter;
mod rejection;
mod request_memory;
mod settings;

pub use client_address::{InvalidNetwork, Networks, TrustedProxies};
pub use settings::LimitSettings;

pub(crate) use body_timeout::{BodyProgress, BodyTimeout, timeout_after_body, with_body_timeout};
pub(crate) use exports::ExportPermit;
pub(crate) use pace::Pace;
pub(crate) use rejection::{BUSY_RETRY_SECONDS, Rejection};
pub(crate) use request_memory::{RequestMemory, with_share};

use std::hash::{BuildHasher, RandomState};
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Duration;

use axum::extract::Request;
use cantata_access::{AuthError, AuthMethod, Identity};
use http::{HeaderMap, HeaderValue, header};

use crate::routes::{Dialect, RouteSpec};
use crate::serve::Connection;
use client_address::ClientKey;
use exports::ExportLimiter;
use rate_limiter::RateLimiter;

/// Returns whether a body has a content coding that its route does not decode. A body that is not decoded cannot be a
/// decompression bomb; only clients of Elasticsearch may send gzip.
fn is_compressed(headers: &HeaderMap, dialect: Dialect) -> bool {
    let is_not = |coding: &HeaderValue, name: &[u8]| !coding.as_bytes().eq_ignore_ascii_case(name);
    let mut codings = headers.get_all(header::CONTENT_ENCODING).iter();
    match (codings.next(), codings.next()) {
        (Some(only), None) if dialect == Dialect::Elasticsearch => is_not(only, b"gzip") && is_not(only, b"identity"),
        _ => headers.get_all(header::CONTENT_ENCODING).iter().any(|coding| is_not(coding, b"identity")),
    }
}

/// The limiters of all clients.
pub(crate) struct Limits {
    requests: Option<RateLimiter>,
    failures: Option<RateLimiter>,
    exports: Arc<ExportLimiter>,
    pub(crate) memory: Arc<RequestMemory>,
    proxies: TrustedProxies,
    /// Keyed with a secret of this process, so that nobody can choose an address that is counted with another's.
    hasher: RandomState,
}

impl Limits {
    pub(crate) fn new(settings: &LimitSettings) -> Self {
        let second = Duration::from_secs(1);
        Self {
            requests: RateLimiter::new(settings.requests_per_second, second, settings.request_burst),
            failures: RateLimiter::new(settings.failures_per_minute, 60 * second, settings.failures_per_minute),
            exports: Arc::new(ExportLimiter::new(settings.max_exports, settings.max_exports_per_client)),
            memory: RequestMemory::new(settings.request_memory),
            proxies: settings.trusted_proxies.clone(),
            hasher: RandomState::new(),
        }
    }

    /// Rejects a request with a credential from an address that sent too many that were not accepted.
    pub(crate) fn check_failures(&self, request: &Request) -> Result<(), Rejection> {
        match &self.failures {
            Some(failures) if request.headers().contains_key(header::AUTHORIZATION) => {
                failures.peek(self.address_key(request)).map_err(|wait| self.too_many(request, wait))
            }
            _ => Ok(()),
        }
    }

    /// Counts the credential of a request against its address if it was not accepted.
    pub(crate) fn count_failure(&self, request: &Request) {
        if let Some(failures) = &self.failures
            && request.extensions().get::<AuthError>() == Some(&AuthError::Invalid)
        {
            // Whether there were too many already is found out by the next request.
            let _ = failures.take(self.address_key(request));
        }
    }

    /// Counts a request, unless its client sent too many; an export gets its permit.
    pub(crate) fn admit(&self, request: &Request, spec: &RouteSpec) -> Result<Option<ExportPermit>, Rejection> {
        if is_compressed(request.headers(), spec.dialect) {
            return Err(Rejection::Compressed);
        }
        if let Some(requests) = &self.requests {
            requests.take(self.client_key(request)).map_err(|wait| self.too_many(request, wait))?;
        }
        spec.is_export.then(|| self.exports.acquire(self.client_key(request))).transpose()
    }

    fn client_key(&self, request: &Request) -> ClientKey {
        match request.extensions().get::<Arc<Identity>>() {
            Some(identity) if !matches!(identity.auth_method, AuthMethod::Anonymous | AuthMethod::Unchecked) => {
                // However many keys a person makes, they are one client.
                ClientKey(match &identity.person {
                    Some(person) => self.hasher.hash_one(person),
                    None => self.hasher.hash_one((identity.auth_method as u8, &identity.name)),
                })
            }
            _ => self.address_key(request),
        }
    }

    fn address_key(&self, request: &Request) -> ClientKey {
        ClientKey(self.hasher.hash_one(client_address::network(self.client_address(request))))
    }

    /// Returns the address of the client, as far as the trusted proxies say it.
    pub(crate) fn client_address(&self, request: &Request) -> IpAddr {
        self.proxies.client_address(peer_of(request), request.headers())
    }

    fn too_many(&self, request: &Request, wait: Duration) -> Rejection {
        let peer = peer_of(request);
        if request.headers().contains_key("x-forwarded-for") && !self.proxies.contains(peer) {
            tracing::warn!(%peer, "all clients behind this proxy count as one; TRUSTED_PROXIES can name it");
        }
        Rejection::TooManyRequests { wait }
    }
}

/// Returns the peer of the connection; requests without one are counted together.
fn peer_of(request: &Request) -> IpAddr {
    let connection = request.extensions().get::<Arc<Connection>>();
    connection.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |connection| connection.peer())
}
