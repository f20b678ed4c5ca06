//! Authentication, authorization and the audit log.
//!
//! [`AccessControl::authenticate`] turns the credential of a request into an identity, which it leaves in the request. Each
//! route is registered with the scope that it requires ([`RequiredScope`]); its guard compares the two. Credentials come
//! from the header `Authorization`: URLs end up in logs. The session of a person who has signed in is in a cookie, which counts
//! only with a header that pages of other sites cannot send.

mod audit;
mod credential_cache;
mod follower;
mod guard;
mod readable_studies;

pub(crate) use audit::{
    AuditInterceptor, AuditRecord, AuditSlot, AuditedRequest, ChangeAudit, is_reading, write_begun,
};
pub(crate) use credential_cache::CredentialCache;
pub(crate) use follower::Follower;
pub(crate) use guard::{AccessGuard, FromStorageServer, RequiredScope, STUDY_PARAMETER, VisibleStates};
pub(crate) use readable_studies::ReadableStudies;

use std::fmt;
use std::sync::{Arc, LazyLock};

use axum::extract::Request;
use cantata_access::{AuditLog, AuthError, Authenticator, Identity, PublicStudies, ScopeRules, SignIn};
use cantata_core::AnalysisState;
use cantata_store::StateSet;
use http::{Extensions, HeaderMap, HeaderValue, header};

use crate::limits::Networks;
use crate::serve::Connection;

static ANONYMOUS: LazyLock<Arc<Identity>> = LazyLock::new(|| Arc::new(Identity::anonymous()));
static UNCHECKED: LazyLock<Arc<Identity>> = LazyLock::new(|| Arc::new(Identity::unchecked()));

/// The cookie of a session.
pub(crate) const SESSION_COOKIE: &str = "__Host-cantata-session";

/// The header without which the cookie does not count.
const SESSION_HEADER: &str = "x-cantata-session";

/// Authentication, scopes and the audit log.
#[derive(Default)]
pub struct AccessControl {
    /// Turns credentials into identities.
    pub authenticator: Authenticator,
    /// Decides what an identity may do.
    pub scopes: ScopeRules,
    /// Whether reading needs a credential too.
    pub closed_reads: bool,
    /// The studies of which everybody may read what is published, also where reading needs a credential.
    pub public_studies: PublicStudies,
    /// The addresses of storage servers, which may read entities and analyses without a credential.
    pub storage_servers: Networks,
    /// The log of denied and writing requests.
    pub audit: Option<AuditLog>,
    /// Where people sign in, if they can.
    pub sign_in: Option<SignIn>,
}

impl fmt::Debug for AccessControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AccessControl").field("closed_reads", &self.closed_reads).finish_non_exhaustive()
    }
}

/// Returns the identity of the sender of a request; anonymous if authentication left none.
pub(crate) fn identity_of(extensions: &Extensions) -> Arc<Identity> {
    Arc::clone(extensions.get::<Arc<Identity>>().unwrap_or(&ANONYMOUS))
}

impl AccessControl {
    /// Returns the states of analyses of a study that an identity may see where reading needs a credential.
    pub(crate) fn readable_states(&self, identity: &Identity, study: &str) -> StateSet {
        if self.scopes.can_read(identity, study) {
            return StateSet::ALL;
        }
        let is_public = self.public_studies.contains(study) && !self.scopes.is_denied(identity, study);
        is_public.then_some(AnalysisState::Published).into_iter().collect()
    }

    /// Leaves the identity in a request if that needs no waiting: authentication is off, there is no credential, or it is
    /// in the cache of the connection. Else returns false.
    pub(crate) fn authenticate_now(&self, request: &mut Request) -> bool {
        let identity = if !self.authenticator.is_enabled() {
            Arc::clone(&UNCHECKED)
        } else if !request.headers().contains_key(header::AUTHORIZATION) {
            if session_secret(request.headers()).is_some() {
                return false;
            }
            Arc::clone(&ANONYMOUS)
        } else {
            let generation = self.authenticator.generation();
            let Some((cache, header)) = self.credential_cache(request) else { return false };
            let Some(identity) = cache.get(header.as_bytes(), generation) else { return false };
            identity
        };
        request.extensions_mut().insert(identity);
        true
    }

    /// Leaves the identity in a request, and why its credential is not accepted, if so.
    pub(crate) async fn authenticate(&self, request: &mut Request) {
        // Taken before the look-up: a change during it makes another generation.
        let generation = self.authenticator.generation();
        let identified = self.identify(request.headers()).await;
        if let (Ok(identity), Some((cache, header))) = (&identified, self.credential_cache(request)) {
            cache.insert(header.as_bytes(), identity, generation);
        }
        let identity = identified.unwrap_or_else(|error| {
            request.extensions_mut().insert(error);
            Arc::clone(&ANONYMOUS)
        });
        request.extensions_mut().insert(identity);
    }

    /// Returns the cache of the connection and the one header with a credential; nothing where authentication is off.
    fn credential_cache<'a>(&self, request: &'a Request) -> Option<(&'a CredentialCache, &'a HeaderValue)> {
        let connection = request.extensions().get::<Arc<Connection>>().filter(|_| self.authenticator.is_enabled())?;
        let mut given = request.headers().get_all(header::AUTHORIZATION).iter();
        let header = given.next().filter(|_| given.next().is_none())?;
        Some((connection.credential(), header))
    }

    /// Returns the identity of the sender; without a credential it is anonymous.
    async fn identify(&self, headers: &HeaderMap) -> Result<Arc<Identity>, AuthError> {
        if !self.authenticator.is_enabled() {
            return Ok(Arc::clone(&UNCHECKED));
        }
        let session = match (credential(headers)?, session_secret(headers)) {
            (Some(credential), _) => return self.authenticator.identify(credential).await,
            (None, Some(secret)) => self.authenticator.identify_session(secret).await?,
            (None, None) => None,
        };
        Ok(session.unwrap_or_else(|| Arc::clone(&ANONYMOUS)))
    }
}

/// Returns the secret of the session of a request, if it counts: no other credential is sent, and the request comes from a
/// page of this server.
pub(crate) fn session_secret(headers: &HeaderMap) -> Option<&str> {
    let is_own_page = headers.get("sec-fetch-site").is_none_or(|site| site == "same-origin");
    let counts = headers.contains_key(SESSION_HEADER) && is_own_page && !headers.contains_key(header::AUTHORIZATION);
    cookie(headers, SESSION_COOKIE).filter(|_| counts)
}

/// Returns the value of a cookie; nothing if it is sent twice, of which one may be an attacker's.
pub(crate) fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut values = cookies
        .flat_map(|cookies| cookies.split(';'))
        .filter_map(|cookie| cookie.trim().strip_prefix(name)?.strip_prefix('='));
    values.next().filter(|value| !value.is_empty() && values.next().is_none())
}

/// Returns the credential of a request: what follows `Bearer`, or a header that is nothing but a credential.
fn credential(headers: &HeaderMap) -> Result<Option<&str>, AuthError> {
    let mut given = headers.get_all(header::AUTHORIZATION).iter();
    let Some(first) = given.next() else { return Ok(None) };
    // Of two credentials another server on the way may have checked the other one.
    if given.next().is_some() {
        return Err(AuthError::Invalid);
    }
    let text = first.to_str().map_err(|_| AuthError::Invalid)?.trim();
    let credential = match text.split_once(' ') {
        Some((scheme, credential)) if scheme.eq_ignore_ascii_case("bearer") => credential.trim_start(),
        Some(_) => return Err(AuthError::Invalid),
        None if text.eq_ignore_ascii_case("bearer") => return Err(AuthError::Invalid),
        None => text,
    };
    if credential.is_empty() || credential.contains(char::is_whitespace) {
        return Err(AuthError::Invalid);
    }
    Ok(Some(credential))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(values: &[&str]) -> Result<Option<String>, AuthError> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(header::AUTHORIZATION, value.parse().unwrap());
        }
        credential(&headers).map(|found| found.map(str::to_owned))
    }

    #[test]
    fn a_credential_is_read_in_the_forms_that_clients_send() {
        assert_eq!(read(&[]), Ok(None));
        for value in ["Bearer abc", "bearer abc", "BEARER   abc ", "abc"] {
            assert_eq!(read(&[value]), Ok(Some("abc".to_owned())), "{value}");
        }
    }

    #[test]
    fn a_session_counts_only_with_its_header_and_from_own_pages() {
        let found = |pairs: &[(&'static str, &str)]| {
            let mut headers = HeaderMap::new();
            for (name, value) in pairs {
                headers.append(*name, value.parse().unwrap());
            }
            session_secret(&headers).map(str::to_owned)
        };
        let cookie = ("cookie", "a=b; __Host-cantata-session=s; c=d");
        let marked = ("x-cantata-session", "1");
        assert_eq!(found(&[cookie, marked]).as_deref(), Some("s"));
        assert_eq!(found(&[cookie, marked, ("sec-fetch-site", "same-origin")]).as_deref(), Some("s"));
        assert_eq!(found(&[cookie]), None);
        for site in ["cross-site", "same-site", "none"] {
            assert_eq!(found(&[cookie, marked, ("sec-fetch-site", site)]), None, "{site}");
        }
        assert_eq!(found(&[cookie, marked, ("authorization", "Bearer x")]), None);
        assert_eq!(found(&[cookie, cookie, marked]), None);
        for other in ["cantata-session=s", "__Host-cantata-session=", "x__Host-cantata-session=s", ""] {
            assert_eq!(found(&[("cookie", other), marked]), None, "{other}");
        }
    }

    #[test]
    fn what_is_no_credential_is_refused_and_not_ignored() {
        for values in
            [&["Basic YTpi"][..], &["Bearer "], &["Bearer a b"], &[""], &["Bearer a", "Bearer b"], &["Bearer\ta"]]
        {
            assert_eq!(read(values), Err(AuthError::Invalid), "{values:?}");
        }
    }
}
