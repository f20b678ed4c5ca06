//! The sender of a request whose answer goes on without an end. Its credential may be revoked or expire meanwhile, and what it
//! allows may change.

use std::convert::Infallible;
use std::sync::Arc;

use axum::extract::FromRequestParts;
use cantata_access::Identity;
use http::HeaderMap;
use http::request::Parts;

use super::{AccessControl, identity_of};
use crate::state::AppState;

/// Who follows something, and the credential by which this was found out.
pub(crate) struct Follower {
    access: Arc<AccessControl>,
    headers: HeaderMap,
    identity: Arc<Identity>,
}

impl FromRequestParts<AppState> for Follower {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, Infallible> {
        let (access, headers) = (Arc::clone(&state.access), parts.headers.clone());
        Ok(Self { access, headers, identity: identity_of(&parts.extensions) })
    }
}

impl Follower {
    /// Returns whether the credential is still accepted, and allows what it did when the request came.
    pub(crate) async fn is_unchanged(&self) -> bool {
        self.access.identify(&self.headers).await.is_ok_and(|identity| *identity == *self.identity)
    }
}
