//! The studies that the sender of a request may read, for routes whose answers may be part of any study.

use std::convert::Infallible;
use std::sync::Arc;

use axum::extract::FromRequestParts;
use cantata_access::Identity;
use http::request::Parts;

use super::guard::FromStorageServer;
use super::{AccessControl, identity_of};
use crate::state::AppState;

/// The readable studies: all of them, or those that the scopes of an identity allow.
pub(crate) struct ReadableStudies(Option<(Arc<AccessControl>, Arc<Identity>)>);

impl FromRequestParts<AppState> for ReadableStudies {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, Infallible> {
        let access = &state.access;
        let identity = identity_of(&parts.extensions);
        let are_all = !access.authenticator.is_enabled()
            || !access.closed_reads
            || access.scopes.can_read_every_study(&identity)
            || parts.extensions.get::<FromStorageServer>().is_some();
        Ok(Self((!are_all).then(|| (Arc::clone(access), identity))))
    }
}

impl ReadableStudies {
    /// Returns whether a study is among them.
    pub(crate) fn contains(&self, study: &str) -> bool {
        self.0.as_ref().is_none_or(|(access, identity)| access.scopes.can_read(identity, study))
    }
}
