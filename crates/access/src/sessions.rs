//! Sessions of people who have signed in, as shared records of the store: every server knows them.
//!
//! A session is found by a secret in a cookie. The store has only the digest of the secret together with that of the
//! servers, so neither a copy of the store nor a cookie of another installation is of use. A session ends after a time
//! without a request, after a time in any case, and when the person signs out. Its scopes are those of the sign-in.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use cantata_core::{Timestamp, error_chain};
use cantata_store::{RecordBase, RecordKind, Result, SharedRecord, Store, StoreError};
use data_encoding::HEXLOWER;
use rand::TryRngCore;
use rand::rngs::OsRng;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::people::record_sign_in;
use crate::{AuthMethod, Identity, KeyDigest};

/// How far the last use that is stored may be behind: a use is not written for each request.
const SEEN_RESOLUTION: Duration = Duration::from_secs(60);

/// How many old sessions a sign-in looks at, and removes if they have ended.
const MAX_REMOVED: usize = 100;

/// A person that the identity provider has authenticated.
#[derive(Debug, Clone, PartialEq)]
pub struct Person {
    /// The subject, unique at the provider.
    pub subject: String,
    /// What they may do.
    pub scopes: BTreeSet<String>,
    /// The claims about them.
    pub claims: Map<String, Value>,
}

/// How long sessions last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionTimes {
    /// The longest time without a request.
    pub idle: Duration,
    /// The longest time in all.
    pub max_age: Duration,
}

/// The secret of a session, for a cookie.
pub struct SessionSecret(String);

impl SessionSecret {
    /// Returns the secret itself.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for SessionSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(redacted)")
    }
}

/// The sessions of a store.
pub struct Sessions {
    store: Arc<dyn Store>,
    /// What the servers of the installation know and the store does not.
    server_secret: String,
    times: SessionTimes,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Session {
    subject: String,
    scopes: BTreeSet<String>,
    claims: Map<String, Value>,
    created: Timestamp,
    /// The last use, to the minute.
    seen: Timestamp,
}

impl Sessions {
    /// Names the store; nothing is read yet.
    pub fn new(store: Arc<dyn Store>, server_secret: &str, times: SessionTimes) -> Self {
        Self { store, server_secret: server_secret.to_owned(), times }
    }

    /// Returns how long sessions last.
    pub fn times(&self) -> SessionTimes {
        self.times
    }

    /// Begins a session. Its secret is new, whatever the browser has sent, so nobody can choose it for another.
    pub async fn begin(&self, person: Person) -> Result<SessionSecret> {
        let mut bytes = [0; 32];
        OsRng.try_fill_bytes(&mut bytes).map_err(|error| StoreError::failed("making a session", error))?;
        let secret = SessionSecret(HEXLOWER.encode(&bytes));
        record_sign_in(&*self.store, &person).await?;
        let now = Timestamp::now();
        let Person { subject, scopes, claims } = person;
        let session = Session { subject, scopes, claims, created: now, seen: now };
        self.write(&self.id(secret.reveal()), RecordBase::Absent, Some(&session)).await?;
        if let Err(error) = self.remove_ended(now).await {
            let error = error_chain(&error);
            tracing::warn!(error, "sessions that have ended could not be removed; the next sign-in tries again");
        }
        Ok(secret)
    }

    /// Returns the identity of a session that has not ended.
    pub async fn find(&self, secret: &str) -> Result<Option<Arc<Identity>>> {
        let id = self.id(secret);
        let Some(record) = self.store.record(RecordKind::Session, &id).await? else { return Ok(None) };
        let now = Timestamp::now();
        let Some(session) = parse(&record).filter(|session| self.is_active(session, now)) else { return Ok(None) };
        if elapsed(session.seen, now) >= SEEN_RESOLUTION {
            let seen = Session { seen: now, ..session.clone() };
            // Another server may have done so, or ended the session. On a full disk people can still read.
            if let Err(error) = self.write(&id, RecordBase::Record(record.change), Some(&seen)).await {
                tracing::warn!(error = error_chain(&error), "the use of a session could not be recorded");
            }
        }
        let Session { subject, scopes, claims, .. } = session;
        let (name, person) = (subject.clone(), Some(subject));
        Ok(Some(Arc::new(Identity { auth_method: AuthMethod::Session, name, scopes, claims, person })))
    }

    /// Ends a session.
    pub async fn end(&self, secret: &str) -> Result<()> {
        let id = self.id(secret);
        if self.store.record(RecordKind::Session, &id).await?.is_some() {
            self.write(&id, RecordBase::Any, None).await?;
        }
        Ok(())
    }

    /// Ends every session of a person.
    pub async fn end_all(&self, subject: &str) -> Result<()> {
        let mut after = 0;
        loop {
            let records = self.store.records_after(RecordKind::Session, after, MAX_REMOVED).await?;
            let Some(last) = records.last() else { return Ok(()) };
            after = last.change;
            for record in &records {
                if parse(record).is_some_and(|session| session.subject == subject) {
                    self.write(&record.id, RecordBase::Any, None).await?;
                }
            }
        }
    }

    /// Removes some of the sessions that have ended: those that were written first. A sign-in does so, and the server from
    /// time to time.
    pub async fn remove_ended(&self, now: Timestamp) -> Result<()> {
        let records = self.store.records_after(RecordKind::Session, 0, MAX_REMOVED).await?;
        for record in &records {
            let is_active = parse(record).is_some_and(|session| self.is_active(&session, now));
            if !is_active && record.document.is_some() {
                self.write(&record.id, RecordBase::Record(record.change), None).await?;
            }
        }
        let removed = records.iter().filter(|record| record.document.is_none()).map(|record| record.change).max();
        match removed {
            Some(change) => self.store.purge_removed_records(RecordKind::Session, change).await,
            None => Ok(()),
        }
    }

    fn is_active(&self, session: &Session, now: Timestamp) -> bool {
        elapsed(session.seen, now) < self.times.idle + SEEN_RESOLUTION
            && elapsed(session.created, now) < self.times.max_age
    }

    fn id(&self, secret: &str) -> String {
        KeyDigest::of(&format!("{}\n{secret}", self.server_secret)).to_hex()
    }

    async fn write(&self, id: &str, base: RecordBase, session: Option<&Session>) -> Result<()> {
        let failed = |error: serde_json::Error| StoreError::failed("writing a session as JSON", error);
        let document = session.map(serde_json::to_string).transpose().map_err(failed)?;
        self.store.write_record(RecordKind::Session, id, base, document).await.map(|_| ())
    }
}

/// Returns the time between two moments; none if clocks disagree.
fn elapsed(since: Timestamp, now: Timestamp) -> Duration {
    Duration::from_micros(u64::try_from(now.as_micros() - since.as_micros()).unwrap_or_default())
}

/// Reads a session; what was removed or cannot be read is none, and its browser signs in again.
fn parse(record: &SharedRecord) -> Option<Session> {
    serde_json::from_str(record.document.as_ref()?).ok()
}
