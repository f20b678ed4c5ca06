//! Who may use which route.
//!
//! [`App::respond`](crate::App::respond) turns the credential of a request into an identity, which it leaves in the
//! request for everything that follows. Each route says what it needs ([`Need`]) where it is registered, which
//! [`Routes`](crate::routes::Routes) insists on; its guard then compares the two. Credentials come from the header
//! `Authorization` alone: addresses end up in logs.

mod audit;
mod guard;
mod recent;

pub(crate) use audit::{Audit, Audited, Noted, is_reading};
pub(crate) use guard::{Guard, Need};
pub(crate) use recent::RecentCredential;

use std::fmt;
use std::sync::{Arc, LazyLock};

use axum::extract::Request;
use cantata_access::{AuditLog, AuthError, Authenticator, Identity, ScopeRules};
use http::{HeaderMap, HeaderValue, header};

use crate::serve::Connection;

static ANONYMOUS: LazyLock<Arc<Identity>> = LazyLock::new(|| Arc::new(Identity::anonymous()));
static UNCHECKED: LazyLock<Arc<Identity>> = LazyLock::new(|| Arc::new(Identity::unchecked()));

/// How clients prove who they are, what that allows, and where it is written down.
#[derive(Default)]
pub struct AccessControl {
    /// Turns credentials into identities.
    pub authenticator: Authenticator,
    /// Decides what an identity may do.
    pub scopes: ScopeRules,
    /// Whether reading needs a credential too.
    pub closed_reads: bool,
    /// Where denied and writing requests are kept.
    pub audit: Option<AuditLog>,
}

impl fmt::Debug for AccessControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AccessControl").field("closed_reads", &self.closed_reads).finish_non_exhaustive()
    }
}

impl AccessControl {
    /// Leaves in a request who sends it, if its credential was accepted on this connection a moment ago; else returns
    /// false.
    pub(crate) fn recall(&self, request: &mut Request) -> bool {
        let generation = self.authenticator.generation();
        let recalled = self.recent(request).and_then(|(recent, header)| recent.recall(header.as_bytes(), generation));
        let is_known = recalled.is_some();
        if let Some(identity) = recalled {
            request.extensions_mut().insert(identity);
        }
        is_known
    }

    /// Leaves in a request who sends it, for everything that follows, and that its credential does not count.
    pub(crate) async fn mark(&self, request: &mut Request) {
        // Taken before the look-up: a change during it makes another generation.
        let generation = self.authenticator.generation();
        let identified = self.identify(request.headers()).await;
        if let (Ok(identity), Some((recent, header))) = (&identified, self.recent(request)) {
            recent.remember(header.as_bytes(), identity, generation);
        }
        let identity = identified.unwrap_or_else(|refusal| {
            request.extensions_mut().insert(refusal);
            Arc::clone(&ANONYMOUS)
        });
        request.extensions_mut().insert(identity);
    }

    /// Returns the one header with a credential, and what the connection remembers of the one before; nothing where
    /// credentials are not looked at.
    fn recent<'a>(&self, request: &'a Request) -> Option<(&'a RecentCredential, &'a HeaderValue)> {
        let connection = request.extensions().get::<Arc<Connection>>().filter(|_| self.authenticator.is_enabled())?;
        let mut given = request.headers().get_all(header::AUTHORIZATION).iter();
        let header = given.next().filter(|_| given.next().is_none())?;
        Some((connection.credential(), header))
    }

    /// Returns who sends a request; somebody without a credential is anonymous.
    async fn identify(&self, headers: &HeaderMap) -> Result<Arc<Identity>, AuthError> {
        if !self.authenticator.is_enabled() {
            return Ok(Arc::clone(&UNCHECKED));
        }
        match credential(headers)? {
            Some(credential) => self.authenticator.identify(credential).await,
            None => Ok(Arc::clone(&ANONYMOUS)),
        }
    }
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
    fn what_is_no_credential_is_refused_and_not_ignored() {
        for values in
            [&["Basic YTpi"][..], &["Bearer "], &["Bearer a b"], &[""], &["Bearer a", "Bearer b"], &["Bearer\ta"]]
        {
            assert_eq!(read(values), Err(AuthError::Invalid), "{values:?}");
        }
    }
}
