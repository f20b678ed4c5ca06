//! Stores to import into, and what is in them afterwards.

use std::sync::Arc;

use cantata_song_import::{Comparison, ImportError, ImportReport, RecordKind, RejectedRecord, import};
use cantata_store::Store;
use cantata_store_postgres::{DatabaseUrl, PostgresStore};
use cantata_store_sqlite::SqliteStore;
use cantata_testkit::databases::{self, TestDatabase};
use serde_json::Value;
use tempfile::TempDir;
use tokio_postgres::NoTls;

/// A store, with the place that it lives in.
pub(crate) struct Target {
    pub(crate) store: Arc<dyn Store>,
    _place: (Option<TempDir>, Option<TestDatabase>),
}

impl Target {
    pub(crate) fn sqlite() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { store: Arc::new(SqliteStore::open(folder.path()).unwrap()), _place: (Some(folder), None) }
    }

    pub(crate) async fn postgres() -> Self {
        let database = databases::postgres();
        let address = DatabaseUrl::parse(&database.address()).unwrap();
        let store = PostgresStore::open(&address, 4).await.unwrap();
        Self { store: Arc::new(store), _place: (None, Some(database)) }
    }

    /// Imports a database.
    pub(crate) async fn try_take(&self, song: &TestDatabase) -> Result<ImportReport, ImportError> {
        let (mut client, connection) = tokio_postgres::connect(&song.address(), NoTls).await.unwrap();
        let connection = tokio::spawn(connection);
        let mut told = (0, 0);
        let report = import(&mut client, &*self.store, &mut |done, total| told = (done, total)).await;
        assert_eq!(told.0, told.1);
        drop(client);
        connection.await.unwrap().unwrap();
        report
    }

    /// Imports a database that can be read.
    pub(crate) async fn take(&self, song: &TestDatabase) -> ImportReport {
        self.try_take(song).await.unwrap()
    }

    /// Returns an analysis as clients see it.
    pub(crate) async fn analysis(&self, id: &str) -> Option<Value> {
        let id = cantata_core::AnalysisId::parse(id).unwrap();
        let stored = self.store.analysis(id).await.unwrap()?;
        Some(serde_json::from_str(&stored.document).unwrap())
    }

    /// Returns how many events there are.
    pub(crate) fn events(&self) -> u64 {
        *self.store.latest_event().borrow()
    }
}

/// Returns the comparison of a kind.
pub(crate) fn compared(report: &ImportReport, kind: RecordKind) -> &Comparison {
    report.comparisons.iter().find(|comparison| comparison.kind == kind).unwrap()
}

/// Returns how many of each kind are in SONG, were refused, and are here.
pub(crate) fn figures(report: &ImportReport) -> Vec<(u64, u64, u64)> {
    RecordKind::ALL.map(|kind| compared(report, kind)).map(|found| (found.in_song, found.refused, found.here)).to_vec()
}

/// Returns why something was refused.
#[track_caller]
pub(crate) fn reason(report: &ImportReport, kind: RecordKind, id: &str) -> String {
    let found: Vec<&RejectedRecord> =
        report.refused.iter().filter(|refusal| refusal.kind == kind && refusal.id == id).collect();
    let [refusal] = found[..] else { panic!("{kind} {id} among {:#?}", report.refused) };
    refusal.reason.clone()
}
