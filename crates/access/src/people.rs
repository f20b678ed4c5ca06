//! What people may do, as of their last sign-in: shared records of the store, which limit their own keys.

use std::collections::BTreeSet;

use cantata_core::{Timestamp, error_chain};
use cantata_store::{RecordBase, RecordKind, Result, SharedRecord, Store, StoreError};
use serde::{Deserialize, Serialize};

use crate::{KeyDigest, Person};

/// What a person may do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PersonAccess {
    pub(crate) subject: String,
    pub(crate) scopes: BTreeSet<String>,
    /// The last sign-in.
    pub(crate) signed_in: Timestamp,
}

impl PersonAccess {
    /// Reads a record; nothing if it was removed.
    pub(crate) fn parse(record: &SharedRecord) -> Result<Option<Self>> {
        let Some(document) = &record.document else { return Ok(None) };
        let read = serde_json::from_str(document);
        read.map(Some).map_err(|error| StoreError::corrupt("what a person may do", error_chain(&error)))
    }
}

/// Returns the id of the record of a person; a subject may have any characters and any length.
pub(crate) fn record_id(subject: &str) -> String {
    KeyDigest::of(subject).to_hex()
}

/// Records what a person who has signed in may do.
pub(crate) async fn record_sign_in(store: &dyn Store, person: &Person) -> Result<()> {
    let access =
        PersonAccess { subject: person.subject.clone(), scopes: person.scopes.clone(), signed_in: Timestamp::now() };
    let failed = |error: serde_json::Error| StoreError::failed("writing what a person may do as JSON", error);
    let document = serde_json::to_string(&access).map_err(failed)?;
    let id = record_id(&person.subject);
    store.write_record(RecordKind::Person, &id, RecordBase::Any, Some(document)).await.map(|_| ())
}
