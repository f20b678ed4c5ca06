//! What the sender of a request may read of studies, for routes whose answers may be part of any study.

use std::convert::Infallible;
use std::sync::Arc;

use axum::extract::FromRequestParts;
use cantata_access::Identity;
use cantata_core::Result;
use cantata_metadata::MetadataService;
use cantata_store::{StateSet, VisibleFiles};
use http::request::Parts;

use super::guard::FromStorageServer;
use super::{AccessControl, identity_of};
use crate::state::AppState;

/// The readable studies: all of them, or those that the scopes of an identity allow.
pub(crate) struct ReadableStudies(Option<(Arc<AccessControl>, Arc<Identity>)>);

impl FromRequestParts<AppState> for ReadableStudies {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> std::result::Result<Self, Infallible> {
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

    /// Returns the states of analyses that may be seen of a study: all, those of a public one, or none.
    pub(crate) fn states(&self, study: &str) -> StateSet {
        self.0.as_ref().map_or(StateSet::ALL, |(access, identity)| access.readable_states(identity, study))
    }

    /// Returns the files that may be seen, of one study or of all; nothing if all may.
    pub(crate) async fn visible_files(
        &self,
        metadata: &MetadataService,
        study: Option<&str>,
    ) -> Result<Option<VisibleFiles>> {
        match self.0 {
            None => Ok(None),
            Some(_) => metadata.visible_files(study, |study| self.states(study)).await.map(Some),
        }
    }
}
