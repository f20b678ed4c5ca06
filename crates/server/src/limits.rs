//! How much one client may have of the server, so that none can take it from the others.
//!
//! [`App::respond`](crate::App::respond) asks here before a request goes further: may this client send another request,
//! may another export begin. A client is whoever its credential says it is, else the address it comes from. Nothing
//! here is locked or allocated for a request that is not an export.

mod address;
mod arrival;
mod exports;
mod rate;
mod refusal;
mod settings;

pub use address::TrustedProxies;
pub use settings::LimitSettings;

pub(crate) use arrival::{Arrival, StalledBody, watched, within};
pub(crate) use exports::ExportSlot;
pub(crate) use refusal::Refused;

use std::hash::{BuildHasher, RandomState};
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Duration;

use axum::extract::Request;
use cantata_access::{AuthError, AuthMethod, Identity};
use http::header;

use crate::serve::Connection;
use address::Counted;
use exports::Exports;
use rate::RateLimiter;

/// What is counted of all clients.
pub(crate) struct Limits {
    requests: Option<RateLimiter>,
    failures: Option<RateLimiter>,
    exports: Arc<Exports>,
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
            exports: Arc::new(Exports::new(settings.max_exports, settings.max_exports_per_client)),
            proxies: settings.trusted_proxies.clone(),
            hasher: RandomState::new(),
        }
    }

    /// Refuses a request with a credential from an address that sent too many that were not accepted.
    pub(crate) fn before_authentication(&self, request: &Request) -> Result<(), Refused> {
        match &self.failures {
            Some(failures) if request.headers().contains_key(header::AUTHORIZATION) => {
                failures.peek(self.address_key(request)).map_err(|wait| self.too_many(request, wait))
            }
            _ => Ok(()),
        }
    }

    /// Counts the credential of a request against its address if it was not accepted.
    pub(crate) fn note_authentication(&self, request: &Request) {
        if let Some(failures) = &self.failures
            && request.extensions().get::<AuthError>() == Some(&AuthError::Invalid)
        {
            // Whether there were too many already is found out by the next request.
            let _ = failures.take(self.address_key(request));
        }
    }

    /// Counts a request, unless its client sent too many.
    pub(crate) fn admit(&self, request: &Request) -> Result<(), Refused> {
        match &self.requests {
            Some(requests) => requests.take(self.client_key(request)).map_err(|wait| self.too_many(request, wait)),
            None => Ok(()),
        }
    }

    /// Lets an export begin, unless there are enough.
    pub(crate) fn begin_export(&self, request: &Request) -> Result<ExportSlot, Refused> {
        self.exports.begin(self.client_key(request))
    }

    fn client_key(&self, request: &Request) -> Counted {
        match request.extensions().get::<Arc<Identity>>() {
            Some(identity) if !matches!(identity.auth_method, AuthMethod::Anonymous | AuthMethod::Unchecked) => {
                Counted(self.hasher.hash_one((identity.auth_method as u8, &identity.name)))
            }
            _ => self.address_key(request),
        }
    }

    fn address_key(&self, request: &Request) -> Counted {
        let peer = peer_of(request);
        let address = self.proxies.client_address(peer, request.headers());
        Counted(self.hasher.hash_one(address::network(address)))
    }

    fn too_many(&self, request: &Request, wait: Duration) -> Refused {
        let peer = peer_of(request);
        if request.headers().contains_key("x-forwarded-for") && !self.proxies.contains(peer) {
            tracing::warn!(%peer, "all clients behind this proxy count as one; TRUSTED_PROXIES can name it");
        }
        Refused::TooManyRequests { wait }
    }
}

/// Returns the other end of the connection; requests that come by none are counted together.
fn peer_of(request: &Request) -> IpAddr {
    let connection = request.extensions().get::<Arc<Connection>>();
    connection.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |connection| connection.peer())
}
